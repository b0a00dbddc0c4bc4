"""Convert offered tools to constraints on calls: a JSON Schema of one call, a grammar of all."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.gbnf import GrammarRules, add_text_without, literal
from workbench.toolspec.schema_rules import SchemaRules, kinds_of
from workbench.toolspec.spec import OfferedTools, ToolSpec

MOST_CALLS: Final = 16
"""Calls that a completion may hold under a grammar: a small model would else go on for ever."""
_PARAMETER_CLOSE: Final = "</parameter>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """What a model is held to."""

    text: str
    """GBNF, rule `root`."""
    findings: tuple[Finding, ...]
    """What of the schemas it does not say; pointers lead into the array of specs, or into the answer's schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallMarks:
    """What stands around the bodies of calls."""

    open: str
    """Before a body, such as `<tool_call>` and a newline."""
    close: str
    between: str
    """Between a closed call and the next one that is opened."""


def call_schema(tools: OfferedTools) -> JsonObject:
    """JSON Schema of `{"name", "arguments"}`, one branch a tool, the name a constant in each.

    An object schema that says nothing of other keys is closed here: a model held to the grammar
    would else be free to invent parameters.

    >>> from workbench.toolspec.spec import ToolSpec
    >>> call_schema(OfferedTools(specs=(ToolSpec.of_function({"name": "now"}),)))["properties"]["name"]
    {'const': 'now'}
    """
    branches: list[JsonValue] = [_branch(spec) for spec in tools.specs]
    if len(branches) == 1:
        only = branches[0]
        assert isinstance(only, dict)
        return only
    return {"oneOf": branches}


def calls_grammar(
    tools: OfferedTools, marks: CallMarks, *, dialect: Literal["json", "xml"], begins_open: bool
) -> Grammar:
    """Calls of the tools, one after the other, then the end.

    Args:
        tools: What may be called; one at least.
        marks: What stands around a call.
        dialect: The form of a call's body.
        begins_open: True: the first call's `open` stands there already.

    Raises:
        ConstraintFailed: A tool's schema leads nowhere, or allows no value.
    """
    rules = GrammarRules()
    body, findings = _body(rules, tools, dialect)
    call = rules.add(f"{body} {literal(marks.close)}")
    more = f"({literal(marks.between + marks.open)} {call}){{0,{MOST_CALLS - 1}}}"
    opened = "" if begins_open else literal(marks.open) + " "
    return Grammar(text=rules.text(f"{opened}{call} {more}"), findings=findings)


def untold_keywords(tools: OfferedTools) -> tuple[Finding, ...]:
    """What of the tools' schemas no grammar of their calls says; empty without tools.

    Raises:
        ConstraintFailed: A tool's schema leads nowhere, or allows no value.
    """
    return _body(GrammarRules(), tools, "json")[1] if tools.specs else ()


def answer_grammar(
    schema: JsonObject, *, tools: OfferedTools, marks: CallMarks, dialect: Literal["json", "xml"]
) -> Grammar:
    """JSON that keeps a schema; or calls of the tools, where there are any.

    Raises:
        ConstraintFailed: A schema leads nowhere, or allows no value.
    """
    rules = GrammarRules()
    answer = SchemaRules(rules, schema)
    root, findings = answer.whole(), tuple(answer.findings)
    if tools.specs:
        body, more = _body(rules, tools, dialect)
        call = rules.add(f"{literal(marks.open)} {body} {literal(marks.close)}")
        root = f"{root} | {call} ({literal(marks.between)} {call}){{0,{MOST_CALLS - 1}}}"
        findings += more
    return Grammar(text=rules.text(root), findings=findings)


def schema_grammar(schema: JsonObject, *, closing: str = "") -> str:
    """GBNF of JSON that keeps `schema`, then `closing`, then nothing.

    Raises:
        ConstraintFailed: The schema leads nowhere, or allows no value.
    """
    rules = GrammarRules()
    return rules.text(f"{SchemaRules(rules, schema).whole()} {literal(closing)}")


def _branch(spec: ToolSpec) -> JsonObject:
    return {
        "type": "object",
        "properties": {"name": {"const": spec.name}, "arguments": _arguments(spec)},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _arguments(spec: ToolSpec) -> JsonObject:
    arguments: dict[str, JsonValue] = {"type": "object", "properties": {}, **spec.parameters}
    arguments.setdefault("additionalProperties", False)
    return arguments


def _body(
    rules: GrammarRules, tools: OfferedTools, dialect: Literal["json", "xml"]
) -> tuple[str, tuple[Finding, ...]]:
    """What stands in a rule for the body of a call of any tool."""
    make: Callable[[GrammarRules, ToolSpec, SchemaRules], str] = (
        _json_body if dialect == "json" else _xml_body
    )
    bodies: list[str] = []
    findings: list[Finding] = []
    for index, spec in enumerate(tools.specs):
        schemas = SchemaRules(rules, _arguments(spec), where=(index, "function", "parameters"))
        bodies.append(make(rules, spec, schemas))
        findings += schemas.findings
    return rules.either(bodies), tuple(findings)


def _json_body(rules: GrammarRules, spec: ToolSpec, schemas: SchemaRules) -> str:
    named = literal(f'{{"name": {json.dumps(spec.name, ensure_ascii=False)}, "arguments": ')
    return rules.add(f'{named} {schemas.whole()} "}}"')


def _xml_body(rules: GrammarRules, spec: ToolSpec, schemas: SchemaRules) -> str:
    """*Source:* Qwen3-Coder's chat template; texts stand as they are, other values as JSON."""
    arguments = _arguments(spec)
    free = add_text_without(rules, _PARAMETER_CLOSE)
    parts: list[str] = [literal(f"<function={spec.name}>\n")]
    for name, schema, is_required, where in schemas.object_members(arguments, schemas.root):
        value = _xml_value(rules, schemas, schema, where, free)
        opened, closed = literal(f"<parameter={name}>\n"), literal(f"\n{_PARAMETER_CLOSE}\n")
        member = f"{opened} {value} {closed}"
        parts.append(member if is_required else f"({member})?")
    return rules.add(" ".join([*parts, literal("</function>")]))


def _xml_value(
    rules: GrammarRules, schemas: SchemaRules, schema: JsonValue, where: tuple[str | int, ...], free: str
) -> str:
    """A value of the XML form: any text where the schema allows a string, else JSON."""
    schema = schemas.resolved(schema)
    if not isinstance(schema, Mapping):
        return free
    constants = schemas.constants(schema)
    if constants:
        texts = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in constants)
        return rules.either(literal(text) for text in texts)
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list | tuple) and branches:
            return rules.either(
                _xml_value(rules, schemas, branch, (*where, keyword, index), free)
                for index, branch in enumerate(branches)
            )
    kinds = kinds_of(schema)
    if kinds and "string" not in kinds:
        return schemas.value(schema, where)
    schemas.tell_all(schema, where)
    return free

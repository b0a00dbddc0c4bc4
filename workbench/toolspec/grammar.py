"""Convert offered tools to constraints on calls: a JSON Schema for one call, and a grammar for all calls.

Idea. The schema of each tool's arguments is compiled to grammar rules (`schema_rules.py`), and the fixed text
around them is added: `{"name": "get_weather", "arguments": `, the arguments, then the closing tag. The body of a
call is one of the tools' bodies, and a completion is a call followed by up to 15 more.

Invariant. A completed text that follows the grammar is read without a fix, and its arguments fit the schema, apart from
keywords that are reported with `grammar-keyword`. The grammar may allow less than the schema, for example only one
order of keys, but never more without a report.

This schema made the rules for optional keys necessary. Each combination is valid, but no comma may come first or last:

    {"properties": {"city": {}, "days": {}}}   allows {}, {"city": 1}, {"days": 1} and {"city": 1, "days": 1}

Writing out all combinations doubles the grammar with each key. Instead each key has one rule, and two variants of what
comes before it: with a comma if another key was written, and without one (`SchemaRules._members`).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.gbnf import GrammarRules, add_text_without, literal
from workbench.toolspec.schema_rules import SchemaRules, kinds_of
from workbench.toolspec.spec import OfferedTools, ToolSpec

MAX_CALLS: Final = 16
"""Limit on the calls of a completion under a grammar. Otherwise a small model may continue forever."""
_PARAMETER_CLOSE: Final = "</parameter>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """A grammar that constrains a completion."""

    text: str
    """GBNF whose first rule is `root`."""
    findings: tuple[Finding, ...]
    """Keywords of the schemas that it cannot enforce. Pointers lead into the array of specs or the answer's schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallMarks:
    """The text around the bodies of calls."""

    open: str
    """Written before a body, such as `<tool_call>` and a newline."""
    close: str
    between: str
    """Written between two calls."""


def call_schema(tools: OfferedTools) -> JsonObject:
    """Return the JSON Schema of `{"name", "arguments"}`, with one branch per tool and its name as a constant.

    An arguments schema without `additionalProperties` is closed here. Otherwise the model could invent parameters.

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
    """Return a grammar of one or more calls and nothing else.

    Args:
        tools: The tools that may be called, at least one.
        marks: The text around a call.
        dialect: The form of a call's body.
        begins_open: Whether the prompt already ends with the first call's `open`.

    Raises:
        ConstraintFailed: A schema has a broken reference, allows no value, or is too large.
    """
    rules = GrammarRules()
    body, findings = _body(rules, tools, dialect)
    call = rules.add(f"{body} {literal(marks.close)}")
    more = f"({literal(marks.between + marks.open)} {call}){{0,{MAX_CALLS - 1}}}"
    opened = "" if begins_open else literal(marks.open) + " "
    return Grammar(text=rules.text(f"{opened}{call} {more}"), findings=findings)


def unsupported_keywords(tools: OfferedTools) -> tuple[Finding, ...]:
    """Return the keywords of the tools' schemas that no grammar can enforce. Empty without tools.

    Raises:
        ConstraintFailed: A schema has a broken reference, allows no value, or is too large.
    """
    return _body(GrammarRules(), tools, "json")[1] if tools.specs else ()


def answer_grammar(
    schema: JsonObject, *, tools: OfferedTools, marks: CallMarks, dialect: Literal["json", "xml"]
) -> Grammar:
    """Return a grammar of JSON that fits a schema or, if there are tools, of calls instead.

    Raises:
        ConstraintFailed: A schema has a broken reference, allows no value, or is too large.
    """
    rules = GrammarRules()
    answer = SchemaRules(rules, schema)
    root, findings = answer.whole(), tuple(answer.findings)
    if tools.specs:
        body, more = _body(rules, tools, dialect)
        call = rules.add(f"{literal(marks.open)} {body} {literal(marks.close)}")
        root = f"{root} | {call} ({literal(marks.between)} {call}){{0,{MAX_CALLS - 1}}}"
        findings += more
    return Grammar(text=rules.text(root), findings=findings)


def schema_grammar(schema: JsonObject, *, closing: str = "") -> str:
    """Return GBNF of JSON that fits `schema`, followed by `closing` and nothing else.

    Raises:
        ConstraintFailed: The schema has a broken reference, allows no value, or is too large.
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
    """Return the name of the rule for the body of a call of any tool, and the keywords that it cannot enforce."""
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
    """Return the rule for an XML body: text unchanged, other values as JSON. *Source:* Qwen3-Coder chat template."""
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
    """Return the rule for a value of the XML form: any text if the schema allows a string, otherwise JSON."""
    schema = schemas.resolved(schema)
    if not isinstance(schema, Mapping):
        return free
    constants = schemas.constants(schema)
    if constants:
        texts = (
            constant if isinstance(constant, str) else json.dumps(constant, ensure_ascii=False)
            for constant in constants
        )
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
    schemas.report_all(schema, where)
    return free

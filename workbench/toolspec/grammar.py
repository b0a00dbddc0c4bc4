"""Convert offered tools to constraints on calls: a JSON Schema for one call, and a grammar for all calls.

Idea. The schema of each tool's arguments is compiled to grammar rules (`schema_rules.py`), and the fixed text
around them is added: `{"name": "get_weather", "arguments": `, the arguments, then the closing tag. The body of a
call is one of the tools' bodies, and a completion is a call followed by up to 15 more.

Invariant. A completed text that follows the grammar is read without a fix, and its arguments fit the schema, apart from
keywords that are reported with `grammar-keyword`. The grammar may allow less than the schema, for example only one
order of keys, but never more without a report.

Tools for which no grammar can be made are left out and reported, so that one of them does not keep a model from calling
the others.
"""

import json
from dataclasses import dataclass
from typing import Final, Literal

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.short_text import shortened
from workbench.errors import ConstraintFailed
from workbench.toolspec.gbnf import GrammarRules, literal
from workbench.toolspec.normal_schema import normal_schema
from workbench.toolspec.schema_rules import SchemaRules
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.xml_rules import XmlRules

MAX_CALLS: Final = 16
"""Limit on the calls of a completion under a grammar. Otherwise a small model may continue forever."""
_TOO_DEEP: Final = "the schema is nested too deeply"
MAX_LEFT_OUT: Final = 3
"""A grammar is not made without more tools than this, because each may take long to fail."""
_WITH_MORE_KEYS: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "$ref", "if", "dependencies", "dependentSchemas", "dependentRequired"}
    | {"patternProperties", "minProperties", "unevaluatedProperties"}
)
"""Keywords beside which an object may need keys that its own `properties` do not declare."""


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
    answer = _of_answer(rules, schema)
    root, findings = _whole(answer), answer.findings
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
    return rules.text(f"{_whole(_of_answer(rules, schema))} {literal(closing)}")


def _of_answer(rules: GrammarRules, schema: JsonObject) -> SchemaRules:
    normal = normal_schema(schema)
    return SchemaRules(rules, normal.schema, draft=normal.draft)


def _whole(schemas: SchemaRules) -> str:
    try:
        return schemas.whole()
    except RecursionError as error:
        raise ConstraintFailed(_TOO_DEEP) from error


def _branch(spec: ToolSpec) -> JsonObject:
    return {
        "type": "object",
        "properties": {"name": {"const": spec.name}, "arguments": _arguments(spec)},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _arguments(spec: ToolSpec) -> JsonObject:
    """Return the schema of the arguments, closed if it does not say otherwise and if no other schema has more keys."""
    arguments: dict[str, JsonValue] = {"type": "object", "properties": {}, **spec.schema}
    if arguments.keys().isdisjoint(_WITH_MORE_KEYS) and set(spec.required) <= set(spec.properties):
        arguments.setdefault("additionalProperties", False)
    return arguments


def _body(
    rules: GrammarRules, tools: OfferedTools, dialect: Literal["json", "xml"]
) -> tuple[str, tuple[Finding, ...]]:
    """Return the name of the rule for the body of a call of any tool, and the keywords that it cannot enforce.

    A tool whose schema allows no value is left out and reported, if there are others.
    """
    make = _json_body if dialect == "json" else XmlRules(rules).body
    bodies: list[str] = []
    findings: list[Finding] = []
    left_out = 0
    for index, spec in enumerate(tools.specs):
        schemas = SchemaRules(
            rules, _arguments(spec), draft=spec.normal.draft, where=(index, "function", "parameters")
        )
        before = rules.state()
        try:
            bodies.append(make(rules, spec, schemas))
        except (ConstraintFailed, RecursionError) as error:
            failed = error if isinstance(error, ConstraintFailed) else ConstraintFailed(_TOO_DEEP)
            left_out += 1
            if left_out == len(tools.specs) or left_out > MAX_LEFT_OUT:
                raise failed from error
            rules.reset(before)
            message = f"the grammar leaves out the tool {spec.name[:20]!r}: {failed.reason}"
            findings.append(
                Finding(code="grammar-failed", message=shortened(message), severity=Severity.WARNING)
            )
        else:
            findings += schemas.findings
    return rules.either(bodies), tuple(findings)


def _json_body(rules: GrammarRules, spec: ToolSpec, schemas: SchemaRules) -> str:
    named = literal(f'{{"name": {json.dumps(spec.name, ensure_ascii=False)}, "arguments": ')
    return rules.add(f'{named} {schemas.whole()} "}}"')

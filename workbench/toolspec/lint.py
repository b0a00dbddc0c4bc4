"""Lint valid tool specs: find what makes models call tools wrongly."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import combinations, islice
from typing import Final

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, pointer
from workbench.chat.short_text import shortened
from workbench.toolspec.lint_schemas import SCHEMA_CODES, lint_schemas
from workbench.toolspec.spec import OfferedTools, ToolSpec, canonical_json
from workbench.toolspec.tools_text import check_tools_text, no_tools, parse_tools, render_tools

CODES: Final[Mapping[str, str]] = {
    "tool-no-description": "the tool has no description, so the model only sees its name",
    "parameter-no-description": "a parameter has no description",
    "misread-name": "a name that models confuse with keys of the format or with Python keywords",
    "odd-name": "a name that models often misspell: spaces, dots, capitals in the middle",
    "enum-of-one": "an enum with one value; make it a constant or leave it out",
    "enum-unused": "an enum value that the type does not allow",
    "enum-twice": "a value appears twice in an enum",
    "duplicate-tool": "two tools have the same schema and description",
    "near-equal-names": "two names differ by one letter or a plural",
    "no-type": "a parameter has no type, so models may pass strings instead of numbers",
    **SCHEMA_CODES,
    "long-description": "a description so long that it costs more tokens than it helps",
    "many-tools": "more tools than small models can tell apart",
}
"""Every code with its meaning."""

MANY_TOOLS: Final = 20
LONG_CHARS: Final = 1_000
NEAR: Final = 0.9
"""Two names with at least this share of equal letters count as nearly equal."""
_MISREAD: Final = frozenset(
    {
        "name",
        "arguments",
        "parameters",
        "function",
        "type",
        "tool_call",
        "tool_response",
        "id",
        "none",
        "true",
        "false",
    }
)
_PLAIN_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
_MAX_PAIRS_TOOLS: Final = 300
_MAX_PAIRS: Final = 200
"""Limit on findings about pairs of tools. A hundred tools with similar names have thousands of pairs."""
_LONGEST_NAME: Final = 64
"""Longer names, which no API accepts, are not compared, because that takes quadratic time."""


def lint_tools(tools: OfferedTools) -> tuple[Finding, ...]:
    """Return suggestions for a list of tools. Pointers start with the tool's index in the list."""
    findings = [
        _placed(finding, index) for index, spec in enumerate(tools.specs) for finding in lint_spec(spec)
    ]
    if len(tools.specs) > MANY_TOOLS:
        findings.append(_warning("many-tools", f"{len(tools.specs)} tools are offered", ""))
    return (*findings, *islice(_pairs(tools), _MAX_PAIRS))


def check_tools(text: str) -> tuple[Finding, ...]:
    """Return everything that there is to say about a text of tools. Suggestions come only if all tools can be used."""
    findings = check_tools_text(text)
    if any(finding.severity is Severity.ERROR for finding in findings):
        return findings
    tools = parse_tools(text)
    return (*findings, *lint_tools(tools)) if tools.specs else (no_tools(),)


def check_offered(tools: OfferedTools) -> tuple[Finding, ...]:
    """Return everything that there is to say about tools that come from no text. Findings have no lines."""
    return tuple(replace(finding, line=None) for finding in check_tools(render_tools(tools)))


def lint_spec(spec: ToolSpec) -> tuple[Finding, ...]:
    """Return suggestions for one spec. Pointers lead into its document."""
    of_parameters = (finding for name in spec.properties for finding in _of_parameter(spec, name))
    return (*_of_tool(spec), *of_parameters, *lint_schemas(spec))


def _of_tool(spec: ToolSpec) -> Iterator[Finding]:
    if not spec.description.strip():
        yield _warning("tool-no-description", f"{spec.name!r} has no description", "/function/description")
    elif len(spec.description) > LONG_CHARS:
        text = f"the description of {spec.name!r} has {len(spec.description)} characters"
        yield _warning("long-description", text, "/function/description")
    if spec.name.lower() in _MISREAD:
        yield _warning("misread-name", f"{spec.name!r} is a keyword of the format", "/function/name")
    elif not _PLAIN_NAME.fullmatch(spec.name):
        yield _note(
            "odd-name", f"{spec.name!r}: models write lower-case letters and _ best", "/function/name"
        )


def _of_parameter(spec: ToolSpec, name: str) -> Iterator[Finding]:
    schema = spec.properties[name]
    where = "/function/parameters/properties" + pointer([name])
    if not schema.get("description"):
        yield _note("parameter-no-description", f"{name!r} has no description", where)
    if name.lower() in _MISREAD - {"name", "id", "type"}:
        yield _warning("misread-name", f"{name!r} is a keyword of the format", where)
    elif not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name):
        yield _note("odd-name", f"{name!r}: models write letters, digits and _ best", where)
    if not {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"} & set(schema):
        yield _warning("no-type", f"{name!r} has no type", where)
    yield from _of_enum(name, schema, where)


def _of_enum(name: str, schema: JsonObject, where: str) -> Iterator[Finding]:
    values = schema.get("enum")
    if not isinstance(values, list | tuple):
        return
    texts = [canonical_json(value) for value in values]
    if len(values) == 1:
        yield _note("enum-of-one", f"{name!r} can only be {texts[0][:30]}", f"{where}/enum")
    if len(set(texts)) < len(texts):
        yield _warning("enum-twice", f"a value of {name!r} appears twice", f"{where}/enum")
    unused = [text for text, value in zip(texts, values, strict=True) if not _is_of_type(value, schema)]
    if unused:
        yield _warning("enum-unused", f"{unused[0][:30]} of {name!r} is not of its type", f"{where}/enum")


def _is_of_type(value: JsonValue, schema: JsonObject) -> bool:
    named = schema.get("type")
    kinds = [named] if isinstance(named, str) else named if isinstance(named, list | tuple) else []
    checks = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "null": value is None,
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "array": isinstance(value, list | tuple),
        "object": isinstance(value, Mapping),
    }
    return not kinds or any(checks.get(str(kind), True) for kind in kinds)


def _pairs(tools: OfferedTools) -> Iterator[Finding]:
    numbered = list(enumerate(tools.specs))[:_MAX_PAIRS_TOOLS]
    bodies = [_body(spec) for _, spec in numbered]
    for (first_index, first), (index, second) in combinations(numbered, 2):
        where = f"/{index}/function/name"
        if first.description and bodies[first_index] == bodies[index]:
            yield _warning(
                "duplicate-tool", f"{first.name!r} and {second.name!r} are equal except for the name", where
            )
        elif first.name != second.name and _is_near(first.name, second.name):
            yield _warning(
                "near-equal-names", f"{first.name!r} and {second.name!r} are easily confused", where
            )


def _body(spec: ToolSpec) -> str:
    return canonical_json({key: value for key, value in spec.function.items() if key != "name"})


def _is_near(first: str, second: str) -> bool:
    left, right = (re.sub(r"[^a-z0-9]", "", name.lower()) for name in (first, second))
    if left == right or left + "s" == right or right + "s" == left:
        return True
    if not 4 < len(left) <= _LONGEST_NAME or not 4 < len(right) <= _LONGEST_NAME:
        return False
    matcher = SequenceMatcher(None, left, right)
    # The quick ratios are never lower than the true ratio, and they rule out most pairs.
    return all(ratio() >= NEAR for ratio in (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio))


def _placed(finding: Finding, index: int) -> Finding:
    return Finding(
        code=finding.code,
        message=finding.message,
        severity=finding.severity,
        pointer=f"/{index}{finding.pointer}",
    )


def _warning(code: str, message: str, pointer: str) -> Finding:
    return Finding(code=code, message=shortened(message), severity=Severity.WARNING, pointer=pointer)


def _note(code: str, message: str, pointer: str) -> Finding:
    return Finding(code=code, message=shortened(message), severity=Severity.NOTE, pointer=pointer)

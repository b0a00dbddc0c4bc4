"""Import tools from chat APIs and MCP, and export to them.

*Source:* OpenAI chat completions and responses; Anthropic messages (`input_schema`); Gemini
(`functionDeclarations`, with types in upper case); MCP 2025-06-18 (`tools/list`, `inputSchema`),
https://modelcontextprotocol.io/specification
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object, pointer
from workbench.chat.short_text import shortened
from workbench.toolspec.spec import OfferedTools, ToolSpec

SCHEMA_KEYS: Final[Mapping[str, str]] = {"anthropic": "input_schema", "mcp": "inputSchema"}
"""The key of the arguments' schema, by format. It is `parameters` in the others."""
_KNOWN_KEYS: Final = frozenset(
    {
        "type",
        "function",
        "name",
        "description",
        "parameters",
        "input_schema",
        "inputSchema",
        "strict",
        "title",
    }
)
_NULLABLE: Final = "nullable"


class ReadEntry(NamedTuple):
    """A tool that was read from one of the formats."""

    spec: ToolSpec
    form: str
    findings: tuple[Finding, ...]


def entries_of(value: JsonValue) -> Iterator[tuple[tuple[str | int, ...], JsonValue]]:
    """Yield the tools of a list, or of an object that contains one, each with its position."""
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            inner = as_object(item)
            declared = inner.get("functionDeclarations") or inner.get("function_declarations")
            if declared is None:
                yield (index,), item
                continue
            key = "functionDeclarations" if "functionDeclarations" in inner else "function_declarations"
            yield from (((index, key, *place), entry) for place, entry in entries_of(declared))
        return
    fields = as_object(value)
    for key in ("tools", "functions", "functionDeclarations", "function_declarations", "result"):
        if isinstance(fields.get(key), list | Mapping):
            yield from (((key, *place), entry) for place, entry in entries_of(fields[key]))
            return
    if "name" in fields or "function" in fields:
        yield (), value


def read_entry(entry: JsonObject, place: Sequence[str | int]) -> ReadEntry:
    """Read one tool in any of the supported formats."""
    where = pointer(list(place))
    wrapped = entry.get("function")
    if isinstance(wrapped, Mapping):
        form = _form_of(wrapped) if "parameters" not in wrapped else "bare"
        written = SCHEMA_KEYS.get(form)
        function = {"parameters" if key == written else key: value for key, value in wrapped.items()}
        document = {"type": "function", **entry, "function": function}
        return ReadEntry(ToolSpec(document=document), "openai" if written is None else form, ())
    form = _form_of(entry)
    schema = as_object(entry.get(SCHEMA_KEYS.get(form, "parameters")))
    if form == "bare" and _is_gemini(schema):
        form, schema = "gemini", as_object(_lowered(schema))
    if form == "bare" and entry.get("type") == "function":
        form = "openai"
    function = {"name": entry.get("name", "")}
    if entry.get("description"):
        function["description"] = entry["description"]
    function["parameters"] = schema or {"type": "object", "properties": {}}
    if "strict" in entry:
        function["strict"] = entry["strict"]
    lost = [key for key in entry if key not in _KNOWN_KEYS]
    findings = tuple(warn_of_loss(f"the key {key!r} was left out", f"{where}/{key}") for key in lost)
    return ReadEntry(ToolSpec.of_function(function), form, findings)


def _form_of(function: JsonObject) -> str:
    """Return the form whose key of the arguments' schema a function has, otherwise `bare`."""
    return next((form for form, key in SCHEMA_KEYS.items() if key in function), "bare")


def _is_gemini(schema: JsonObject) -> bool:
    kind = schema.get("type")
    return isinstance(kind, str) and kind.isupper()


def _lowered(schema: JsonValue) -> JsonValue:
    """Convert Gemini's schema to JSON Schema: types in lower case, `nullable` as a type."""
    if isinstance(schema, list | tuple):
        return [_lowered(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    converted: dict[str, JsonValue] = {}
    for key, value in schema.items():
        if key == "properties":
            converted[key] = {name: _lowered(inner) for name, inner in as_object(value).items()}
        elif key == "type" and isinstance(value, str):
            converted[key] = value.lower()
        elif key not in (_NULLABLE, "propertyOrdering"):
            converted[key] = _lowered(value) if key in ("items", "anyOf") else value
    if schema.get(_NULLABLE) is True and isinstance(converted.get("type"), str):
        converted["type"] = [converted["type"], "null"]
    return converted


def write_tools(specs: Sequence[ToolSpec], form: str) -> JsonValue:
    """Write the specs in another format.

    Args:
        form: `openai`, `bare`, `anthropic`, `gemini` or `mcp`.
    """
    written = [_WRITERS[form](spec) for spec in specs]
    if form == "gemini":
        return [{"functionDeclarations": written}]
    return {"tools": written} if form == "mcp" else written


def _named(spec: ToolSpec, key: str, schema: JsonValue) -> JsonObject:
    described: dict[str, JsonValue] = {"description": spec.description} if spec.description else {}
    return {"name": spec.name, **described, key: schema}


def _capitals(schema: JsonValue) -> JsonValue:
    if isinstance(schema, list | tuple):
        return [_capitals(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    converted: dict[str, JsonValue] = {}
    for key, value in schema.items():
        if key == "properties":
            converted[key] = {name: _capitals(inner) for name, inner in as_object(value).items()}
        elif key == "type" and isinstance(value, list):
            kinds = [str(kind) for kind in value if kind != "null"]
            converted |= {"type": kinds[0].upper() if kinds else "STRING", _NULLABLE: "null" in value}
        elif key == "type":
            converted[key] = str(value).upper()
        elif key not in ("additionalProperties", "$schema"):
            converted[key] = _capitals(value) if key in ("items", "anyOf") else value
    return converted


def _object_schema(spec: ToolSpec) -> JsonObject:
    return spec.parameters or {"type": "object", "properties": {}}


_WRITERS: Final[Mapping[str, Callable[[ToolSpec], JsonObject]]] = {
    "openai": lambda spec: spec.document,
    "bare": lambda spec: spec.function,
    "anthropic": lambda spec: _named(spec, "input_schema", _object_schema(spec)),
    "gemini": lambda spec: _named(spec, "parameters", _capitals(_object_schema(spec))),
    "mcp": lambda spec: _named(spec, "inputSchema", _object_schema(spec)),
}
FORMS: Final = tuple(_WRITERS)
"""Formats in which specs can be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTools:
    """Imported tools, and what was lost."""

    tools: OfferedTools
    """In the order of the original."""
    form: str
    """Format of the original: `openai`, `bare`, `anthropic`, `gemini`, `mcp`, `openapi`, `python` or `mixed`."""
    findings: tuple[Finding, ...] = ()
    """What was left out or changed. Pointers lead into the original."""


def warn_of_loss(message: str, pointer: str) -> Finding:
    """Return a warning about something that the import left out or changed."""
    return Finding(code="import-loss", message=shortened(message), severity=Severity.WARNING, pointer=pointer)

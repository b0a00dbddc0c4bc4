"""Import tools from chat APIs and MCP, and export to them.

*Source:* OpenAI chat completions and responses, Anthropic messages (`input_schema`), Gemini
(`functionDeclarations`, types in capitals), MCP 2025-06-18 (`tools/list`, `inputSchema`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.toolspec.check import pointer
from workbench.toolspec.spec import OfferedTools, ToolSpec

_SCHEMA_KEYS: Final = {"anthropic": "input_schema", "mcp": "inputSchema"}
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
    """One tool of a list."""

    spec: ToolSpec
    form: str
    findings: tuple[Finding, ...]


def entries_of(value: JsonValue) -> Iterator[tuple[tuple[str | int, ...], JsonValue]]:
    """The tools of a list or a wrapper around one, each with its place; nothing where there are none."""
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            inner = as_object(item)
            declared = inner.get("functionDeclarations") or inner.get("function_declarations")
            if declared is None:
                yield (index,), item
                continue
            key = "functionDeclarations" if "functionDeclarations" in inner else "function_declarations"
            yield from (((index, key, *place), one) for place, one in entries_of(declared))
        return
    fields = as_object(value)
    for key in ("tools", "functions", "functionDeclarations", "function_declarations", "result"):
        if isinstance(fields.get(key), list | Mapping):
            yield from (((key, *place), one) for place, one in entries_of(fields[key]))
            return
    if "name" in fields or "function" in fields:
        yield (), value


def read_entry(entry: JsonObject, place: Sequence[str | int]) -> ReadEntry:
    """One tool in whichever of the forms it is in."""
    where = pointer(list(place))
    if isinstance(entry.get("function"), Mapping):
        return ReadEntry(ToolSpec(document={"type": "function", **entry}), "openai", ())
    form = next((name for name, key in _SCHEMA_KEYS.items() if key in entry), "bare")
    schema = as_object(entry.get(_SCHEMA_KEYS.get(form, "parameters")))
    if form == "bare" and _is_gemini(schema):
        form, schema = "gemini", as_object(_lowered(schema))
    if form == "bare" and entry.get("type") == "function":
        form = "openai"
    function: dict[str, JsonValue] = {"name": entry.get("name", "")}
    if entry.get("description"):
        function["description"] = entry["description"]
    function["parameters"] = schema or {"type": "object", "properties": {}}
    if "strict" in entry:
        function["strict"] = entry["strict"]
    lost = [key for key in entry if key not in _KNOWN_KEYS]
    findings = tuple(loss(f"{key!r} is not kept", f"{where}/{key}") for key in lost)
    return ReadEntry(ToolSpec.of_function(function), form, findings)


def _is_gemini(schema: JsonObject) -> bool:
    kind = schema.get("type")
    return isinstance(kind, str) and kind.isupper()


def _lowered(schema: JsonValue) -> JsonValue:
    """Gemini's schema as JSON Schema: types in small letters, `nullable` as a type."""
    if isinstance(schema, list | tuple):
        return [_lowered(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    made: dict[str, JsonValue] = {}
    for key, value in schema.items():
        if key == "properties":
            made[key] = {name: _lowered(inner) for name, inner in as_object(value).items()}
        elif key == "type" and isinstance(value, str):
            made[key] = value.lower()
        elif key not in (_NULLABLE, "propertyOrdering"):
            made[key] = _lowered(value) if key in ("items", "anyOf") else value
    if schema.get(_NULLABLE) is True and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
    return made


def write_tools(specs: Sequence[ToolSpec], form: str) -> JsonValue:
    """The specs in another form.

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
    made: dict[str, JsonValue] = {}
    for key, value in schema.items():
        if key == "properties":
            made[key] = {name: _capitals(inner) for name, inner in as_object(value).items()}
        elif key == "type" and isinstance(value, list):
            kinds = [str(kind) for kind in value if kind != "null"]
            made |= {"type": kinds[0].upper() if kinds else "STRING", _NULLABLE: "null" in value}
        elif key == "type":
            made[key] = str(value).upper()
        elif key not in ("additionalProperties", "$schema"):
            made[key] = _capitals(value) if key in ("items", "anyOf") else value
    return made


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
"""Forms that specs can be written in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTools:
    """Tools that were read, and what of the original they do not keep."""

    tools: OfferedTools
    """In the order of the original."""
    form: str
    """Which form it was: `openai`, `bare`, `anthropic`, `gemini`, `mcp`, `openapi`, `python` or `mixed`."""
    findings: tuple[Finding, ...] = ()
    """What was left out or put otherwise; pointers lead into the original."""


def loss(message: str, pointer: str) -> Finding:
    """A note of what the spec does not keep."""
    return Finding(code="import-loss", message=message[:99], severity=Severity.WARNING, pointer=pointer)

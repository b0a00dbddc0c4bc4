"""Read xLAM's function-calling rows: a query, tools and answers, each as JSON text."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.toolspec.spec import ToolSpec
from workbench.trajectory.declared_tools import read_column
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.row import Declaration, EntryCall, RowEntry, RowFinding, TrainingRow

_OWN: Final = frozenset({"query", "tools", "answers"})
_TYPES: Final[Mapping[str, str]] = {
    "str": "string",
    "string": "string",
    "int": "integer",
    "integer": "integer",
    "float": "number",
    "number": "number",
    "complex": "string",
    "bool": "boolean",
    "boolean": "boolean",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "array": "array",
    "dict": "object",
    "object": "object",
}
"""Python's type names, in lower case, to those of JSON Schema.

*Source:* rows of Salesforce/xlam-function-calling-60k."""
_TYPE: Final = re.compile(r"\s*+(?P<word>\w+)\s*+(?:\[(?P<inside>.*)\])?\s*+", re.DOTALL)
_OPTIONAL: Final = re.compile(r",\s*optional\b.*", re.IGNORECASE | re.DOTALL)


def schema_of(parameters: JsonObject) -> JsonObject:
    """Convert xLAM's flat parameters to a JSON Schema; return a schema unchanged.

    >>> schema_of({"a": {"type": "int, optional", "default": "1"}, "b": {"type": "List[str]"}})["required"]
    ['b']
    """
    if parameters.get("type") == "object" and isinstance(parameters.get("properties"), Mapping | None):
        return parameters
    declared = {name: as_object(parameter) for name, parameter in parameters.items()}
    return {
        "type": "object",
        "properties": {name: _property(parameter) for name, parameter in declared.items()},
        "required": [name for name, parameter in declared.items() if not _is_optional(parameter)],
    }


def _is_optional(parameter: JsonObject) -> bool:
    kind = str(parameter.get("type"))
    return bool(_OPTIONAL.search(kind)) or kind.startswith("Optional") or "default" in parameter


def _property(parameter: JsonObject) -> JsonObject:
    written = parameter.get("type")
    schema: dict[str, JsonValue] = {**parameter}
    if isinstance(written, str):
        schema |= _type(_OPTIONAL.sub("", written))
    default = parameter.get("default")
    if isinstance(default, str) and schema.get("type") not in ("string", None):
        schema["default"] = _loaded_or(default, default)
    return schema


def _type(written: str) -> JsonObject:
    """Convert a Python type name to a schema; empty if the type is unknown."""
    match = _TYPE.fullmatch(written)
    word = match["word"].lower() if match else ""
    inside = (match["inside"] if match else None) or ""
    if word == "optional":
        return _type(inside)
    kind = _TYPES.get(word)
    if kind == "array" and inside and "," not in inside:
        return {"type": "array", "items": _type(inside)}
    return {"type": kind} if kind else {}


def _read(row: JsonObject) -> TrainingRow:
    findings: list[RowFinding] = []
    query = row.get("query")
    if not isinstance(query, str):
        message = "the row has no text in `query`"
        findings.append(RowFinding(code="missing-field", message=message, entry=0, pointer="/query"))
    calls = tuple(_calls(row.get("answers"), findings))
    entries = (
        RowEntry(
            place=0,
            pointer="/query",
            role=Role.USER,
            speaker="query",
            text=query if isinstance(query, str) else "",
            text_pointer="/query",
        ),
        RowEntry(
            place=1,
            pointer="/answers",
            role=Role.ASSISTANT,
            speaker="answers",
            text="",
            text_pointer="/answers",
            calls=calls,
        ),
    )
    return TrainingRow(
        format="xlam",
        fields=row,
        entries=entries,
        declarations=tuple(map(_as_schemas, read_column(row.get("tools"), "/tools", findings))),
        columns={key: value for key, value in row.items() if key not in _OWN},
        findings=tuple(findings),
    )


def _as_schemas(declared: Declaration) -> Declaration:
    return replace(declared, specs=tuple(map(_spec, declared.specs)))


def _spec(spec: ToolSpec) -> ToolSpec:
    function = {**spec.function, "parameters": schema_of(spec.parameters)}
    return ToolSpec(document={**spec.document, "function": function})


def _calls(value: JsonValue, findings: list[RowFinding]) -> Iterator[EntryCall]:
    answers = _loaded_or(value, None) if isinstance(value, str) else value
    if not isinstance(answers, list):
        message = "`answers` is not a JSON list of calls"
        findings.append(RowFinding(code="call-unreadable", message=message, entry=1, pointer="/answers"))
        return
    for answer in cast(Sequence[JsonValue], answers):
        fields = as_object(answer)
        name, arguments = fields.get("name"), fields.get("arguments")
        problem = (
            ""
            if isinstance(name, str) and isinstance(arguments, dict)
            else "a call has no name or no arguments"
        )
        if problem:
            findings.append(RowFinding(code="call-unreadable", message=problem, entry=1, pointer="/answers"))
        yield EntryCall(
            name=name if isinstance(name, str) else "",
            arguments=arguments if isinstance(arguments, dict) else None,
            pointer="/answers",
            arguments_pointer="/answers",
            problem=problem,
        )


def _loaded_or(text: str, other: JsonValue) -> JsonValue:
    try:
        return cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        return other


XLAM: Final = RowFormat(
    name="xlam",
    title="rows of Salesforce/xlam-function-calling-60k",
    fits=lambda row: "query" in row and "answers" in row,
    read=_read,
)

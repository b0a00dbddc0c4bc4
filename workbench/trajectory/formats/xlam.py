"""Read xLAM's function-calling rows: a query, tools and answers, each as JSON text."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.body.shape import other_members
from workbench.hermes.spelling.tools import template_json
from workbench.toolspec.python_types import is_optional, type_of
from workbench.toolspec.spec import ToolSpec
from workbench.toolspec.spec_repairs import json_schema_of
from workbench.trajectory.declared_tools import read_column, schema_changes
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.hermes_text import read_tolerantly, tagged
from workbench.trajectory.row import (
    NO_ARGUMENTS,
    Declaration,
    EntryCall,
    RowEntry,
    RowFinding,
    TrainingRow,
    is_blank,
)

_OWN: Final = frozenset({"query", "tools", "answers"})


def schema_of(parameters: JsonObject) -> JsonObject:
    """Convert xLAM's flat parameters to a JSON Schema; return a schema unchanged.

    >>> schema_of({"a": {"type": "int, optional", "default": "1"}, "b": {"type": "List[str]"}})["required"]
    ['b']
    """
    is_schema = isinstance(parameters.get("properties"), Mapping | None)
    if is_schema and parameters.get("type") in ("object", "dict"):
        return json_schema_of(parameters)
    declared = {name: as_object(parameter) for name, parameter in parameters.items()}
    return {
        "type": "object",
        "properties": {name: _property(parameter) for name, parameter in declared.items()},
        "required": [name for name, parameter in declared.items() if not is_optional(parameter)],
    }


def _property(parameter: JsonObject) -> JsonObject:
    written = parameter.get("type")
    schema: dict[str, JsonValue] = {**parameter}
    if isinstance(written, str):
        schema |= type_of(written)
    default = parameter.get("default")
    if isinstance(default, str) and schema.get("type") not in ("string", None):
        schema["default"] = _loaded_or(default, default)
    return schema


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
            tagged_text=_tagged(row.get("answers"), calls),
        ),
    )
    declared = read_column(row.get("tools"), "/tools", findings)
    declarations = tuple(map(_as_schemas, declared))
    return TrainingRow(
        format="xlam",
        fields=row,
        entries=entries,
        declarations=declarations,
        changes=tuple(schema_changes(declared, declarations)),
        columns={key: value for key, value in row.items() if key not in _OWN},
        findings=tuple(findings),
    )


def _as_schemas(declared: Declaration) -> Declaration:
    return replace(declared, specs=tuple(map(_spec, declared.specs)))


def _spec(spec: ToolSpec) -> ToolSpec:
    parameters = schema_of(spec.parameters)
    if parameters is spec.parameters:
        return spec
    return ToolSpec(document={**spec.document, "function": {**spec.function, "parameters": parameters}})


def _calls(value: JsonValue, findings: list[RowFinding]) -> Iterator[EntryCall]:
    answers = _loaded_or(value, None) if isinstance(value, str) else value
    if not isinstance(answers, list):
        tolerant = read_tolerantly(value) if isinstance(value, str) else None
        if tolerant is None:
            yield _unreadable("`answers` is not a JSON list of calls", findings)
            return
        for call in tolerant.calls:
            yield EntryCall.in_text(
                "/answers", call.name, call.arguments, fixes=tolerant.fixes, others=call.others
            )
        return
    for answer in cast(Sequence[JsonValue], answers):
        fields = as_object(answer)
        name, arguments = fields.get("name"), fields.get("arguments")
        if isinstance(name, str) and isinstance(arguments, dict):
            yield EntryCall.in_text("/answers", name, arguments, others=other_members(fields))
        elif isinstance(name, str) and is_blank(arguments):
            yield replace(_unreadable(NO_ARGUMENTS, findings), name=name, is_bare=True)
        else:
            yield _unreadable("a call has no name or no arguments", findings)


def _unreadable(problem: str, findings: list[RowFinding]) -> EntryCall:
    findings.append(RowFinding(code="call-unreadable", message=problem, entry=1, pointer="/answers"))
    return EntryCall.in_text("/answers", problem=problem)


def _tagged(value: JsonValue, calls: Sequence[EntryCall]) -> str | None:
    """Return the answers as one text if one of them cannot be parsed as JSON."""
    if not any(call.problem or call.fixes for call in calls):
        return None
    answers = _loaded_or(value, None) if isinstance(value, str) else value
    if not isinstance(answers, list):
        return tagged(value if isinstance(value, str) else template_json(value))
    return "\n".join(tagged(template_json(answer)) for answer in answers)


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

"""Entries of `from` and `value`, calls and thoughts inside the text: Hermes' own data sets and their kin."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import spelled_json
from workbench.trajectory.additions import fill_source, order_results, tell_tools
from workbench.trajectory.declared_tools import read_column, read_system
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.agent import fill_agent_columns, lead_with_thought, tie_results
from workbench.trajectory.formats.shared.results import is_wrapped, read_results
from workbench.trajectory.formats.shared.text_entries import (
    SpellResult,
    bare_result,
    record_result,
    text_entries,
)
from workbench.trajectory.holding import Terms
from workbench.trajectory.losses import (
    drop_ids,
    drop_preference,
    drop_result_names,
    free_columns,
    trim_prose,
)
from workbench.trajectory.row import Declaration, Entry, RowFinding, TrainingRow
from workbench.trajectory.trajectory import Trajectory

SPEAKERS: Final[Mapping[str, Role]] = {
    "system": Role.SYSTEM,
    "human": Role.USER,
    "user": Role.USER,
    "gpt": Role.ASSISTANT,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
}
"""The `from` of an entry to its role."""
WRITTEN: Final = {Role.SYSTEM: "system", Role.USER: "human", Role.ASSISTANT: "gpt", Role.TOOL: "tool"}
"""Role to the `from` that is written."""
_OWN: Final = ("conversations", "tools")


class _Spelled(NamedTuple):
    """How one of the formats differs."""

    name: str
    has_records: bool


def conversation_of(row: JsonObject) -> Sequence[JsonValue]:
    """The row's `conversations`; empty where it is no list."""
    given = row.get("conversations")
    return given if isinstance(given, list) else []


def speaks(row: JsonObject) -> bool:
    """Whether the row's conversation is made of `from` and `value`."""
    entries = conversation_of(row)
    return bool(entries) and any("from" in as_object(entry) for entry in entries)


def _read(row: JsonObject, spelled: _Spelled) -> TrainingRow:
    findings: list[RowFinding] = []
    if not isinstance(row.get("conversations"), list):
        message = "no list of entries: the row needs `conversations`"
        findings.append(RowFinding(code="missing-field", message=message, pointer="/conversations"))
    entries = tuple(
        _entry(value, place, spelled, findings) for place, value in enumerate(conversation_of(row))
    )
    return TrainingRow(
        format=spelled.name,
        fields=row,
        entries=entries,
        spells_calls=True,
        declarations=tuple(_declarations(row, entries, findings)),
        columns={key: value for key, value in row.items() if key not in _OWN},
        findings=tuple(findings),
    )


def _declarations(
    row: JsonObject, entries: Sequence[Entry], findings: list[RowFinding]
) -> Iterator[Declaration]:
    yield from read_column(row.get("tools"), "/tools", findings)
    for entry in entries:
        if entry.role is Role.SYSTEM:
            yield from read_system(entry.text, entry.text_pointer, entry.place, findings)


def _entry(value: JsonValue, place: int, spelled: _Spelled, findings: list[RowFinding]) -> Entry:
    pointer = f"/conversations/{place}"
    fields = as_object(value)
    speaker, text = fields.get("from"), fields.get("value")
    role = SPEAKERS.get(speaker) if isinstance(speaker, str) else None
    if role is None:
        message = f"{speaker!r:.40} is no speaker of {spelled.name}: {', '.join(SPEAKERS)}"
        findings.append(
            RowFinding(code="unknown-role", message=message, entry=place, pointer=f"{pointer}/from")
        )
    if not isinstance(text, str):
        message = "the entry has no text in `value`"
        findings.append(
            RowFinding(code="missing-field", message=message, entry=place, pointer=f"{pointer}/value")
        )
        text = ""
    if role is Role.USER and is_wrapped(text):
        role = Role.TOOL
    results = ()
    if role is Role.TOOL:
        results = read_results(text, f"{pointer}/value", has_records=spelled.has_records)
    return Entry(
        place=place,
        pointer=pointer,
        role=role,
        speaker=str(speaker),
        text=text,
        text_pointer=f"{pointer}/value",
        results=results,
        is_trained=_is_trained(fields),
    )


def _is_trained(fields: JsonObject) -> bool | None:
    """*Source:* Axolotl's `train`, Hermes-2 data's `weight`."""
    for name in ("train", "weight"):
        given = fields.get(name)
        if isinstance(given, bool | int):
            return bool(given)
    return None


def _reader(name: str, *, has_records: bool) -> Callable[[JsonObject], TrainingRow]:
    return lambda row: _read(row, _Spelled(name, has_records))


def _is_agent(row: JsonObject) -> bool:
    return speaks(row) and (
        any(key in row for key in ("tool_stats", "completed", "prompt_index", "api_calls"))
        or any('"tool_call_id"' in str(as_object(entry).get("value")) for entry in conversation_of(row))
    )


def _is_v1(row: JsonObject) -> bool:
    return speaks(row) and ("subcategory" in row or ("category" in row and "task" in row))


def _spell(trajectory: Trajectory, terms: Terms, spell_result: SpellResult) -> JsonObject:
    words = {**WRITTEN, Role.TOOL: "human" if terms.result_role == "user" else "tool"}
    entries: list[JsonValue] = []
    for entry in text_entries(trajectory.messages, spell_result):
        fields: dict[str, JsonValue] = {"from": words[entry.role], "value": entry.text}
        if entry.messages[0].is_trained is not None:
            fields["weight"] = int(entry.messages[0].is_trained)
        entries.append(fields)
    specs = spelled_json([spec.document for spec in trajectory.tools.specs])
    return {"conversations": entries, "tools": specs, **trajectory.columns}


_TELL_TOOLS: Final = tell_tools()
_TEXT_STEPS: Final = (drop_preference, free_columns(*_OWN), order_results)

SHAREGPT: Final = RowFormat(
    name="sharegpt",
    title="Hermes' ShareGPT rows: conversations, tools as a text of JSON, source",
    fits=speaks,
    read=_reader("sharegpt", has_records=False),
    steps=(*_TEXT_STEPS, drop_ids, drop_result_names, trim_prose, _TELL_TOOLS, fill_source),
    spell=lambda trajectory, terms: _spell(trajectory, terms, bare_result),
)
AS_TOLD: Final = replace(SHAREGPT, steps=tuple(step for step in SHAREGPT.steps if step is not _TELL_TOOLS))
"""The same, with the system text as the model was told it, whether it tells of the tools or not."""
HERMES_AGENT: Final = RowFormat(
    name="hermes-agent",
    title="what hermes-agent saves: a thought in every answer, results as records",
    fits=_is_agent,
    read=_reader("hermes-agent", has_records=True),
    steps=(
        *_TEXT_STEPS,
        tie_results,
        trim_prose,
        lead_with_thought,
        tell_tools("hermes-agent"),
        fill_agent_columns,
    ),
    spell=lambda trajectory, terms: _spell(trajectory, terms, record_result),
)
HERMES_V1: Final = RowFormat(
    name="hermes-function-calling-v1",
    title="rows of NousResearch/hermes-function-calling-v1",
    fits=_is_v1,
    read=_reader("hermes-function-calling-v1", has_records=True),
)

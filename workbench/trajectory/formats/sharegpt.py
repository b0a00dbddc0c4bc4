"""Entries of `from` and `value`, calls and thoughts inside the text: Hermes' own data sets and their kin."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import spelled_json
from workbench.trajectory.declared_tools import read_column, read_system
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.agent import fill_agent_columns, lead_with_thought, tie_results
from workbench.trajectory.formats.shared.results import is_wrapped, read_results
from workbench.trajectory.formats.shared.speakers import Spoken, conversation_of, read_spoken, speaks
from workbench.trajectory.formats.shared.text_entries import (
    SpellResult,
    bare_result,
    record_result,
    text_entries,
)
from workbench.trajectory.row import Declaration, Entry, RowFinding, TrainingRow
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.additions import fill_source, order_results, tell_tools
from workbench.trajectory.writing.holding import Terms
from workbench.trajectory.writing.losses import (
    drop_ids,
    drop_preference,
    drop_result_names,
    free_columns,
    trim_prose,
)

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


def _read(row: JsonObject, spelled: _Spelled) -> TrainingRow:
    findings: list[RowFinding] = []
    entries = tuple(_entry(one, spelled) for one in read_spoken(row, SPEAKERS, spelled.name, findings))
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


def _entry(spoken: Spoken, spelled: _Spelled) -> Entry:
    role = spoken.role
    if role is Role.USER and is_wrapped(spoken.text):
        role = Role.TOOL
    results = ()
    if role is Role.TOOL:
        results = read_results(spoken.text, spoken.text_pointer, has_records=spelled.has_records)
    return Entry(
        place=spoken.place,
        pointer=spoken.pointer,
        role=role,
        speaker=spoken.speaker,
        text=spoken.text,
        text_pointer=spoken.text_pointer,
        results=results,
        is_trained=_is_trained(spoken.fields),
    )


def _is_trained(fields: JsonObject) -> bool | None:
    """*Source:* Axolotl's `train`, Hermes-2 data's `weight`."""
    for name in ("train", "weight"):
        given = fields.get(name)
        if isinstance(given, int):
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


_TEXT_STEPS: Final = (drop_preference, free_columns(*_OWN), order_results)
_PLAIN_STEPS: Final = (*_TEXT_STEPS, drop_ids, drop_result_names, trim_prose)

SHAREGPT: Final = RowFormat(
    name="sharegpt",
    title="Hermes' ShareGPT rows: conversations, tools as a text of JSON, source",
    fits=speaks,
    read=_reader("sharegpt", has_records=False),
    steps=(*_PLAIN_STEPS, tell_tools(), fill_source),
    session_steps=(*_PLAIN_STEPS, fill_source),
    spell=lambda trajectory, terms: _spell(trajectory, terms, bare_result),
)
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

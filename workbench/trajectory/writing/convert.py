"""Convert a row to another format, report what is lost, and prove that nothing else is."""

import json
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.hermes.marks import CONTROL_MARK, MARK
from workbench.trajectory.formats.row_format import RowFormat, Spell
from workbench.trajectory.row import RowFinding
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import RowMessage, Trajectory, canonical_text, message_text, pair_results
from workbench.trajectory.writing.row_draft import ConversionChange, RowDraft, RowOptions

_RESPONSE: Final = "</tool_response>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """What became of one row."""

    row: JsonObject | None = field(hash=False)
    """The new row; None where it must not be written."""
    changes: tuple[ConversionChange, ...] = ()
    """What was lost, added and rearranged; also where the row is not written."""
    problems: tuple[RowFinding, ...] = ()
    """Why it is not written, in terms of the row that was read; empty where it is."""

    @property
    def losses(self) -> tuple[ConversionChange, ...]:
        """Those of the changes that lose something."""
        return tuple(change for change in self.changes if change.is_loss)


class _Written(NamedTuple):
    row: JsonObject | None
    problems: tuple[RowFinding, ...]


def convert_row(row: JsonObject, read_as: RowFormat, write_as: RowFormat, options: RowOptions) -> Converted:
    """`row` in another format, or why not: it cannot be read, held, or read back equal."""
    reading = read_trajectory(read_as.read(row))
    if reading.problems:
        return Converted(row=None, changes=reading.changes, problems=reading.problems)
    written = write_row(reading.trajectory, write_as, options)
    return Converted(row=written.row, changes=(*reading.changes, *written.changes), problems=written.problems)


def write_row(trajectory: Trajectory, write_as: RowFormat, options: RowOptions) -> Converted:
    """The row of a trajectory, or why the format cannot hold it.

    Whatever is not told as a change is there again when the row is read back; that is tried, each time.

    Raises:
        ValueError: The format is only read.
    """
    if write_as.spell is None:
        raise ValueError(f"{write_as.name} is only read")
    told = replace(
        trajectory,
        messages=pair_results(trajectory.messages),
        rejected=pair_results(trajectory.rejected),
    )
    draft = RowDraft(told, options)
    try:
        row, problems = _written(draft, write_as, write_as.spell)
    except RecursionError:
        row, problems = None, (_refusal("its values are nested too deep"),)
    return Converted(row=row, changes=tuple(draft.changes), problems=problems)


def _written(draft: RowDraft, write_as: RowFormat, spell: Spell) -> _Written:
    for step in write_as.steps:
        step(draft)
    if draft.problems:
        return _Written(None, tuple(_refusal(problem) for problem in draft.problems))
    row = spell(draft.trajectory, draft.options)
    problem = _proof(draft.trajectory, row, write_as)
    return _Written(None, (problem,)) if problem else _Written(row, ())


def _proof(held: Trajectory, row: JsonObject, write_as: RowFormat) -> RowFinding | None:
    """Why `row` does not say what `held` says; None where it does."""
    if not _is_json(row, held):
        return _refusal("it holds a number that JSON has no word for (NaN or infinite)")
    back = read_trajectory(write_as.read(row))
    if back.problems:
        return _refusal(f"read back, it is wrong: {back.problems[0].message}")
    if canonical_text(back.trajectory) == canonical_text(held):
        return None
    return _difference(held, back.trajectory)


def _is_json(row: JsonObject, held: Trajectory) -> bool:
    """Whether the row, and what stands in its texts of JSON, is free of NaN and infinity."""
    calls = [call.arguments for message in held.messages + held.rejected for call in message.calls]
    try:
        for value in (row, calls, [spec.document for spec in held.tools.specs]):
            json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def _difference(held: Trajectory, back: Trajectory) -> RowFinding:
    told = held.messages + held.rejected
    read = back.messages + back.rejected
    for message, other in zip(told, read, strict=False):
        if message_text(message) != message_text(other):
            return _refusal(f"read back, it says something else{_mark_in(message)}", message)
    if len(told) != len(read):
        return _refusal(f"read back, it has {len(read)} messages instead of {len(told)}")
    return _refusal("read back, its tools or columns are not the same")


def _mark_in(message: RowMessage) -> str:
    """The mark of the format that a text brings along, as a part of a sentence."""
    texts = [getattr(part, "text", "") for part in message.parts]
    for text in texts:
        match = CONTROL_MARK.search(text) or MARK.search(text)
        if match or _RESPONSE in text:
            return f": its text holds the mark {match.group() if match else _RESPONSE!r}"
    return ""


def _refusal(problem: str, message: RowMessage | None = None) -> RowFinding:
    entry = message.place if message is not None and message.place >= 0 else None
    return RowFinding(code="not-writable", message=problem, entry=entry)


def write_as_is(trajectory: Trajectory, write_as: RowFormat, options: RowOptions) -> Converted:
    """The row of a trajectory without the proof that it reads the same: every text must stand in it, no more.

    Raises:
        ValueError: The format is only read.
    """
    if write_as.spell is None:
        raise ValueError(f"{write_as.name} is only read")
    told = Trajectory(
        messages=pair_results(trajectory.messages),
        tools=trajectory.tools,
        rejected=pair_results(trajectory.rejected),
        answer_start=trajectory.answer_start,
        label=trajectory.label,
        columns=trajectory.columns,
    )
    draft = RowDraft(told, options)
    for step in write_as.steps:
        step(draft)
    problems = list(draft.problems)
    row = None if problems else write_as.spell(draft.trajectory, options)
    if row is not None:
        written = {entry.text for entry in write_as.read(row).all_entries}
        problems = [
            f"message {message.place + 1}: its text cannot stand in a row of {write_as.name} as it is"
            for message in draft.trajectory.messages
            if message.text is not None and message.text not in written
        ]
    refusals = tuple(RowFinding(code="not-writable", message=problem) for problem in problems)
    return Converted(row=None if problems else row, changes=tuple(draft.changes), problems=refusals)

"""Convert a row to another format, report what is lost, and check that nothing else is.

After a row is written, it is read back and compared with the trajectory that was meant. A row that does not
read back equal is refused. For example, a user's text that contains `<|im_end|>` would end its turn early.
"""

from dataclasses import dataclass, field, replace
from operator import is_
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.hermes.marks import CONTROL_MARK, MARK
from workbench.toolspec.spec import OfferedTools, cached_on
from workbench.trajectory.filled_nulls import filled_nulls, without_nulls_at
from workbench.trajectory.formats.row_format import RowFormat, Spell
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.row_reading import RowReading, plain_tools, read_trajectory
from workbench.trajectory.trajectory import (
    Call,
    Part,
    RowMessage,
    Trajectory,
    is_same_message,
    is_same_trajectory,
    pair_results,
)
from workbench.trajectory.validate.column_values import unfit_in
from workbench.trajectory.validate.loading import is_loadable, unloadable_in
from workbench.trajectory.validate.plain_values import fits_columns, is_surely_loadable
from workbench.trajectory.writing.row_draft import Addition, ConversionChange, Loss, RowDraft, RowOptions

_RESPONSE: Final = "</tool_response>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """The result of a conversion of one row."""

    row: JsonObject | None = field(hash=False)
    """The new row, or None if it must not be written."""
    changes: tuple[ConversionChange, ...] = ()
    """What was lost, added and rearranged, even if the row is not written."""
    problems: tuple[RowFinding, ...] = ()
    """Why the row is not written, with places in the row that was read; empty if it is written."""
    read_back: TrainingRow | None = None
    """The written row, as the format reads it; None if it was not read back."""
    trajectory: Trajectory | None = None
    """The trajectory of `read_back`; None if there is none, or if it was not needed."""

    @property
    def losses(self) -> tuple[ConversionChange, ...]:
        """The changes that lose information."""
        return tuple(change for change in self.changes if change.is_loss)


class _Proof(NamedTuple):
    problem: RowFinding | None
    """Why the row does not mean the same; None if it does."""
    row: TrainingRow | None = None
    trajectory: Trajectory | None = None


def convert_row(row: JsonObject, read_as: RowFormat, write_as: RowFormat, options: RowOptions) -> Converted:
    """Convert `row`. It is refused if it cannot be read, the format cannot hold it, or it reads back differently."""
    reading = read_repaired(read_as.read(row))
    if reading.problems:
        return Converted(row=None, changes=reading.changes, problems=reading.problems)
    written = write_row(reading.trajectory, write_as, options)
    return replace(written, changes=(*reading.changes, *written.changes))


def read_repaired(row: TrainingRow) -> RowReading:
    """Read a row to be converted: without the nulls that Arrow filled into arguments, which are reported."""
    reading = read_trajectory(row)
    changes = list(reading.changes)
    trajectory = reading.trajectory

    def repaired(message: RowMessage) -> RowMessage:
        parts = [_without_nulls(part, row.tools) for part in message.parts]
        if all(map(is_, parts, message.parts)):
            return message
        changes.append(ConversionChange(code=Addition.NONE_FILLED, entry=message.place))
        return message.with_parts(*parts)

    messages, rejected = (
        tuple(map(repaired, messages)) for messages in (trajectory.messages, trajectory.rejected)
    )
    if len(changes) == len(reading.changes):
        return reading
    return RowReading(
        replace(trajectory, messages=messages, rejected=rejected), tuple(changes), reading.problems
    )


def _without_nulls(part: Part, tools: OfferedTools) -> Part:
    spec = tools.by_name.get(part.name) if isinstance(part, Call) else None
    if spec is None or not isinstance(part, Call) or not (filled := filled_nulls(spec, part.arguments)):
        return part
    return replace(part, arguments=without_nulls_at(part.arguments, filled), arguments_text=None)


def write_row(trajectory: Trajectory, write_as: RowFormat, options: RowOptions) -> Converted:
    """Write a trajectory as a row, or say why the format cannot hold it.

    The row is read back: everything that is not reported as a change must be in it.

    Raises:
        ValueError: The format can only be read.
    """
    if write_as.spell is None:
        raise ValueError(f"{write_as.name} can only be read")
    paired = replace(
        trajectory,
        messages=pair_results(trajectory.messages),
        rejected=pair_results(trajectory.rejected),
    )
    draft = RowDraft(paired, options)
    tools = plain_tools(paired.tools, draft.changes)
    if tools is not paired.tools:
        draft.trajectory = replace(paired, tools=tools)
    try:
        return _written(draft, write_as, write_as.spell)
    except RecursionError:
        problem = _refusal("its values are nested too deeply")
        return Converted(row=None, changes=tuple(draft.changes), problems=(problem,))


def _written(draft: RowDraft, write_as: RowFormat, spell: Spell) -> Converted:
    for step in write_as.steps:
        step(draft)
    changes = tuple(draft.changes)
    if draft.problems:
        problems = tuple(_refusal(problem) for problem in draft.problems)
        return Converted(row=None, changes=changes, problems=problems)
    row = spell(draft.trajectory, draft.options)
    proof = _proof(draft.trajectory, row, write_as)
    if proof.problem:
        return Converted(row=None, changes=changes, problems=(proof.problem,))
    if proof.row and proof.trajectory and not proof.row.fills_thoughts:
        for message, back in zip(_all(draft.trajectory), _all(proof.trajectory), strict=True):
            if message.has_empty_thought and not back.has_empty_thought:
                draft.note(Loss.EMPTY_THOUGHTS, message.place)
    changes = tuple(draft.changes)
    return Converted(row=row, changes=changes, read_back=proof.row, trajectory=proof.trajectory)


def _all(trajectory: Trajectory) -> tuple[RowMessage, ...]:
    return trajectory.messages + trajectory.rejected


def _proof(expected: Trajectory, row: JsonObject, write_as: RowFormat) -> _Proof:
    """Read a written row back, and compare it with the trajectory that was expected."""
    if problem := _unloadable(expected, row):
        return _Proof(_refusal(problem))
    read_back = write_as.read(row)
    back = read_trajectory(read_back)
    if back.problems:
        return _Proof(_refusal(f"the written row cannot be read back: {back.problems[0].message}"))
    if is_same_trajectory(back.trajectory, expected):
        return _Proof(None, read_back, back.trajectory)
    return _Proof(_difference(expected, back.trajectory))


def _unloadable(trajectory: Trajectory, row: JsonObject) -> str:
    """Return what loaders refuse in a written row, or in the tools and arguments that it has as text; else "".

    Within a text of JSON, an escape such as `\\u0000` hides what its value contains.
    """
    calls = [
        call.arguments for message in trajectory.messages + trajectory.rejected for call in message.calls
    ]
    rest = {key: value for key, value in row.items() if key != "tools"}
    members = [message.others for message in trajectory.messages + trajectory.rejected if message.others]
    # The messages themselves have nulls, but no numbers.
    if (
        is_surely_loadable(rest)
        and is_loadable([*calls, *members, trajectory.columns])
        and cached_on(trajectory.tools, "_are_loadable", _are_loadable)
    ):
        return ""
    if not fits_columns(row) and any(code == "deep-nesting" for code, _ in unfit_in(row)):
        return _UNLOADABLE["deep-nesting"]
    documents = [spec.document for spec in trajectory.tools.specs]
    found = next(unloadable_in([rest, *calls, *documents]), None)
    return _UNLOADABLE[found[0]] if found else ""


_UNLOADABLE: Final = {
    "deep-nesting": "it has a column that is nested deeper than loaders can read; write it as text",
    "non-finite-number": "it contains NaN or an infinite number, which JSON cannot hold; replace it",
    "lone-surrogate": "it contains half of a surrogate pair, which UTF-8 cannot hold; remove it",
    "null-character": "it contains a NUL character, which loaders refuse; remove it",
}


def _are_loadable(tools: OfferedTools) -> bool:
    return all(is_surely_loadable(spec.document) and is_loadable(spec.document) for spec in tools.specs)


def _difference(expected: Trajectory, back: Trajectory) -> RowFinding:
    written = expected.messages + expected.rejected
    read = back.messages + back.rejected
    for message, other in zip(written, read, strict=False):
        if not is_same_message(message, other):
            return _refusal(f"read back, the message is different{_mark_in(message)}", message)
    if len(written) != len(read):
        return _refusal(f"read back, the row has {len(read)} messages instead of {len(written)}")
    return _refusal("read back, its tools or columns are different")


def _mark_in(message: RowMessage) -> str:
    """Return which special token or tag a text contains, as the end of a sentence; empty if none."""
    texts = [getattr(part, "text", "") for part in message.parts]
    for text in texts:
        match = CONTROL_MARK.search(text) or MARK.search(text)
        if match or _RESPONSE in text:
            return f", because its text contains {match.group() if match else _RESPONSE!r}; escape it"
    return ""


def _refusal(problem: str, message: RowMessage | None = None) -> RowFinding:
    entry = message.place if message is not None and message.place >= 0 else None
    return RowFinding(code="not-writable", message=problem, entry=entry)


def write_as_is(trajectory: Trajectory, write_as: RowFormat, options: RowOptions) -> Converted:
    """Write a trajectory as a row without comparing what it reads back as; only its texts must be in the row.

    Raises:
        ValueError: The format can only be read.
    """
    if write_as.spell is None:
        raise ValueError(f"{write_as.name} can only be read")
    paired = Trajectory(
        messages=pair_results(trajectory.messages),
        tools=trajectory.tools,
        rejected=pair_results(trajectory.rejected),
        answer_start=trajectory.answer_start,
        label=trajectory.label,
        columns=trajectory.columns,
    )
    draft = RowDraft(paired, options)
    for step in write_as.steps:
        step(draft)
    problems = list(draft.problems)
    row = None if problems else write_as.spell(draft.trajectory, options)
    if row is not None and (unloadable := _unloadable(draft.trajectory, row)):
        problems, row = [unloadable], None
    if row is not None:
        written = {entry.text for entry in write_as.read(row).all_entries}
        problems = [
            f"message {message.place + 1}: its text cannot be written unchanged in the format {write_as.name}"
            for message in draft.trajectory.messages
            if message.text is not None and message.text not in written
        ]
    refusals = tuple(RowFinding(code="not-writable", message=problem) for problem in problems)
    return Converted(row=None if problems else row, changes=tuple(draft.changes), problems=refusals)

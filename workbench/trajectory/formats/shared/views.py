"""Read a row as another format sees it, with pointers into the row itself.

Most shapes of conversations say the same as chat messages in other words. A `View` has the row in the words of a format
that has a reader, and the place that each part comes from. For example, the call of this message of Anthropic's API is
read at `/messages/0/tool_calls/0`, and found in the row at `/messages/0/content/0`:

    {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "name": "f", "input": {}}]}]}
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.row import EntryCall, RowEntry, RowFinding, TrainingRow
from workbench.trajectory.row_pointer import leads_somewhere
from workbench.trajectory.writing.row_draft import ConversionChange

Read = Callable[[JsonObject], TrainingRow]
"""Reads a row of one format."""


@dataclass(frozen=True, kw_only=True)
class View:
    """A row in the words of another format."""

    fields: JsonObject
    """What the other format reads."""
    places: Mapping[str, str] = field(default_factory=dict[str, str])
    """Pointers into `fields` with their places in the row. What is below such a part is below its place; a part that
    is not listed has the same place in both."""
    columns: JsonObject = field(default_factory=dict[str, JsonValue])
    """Columns of the row that are not in `fields`."""
    calls: Mapping[str, EntryCall] = field(default_factory=dict[str, EntryCall])
    """Calls that are read already, with pointers into the row, by the pointer in `fields` to what they replace."""
    tagged_texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """By pointer to the message in `fields`: `RowEntry.tagged_text`."""
    has_system_column: bool = False
    """Whether the first message is the system text of a column, which does not count as an entry."""
    findings: tuple[RowFinding, ...] = ()
    """Problems of the row, with pointers into it."""
    changes: tuple[ConversionChange, ...] = ()
    decoded: JsonObject | None = None
    """The row with its texts of JSON decoded; None if the view decoded none."""


def read_view(row: JsonObject, name: str, view: View, read: Read) -> TrainingRow:
    """Read the view of a row with the reader of the other format.

    Args:
        row: The row.
        name: Name of the row's own format.
        view: The view.
        read: Reads the view's fields.
    """
    inner = read(view.fields)
    shift = 1 if view.has_system_column else 0
    move = _mover(row if view.decoded is None else view.decoded, view.places)

    def moved(entry: RowEntry) -> RowEntry:
        there = moved_entry(entry, move, entry.place - shift)
        calls = zip(entry.calls, there.calls, strict=True)
        return replace(
            there,
            calls=tuple(view.calls.get(call.pointer, call_there) for call, call_there in calls),
            tagged_text=view.tagged_texts.get(entry.pointer, there.tagged_text),
        )

    findings = (
        replace(
            finding,
            pointer=move(finding.pointer),
            call_pointer=move(finding.call_pointer) if finding.call_pointer else "",
            entry=None if finding.entry is None or finding.entry < shift else finding.entry - shift,
        )
        for finding in inner.findings
    )
    return replace(
        inner,
        format=name,
        fields=row,
        entries=tuple(map(moved, inner.entries)),
        rejected=tuple(map(moved, inner.rejected)),
        answer_start=inner.answer_start and inner.answer_start - shift,
        declarations=tuple(
            replace(declaration, pointer=move(declaration.pointer)) for declaration in inner.declarations
        ),
        columns={**inner.columns, **view.columns},
        findings=(*view.findings, *findings),
        changes=(*view.changes, *inner.changes),
    )


def view_format(
    name: str,
    title: str,
    fits: Callable[[JsonObject], bool],
    view: Callable[[JsonObject], View],
    read: Read,
) -> RowFormat:
    """Return a format that can only be read, as a view; `read` is the reader of the other format."""
    return RowFormat(
        name=name, title=title, fits=fits, read=lambda row: read_view(row, name, view(row), read)
    )


def moved_entry(entry: RowEntry, move: Callable[[str], str], place: int) -> RowEntry:
    """Return an entry at another place, with all its pointers moved."""
    calls = (
        replace(call, pointer=move(call.pointer), arguments_pointer=move(call.arguments_pointer))
        for call in entry.calls
    )
    return replace(
        entry,
        place=place,
        pointer=move(entry.pointer),
        text_pointer=move(entry.text_pointer),
        calls=tuple(calls),
        results=tuple(replace(result, pointer=move(result.pointer)) for result in entry.results),
    )


def _mover(row: JsonObject, places: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that moves a pointer into a view to its place, or to the closest part above that exists."""

    def move(pointer: str) -> str:
        listed = pointer
        while listed not in places and listed:
            listed = _above(listed)
        moved = places.get(listed, listed) + pointer[len(listed) :]
        while not leads_somewhere(row, moved):
            moved = _above(moved)
        return moved

    return move


def _above(pointer: str) -> str:
    return pointer.rpartition("/")[0]

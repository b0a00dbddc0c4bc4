"""`workbench diff`: compare two files of training rows."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.cli.rows.row_engine import ROW_FILES, FormatOption
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import (
    Paint,
    Tone,
    count_of,
    row_total,
    terminal_paint,
    with_progress,
    write_json_line,
)
from workbench.cli.terminal.visible import shown
from workbench.trajectory.formats.known import format_named

if TYPE_CHECKING:
    from workbench.library.datasets.set_diff import RowDifference, SetDiff
    from workbench.trajectory.sets.diff import PartChange

DIFFERENT: Final = 1
"""Exit code if a row was added, removed or changed."""
_MOST: Final = 20


def diff(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help=ROW_FILES)],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The file to compare it with, of any format")],
    format_: FormatOption = "auto",
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="List at most N rows of each kind")] = _MOST,
    as_json: JsonOption = False,
) -> None:
    """Compare two files of training rows.

    Rows are matched by their id, otherwise by equal content, whatever their formats. Exit code 0 if all rows
    are equal, 1 if there is a difference.
    """
    from workbench.library.datasets.set_diff import SetDiff

    if format_ != "auto":
        format_named(format_)
    with closing(SetDiff.of(before, after, format_)) as found:
        steps = chain(found.before.read_file(before), found.after.read_file(after))
        for _share in with_progress(steps, "rows", lambda: row_total([before, after])):
            pass
        found.finish()
        if as_json:
            _print_json(found, limit)
        else:
            for line in _lines(found, limit, terminal_paint()):
                print(line)
        if not found.is_same:
            raise typer.Exit(DIFFERENT)


def _print_json(found: "SetDiff", most: int) -> None:
    write_json_line(
        {
            **found.counts,
            "changed_rows": [row.document() for row in found.changed(most)],
            "removed_rows": [row.document() for row in found.removed(most)],
            "added_rows": [row.document() for row in found.added(most)],
            "moved": [{**movement._asdict()} for movement in found.moved()],
        }
    )


def _lines(found: "SetDiff", most: int, paint: Paint) -> Iterator[str]:
    counts = found.counts
    for rows in (found.before, found.after):
        yield f"{shown(rows.name)}: {count_of(len(rows.index), 'row')}"
    yield ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
    for kind, sign, tone, listed in (
        ("changed", "~", Tone.FIX, found.changed(most)),
        ("removed", "-", Tone.BAD, found.removed(most)),
        ("added", "+", Tone.CALL, found.added(most)),
    ):
        yield from _listed(sign, tone, listed, paint)
        if counts[kind] > most:
            yield f"  … {counts[kind] - most:,} more {kind}"
    figure = ""
    for movement in found.moved():
        if movement.figure != figure:
            figure = movement.figure
            yield paint(figure, Tone.TITLE)
        name = f"{shown(movement.name)} " if movement.name else ""
        yield f"  {name}{movement.before:,} → {movement.after:,} ({movement.after - movement.before:+,})"


def _listed(sign: str, tone: Tone, rows: "Iterable[RowDifference]", paint: Paint) -> Iterator[str]:
    for row in rows:
        places = " → ".join(f"row {number}" for number in (row.before, row.after) if number is not None)
        yield paint(f"{sign} {shown(row.id)} ({places})" if row.id else f"{sign} {places}", tone)
        for change in row.changes:
            yield f"    {shown(change_line(change))}"


def change_line(change: "PartChange") -> str:
    """Return a change as one line, such as `message 3, call 1: argument city changed: "Paris" → "Rome"`."""
    from workbench.trajectory.sets.diff import place_of_change, shown_values

    before, after = shown_values(change)
    values = f"{before} → {after}" if before and after else before or after
    return f"{place_of_change(change)} {change.kind}: {values}"

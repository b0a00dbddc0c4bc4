"""What the columns are writing at this moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from workbench.app.comparisons.planning import LETTERS
from workbench.ui.present.live import LiveRound
from workbench.ui.present.pieces import TextSpan

TAIL_CHARS: Final = 2000
"""So much of a text that is being written is shown: its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveColumn:
    """A column under way."""

    letter: str
    """The column's."""
    pieces: tuple[TextSpan, ...]
    """The end of what is being written."""
    note: str
    """What is going on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveColumns:
    """All columns while a comparison is played."""

    is_live: bool = False
    """False hides them."""
    note: str = ""
    """How far all is."""
    share: float = 0.0
    """Of the answers, those that are there: 0 to 1."""
    columns: tuple[LiveColumn, ...] = ()
    """One a column; empty before the first begins."""


def show_live(
    rounds: Mapping[int, tuple[int, LiveRound]],
    *,
    column_count: int,
    turn_count: int,
    done: int,
    now_s: float,
) -> LiveColumns:
    """The columns at this moment.

    Args:
        rounds: By column: the turn that it answers and the round under way; without those that are not at it.
        column_count: Columns.
        turn_count: Turns.
        done: Answers that are there.
        now_s: A reading of the clock.
    """
    total = column_count * turn_count
    columns = tuple(_column(rounds.get(place), place, turn_count, now_s) for place in range(column_count))
    return LiveColumns(is_live=True, note=f"{done} of {total} answers", share=done / total, columns=columns)


def _column(at: tuple[int, LiveRound] | None, place: int, turn_count: int, now_s: float) -> LiveColumn:
    if at is None:
        return LiveColumn(letter=LETTERS[place], pieces=(), note="–")
    turn, live = at
    shown = live.show(now_s=now_s)
    which = f"turn {turn + 1} of {turn_count} · " if turn_count > 1 else ""
    return LiveColumn(letter=LETTERS[place], pieces=_tail(shown.pieces), note=which + shown.note)


def _tail(pieces: tuple[TextSpan, ...]) -> tuple[TextSpan, ...]:
    left, kept = TAIL_CHARS, list[TextSpan]()
    for piece in reversed(pieces):
        if left <= 0:
            break
        kept.append(TextSpan(text=piece.text[-left:], kind=piece.kind))
        left -= len(piece.text)
    return tuple(reversed(kept))

"""The columns side by side, turn by turn, with differences, votes, and answers in progress."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from workbench.app.comparisons.planning import LETTERS
from workbench.records.comparisons import Column, StoredComparison, Vote, VoteKind
from workbench.records.versions import hash_of
from workbench.ui.present.blocks import BrokenCall, ThoughtBlock, TrailingBlock
from workbench.ui.present.compare.answer import AnswerFigures, AnswerReading
from workbench.ui.present.compare.signs import (
    CallView,
    DiffWord,
    FixLine,
    diff_words,
    parts_that_differ,
    sign_calls,
    sign_fixes,
)
from workbench.ui.present.live import LiveRound
from workbench.ui.present.setup import sampling_words
from workbench.ui.present.text_spans import TextSpan
from workbench.ui.present.words import count, seconds

HASH_CHARS: Final = 4
"""So much of a contract's hash is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnHeadView:
    """What a column answers with."""

    letter: str
    contract: str
    """Name and hash of the contract."""
    model: str
    note: str
    """Tool choice, sampling, grammar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureView:
    """A figure of an answer."""

    name: str
    value: str
    against: str = ""
    """More or less than the first column's; empty where there is nothing to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellView:
    """A column's answer to a turn."""

    letter: str
    state: str
    """`done`, `failed` or `none`."""
    told: str
    """How it stands to the first column, or that there is nothing yet."""
    differs: bool
    """True where something is not as in the first column."""
    problem: str = ""
    calls: tuple[CallView, ...] = ()
    """In order."""
    broken: tuple[BrokenCall | TrailingBlock, ...] = ()
    thoughts: tuple[ThoughtBlock, ...] = ()
    text: tuple[DiffWord, ...] = ()
    """What it said, against the first column."""
    fixes: tuple[FixLine, ...] = ()
    notes: tuple[str, ...] = ()
    """How its completions ended, where that is not as it should be."""
    figures: tuple[FigureView, ...] = ()
    message: str = ""
    """Its first message, for a link; empty where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """A turn with the answers to it."""

    place: int
    """From 0."""
    heading: str
    """Which turn it is; empty where there is only one."""
    question: str
    cells: tuple[CellView, ...]
    can_vote: bool
    """True once two columns have answered."""
    vote: str = ""
    """`best`, `tie` or `bad`; empty where nobody voted."""
    voted: int | None = None
    """The better column's place; None but for `best`."""
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardView:
    """All that is compared."""

    id: str
    """Of the comparison; stands in the address bar."""
    session: str
    note: str
    is_running: bool
    """True while it is played."""
    can_go_on: bool
    """True where answers are missing and nothing is played."""
    heads: tuple[ColumnHeadView, ...]
    turns: tuple[TurnView, ...]
    """In order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadComparison:
    """A comparison with its answers read; the page keeps it while it is played."""

    stored: StoredComparison
    questions: tuple[str, ...]
    answers: Mapping[tuple[int, int], AnswerReading] = field(hash=False)


def show_board(read: ReadComparison, *, is_running: bool = False) -> BoardView:
    """The comparison at this moment."""
    asked = read.stored.comparison
    total = len(asked.turns) * len(asked.columns)
    failed = sum(1 for one in read.stored.answers if one.problem)
    told = f" · {failed} not whole" if failed else ""
    return BoardView(
        id=read.stored.id,
        session=asked.session_id,
        note=f"{len(read.stored.answers)} of {count(total, 'answer')}{told}",
        is_running=is_running,
        can_go_on=bool(read.stored.missing) and not is_running,
        heads=tuple(_head(column, LETTERS[place]) for place, column in enumerate(asked.columns)),
        turns=tuple(_turn(read, turn) for turn in range(len(asked.turns))),
    )


def _head(column: Column, letter: str) -> ColumnHeadView:
    setup = column.setup
    grammar = "" if setup.is_constrained else " · no grammar"
    return ColumnHeadView(
        letter=letter,
        contract=f"{setup.contract_name} · {hash_of(setup.contract_text)[:HASH_CHARS]}",
        model=setup.model,
        note=f"tool choice {setup.tool_choice}{grammar} · {sampling_words(setup.sampling)}",
    )


def _turn(read: ReadComparison, turn: int) -> TurnView:
    columns = range(len(read.stored.comparison.columns))
    turns = len(read.stored.comparison.turns)
    first, vote = read.answers.get((turn, 0)), read.stored.vote(turn)
    there = [one for column in columns if (one := read.answers.get((turn, column))) and one.answer.leaf_id]
    return TurnView(
        place=turn,
        heading=f"Turn {turn + 1} of {turns}" if turns > 1 else "",
        question=read.questions[turn],
        cells=tuple(_cell(read.answers.get((turn, column)), first, column) for column in columns),
        can_vote=len(there) > 1,
        vote=vote.kind.value if vote else "",
        voted=vote.column if vote else None,
        said=_said(vote),
    )


def _said(vote: Vote | None) -> str:
    if vote is None:
        return ""
    if vote.kind is VoteKind.BEST and vote.column is not None:
        return f"{LETTERS[vote.column]} is better: kept, and a pair of the dpo export"
    if vote.kind is VoteKind.TIE:
        return "a tie: kept, and no pair"
    return "none is good: kept, and bad answers of the kto export"


def _cell(one: AnswerReading | None, first: AnswerReading | None, column: int) -> CellView:
    letter = LETTERS[column]
    if one is None:
        return CellView(letter=letter, state="none", told="no answer yet", differs=False)
    against = first if column and first is not None and first.message_id else None
    other = parts_that_differ(one, against) if against is not None and one.message_id else ()
    problem = one.answer.problem
    return CellView(
        letter=letter,
        state="failed" if problem else "done",
        told=_told(one, against, other, column),
        differs=bool(other),
        problem=problem,
        calls=sign_calls(one.calls, against.calls if against else None) if one.message_id else (),
        broken=one.broken,
        thoughts=one.thoughts,
        text=diff_words(against.text, one.text)
        if against and one.message_id
        else (DiffWord(text=one.text),)
        if one.text
        else (),
        fixes=sign_fixes(one, against) if one.message_id else (),
        notes=one.notes,
        figures=_figures(one.figures, against.figures if against else None),
        message=one.message_id or "",
    )


def _told(one: AnswerReading, against: AnswerReading | None, other: tuple[str, ...], column: int) -> str:
    if not one.message_id:
        return "no answer"
    if column == 0:
        return "the others are held against this one"
    if against is None:
        return "nothing to hold it against"
    return f"≠ {LETTERS[0]}: {', '.join(other)}" if other else f"= {LETTERS[0]}"


def _figures(own: AnswerFigures | None, first: AnswerFigures | None) -> tuple[FigureView, ...]:
    if own is None:
        return ()
    return (
        _tokens("prompt", own.prompt_tokens, first and first.prompt_tokens),
        _tokens("evaluated", own.evaluated_tokens, first and first.evaluated_tokens),
        _tokens("written", own.written_tokens, first and first.written_tokens),
        FigureView(
            name="seconds",
            value=seconds(own.seconds),
            against=_ratio(own.seconds, first.seconds) if first else "",
        ),
        FigureView(name="rounds", value=str(own.rounds)),
    )


def _tokens(name: str, own: int | None, first: int | None) -> FigureView:
    if own is None:
        return FigureView(name=name, value="–")
    more = 0 if first is None else own - first
    return FigureView(name=name, value=f"{own:,}", against=f"{more:+,}".replace("-", "−") if more else "")


def _ratio(own: float, first: float) -> str:
    return f"×{own / first:.1f}" if first > 0 and f"{own / first:.1f}" != "1.0" else ""


TAIL_CHARS: Final = 2000
"""So much of a text that is being written is shown: its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveColumn:
    """A column under way."""

    letter: str
    pieces: tuple[TextSpan, ...]
    """The end of what is being written."""
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveColumns:
    """All columns while a comparison is played."""

    is_live: bool = False
    """False hides them."""
    note: str = ""
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

"""Show columns side by side, turn by turn, with differences, votes, and answers in progress."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from workbench.app.comparisons.planning import LETTERS
from workbench.app.runs.drafts import contract_label
from workbench.chat.figures import figure
from workbench.records.comparisons import Column, StoredComparison, Vote, VoteKind
from workbench.ui.present.blocks import BrokenCall, ThoughtBlock, TrailingBlock
from workbench.ui.present.compare.answer import AnswerFigures, AnswerReading
from workbench.ui.present.compare.signs import (
    CallView,
    DiffWord,
    FixLine,
    are_alike,
    diff_words,
    parts_that_differ,
    sign_calls,
    sign_fixes,
)
from workbench.ui.present.live import LiveRound
from workbench.ui.present.setup import sampling_words
from workbench.ui.present.text_spans import TextSpan
from workbench.ui.present.words import count, seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnHeadView:
    """The contract, model and settings of a column."""

    letter: str
    contract: str
    """Name and short hash of the contract."""
    model: str
    note: str
    """Tool choice, grammar and sampling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureView:
    """One measure of an answer."""

    name: str
    value: str
    against: str = ""
    """Difference from the first column. Empty if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellView:
    """The answer of a column to a turn."""

    letter: str
    state: str
    """`done`, `failed` or `none`."""
    summary: str
    """How the answer differs from the first column, or that there is no answer."""
    differs: bool
    """True if something differs from the first column."""
    problem: str = ""
    calls: tuple[CallView, ...] = ()
    broken: tuple[BrokenCall | TrailingBlock, ...] = ()
    thoughts: tuple[ThoughtBlock, ...] = ()
    text: tuple[DiffWord, ...] = ()
    """The text of the answer, as a diff with the first column. Without its dropped words, it is the text itself."""
    is_alike: bool = True
    """False if the diff cannot be read, because little of the two texts is the same."""
    fixes: tuple[FixLine, ...] = ()
    notes: tuple[str, ...] = ()
    """How completions ended, if not normally."""
    figures: tuple[FigureView, ...] = ()
    message: str = ""
    """The first message of the answer, for a link. Empty if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """A turn with the answers of all columns."""

    place: int
    """Index of the turn, from 0."""
    heading: str
    """Number of the turn. Empty if there is only one turn."""
    question: str
    cells: tuple[CellView, ...]
    can_vote: bool
    """True once two columns have answered."""
    vote: str = ""
    """`best`, `tie` or `bad`. Empty if there is no vote."""
    voted: int | None = None
    """Index of the best column. None unless the vote is `best`."""
    vote_note: str = ""
    """What the vote means for exports. Empty if there is no vote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardView:
    """The board of a comparison."""

    id: str
    """Id of the comparison, shown in the address bar."""
    session: str
    note: str
    is_running: bool
    """True while answers are being generated."""
    can_resume: bool
    """True if answers are missing and the comparison is not running."""
    heads: tuple[ColumnHeadView, ...]
    turns: tuple[TurnView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadComparison:
    """A comparison with its parsed answers. The page keeps it while the comparison runs."""

    stored: StoredComparison
    questions: tuple[str, ...]
    answers: Mapping[tuple[int, int], AnswerReading] = field(hash=False)


def show_board(comparison: ReadComparison, *, is_running: bool = False) -> BoardView:
    """Show the current state of a comparison."""
    plan = comparison.stored.comparison
    total = len(plan.turns) * len(plan.columns)
    failed = sum(1 for answer in comparison.stored.answers if answer.problem)
    failed_note = f" · {failed} incomplete" if failed else ""
    return BoardView(
        id=comparison.stored.id,
        session=plan.session_id,
        note=f"{len(comparison.stored.answers)} of {count(total, 'answer')}{failed_note}",
        is_running=is_running,
        can_resume=bool(comparison.stored.missing) and not is_running,
        heads=tuple(_head(column, LETTERS[place]) for place, column in enumerate(plan.columns)),
        turns=tuple(_turn(comparison, turn) for turn in range(len(plan.turns))),
    )


def _head(column: Column, letter: str) -> ColumnHeadView:
    setup = column.setup
    grammar = "" if setup.is_constrained else " · not constrained"
    return ColumnHeadView(
        letter=letter,
        contract=contract_label(column.contract or setup.contract_name, setup.contract_text),
        model=setup.model,
        note=f"tool choice {setup.tool_choice}{grammar} · {sampling_words(setup.sampling)}",
    )


def _turn(comparison: ReadComparison, turn: int) -> TurnView:
    answers = comparison.answers
    columns = range(len(comparison.stored.comparison.columns))
    turns = len(comparison.stored.comparison.turns)
    first, vote = answers.get((turn, 0)), comparison.stored.vote(turn)
    answered = [
        column for column in columns if (found := answers.get((turn, column))) and found.answer.leaf_id
    ]
    return TurnView(
        place=turn,
        heading=f"Turn {turn + 1} of {turns}" if turns > 1 else "",
        question=comparison.questions[turn],
        cells=tuple(_cell(answers.get((turn, column)), first, column) for column in columns),
        can_vote=len(answered) > 1,
        vote=vote.kind.value if vote else "",
        voted=vote.column if vote else None,
        vote_note=_vote_note(vote),
    )


def _vote_note(vote: Vote | None) -> str:
    if vote is None:
        return ""
    if vote.kind is VoteKind.BEST and vote.column is not None:
        return f"{LETTERS[vote.column]} is better. Saved as a preference pair for the dpo export."
    if vote.kind is VoteKind.TIE:
        return "Tie. Saved, but not exported as a pair."
    return "All bad. Saved as bad answers for the kto export."


def _cell(reading: AnswerReading | None, first: AnswerReading | None, column: int) -> CellView:
    letter = LETTERS[column]
    if reading is None:
        return CellView(letter=letter, state="none", summary="no answer yet", differs=False)
    baseline = first if column and first is not None and first.message_id else None
    differing = parts_that_differ(reading, baseline) if baseline is not None and reading.message_id else ()
    problem = reading.answer.problem
    has_diff = baseline is not None and bool(reading.message_id)
    words = diff_words(baseline.text if has_diff and baseline else reading.text, reading.text)
    return CellView(
        letter=letter,
        state="failed" if problem else "done",
        summary=_summary(reading, baseline, differing, column),
        differs=bool(differing),
        problem=problem,
        calls=sign_calls(reading.calls, baseline.calls if baseline else None) if reading.message_id else (),
        broken=reading.broken,
        thoughts=reading.thoughts,
        text=words,
        is_alike=are_alike(words),
        fixes=sign_fixes(reading, baseline) if reading.message_id else (),
        notes=reading.notes,
        figures=_figures(reading.figures, baseline.figures if baseline else None),
        message=reading.message_id or "",
    )


def _summary(
    reading: AnswerReading, baseline: AnswerReading | None, differing: tuple[str, ...], column: int
) -> str:
    if not reading.message_id:
        return "no answer"
    if column == 0:
        return "the other columns are compared with this one"
    if baseline is None:
        return "no answer in column A to compare with"
    return f"≠ {LETTERS[0]}: {', '.join(differing)}" if differing else f"= {LETTERS[0]}"


def _figures(own: AnswerFigures | None, first: AnswerFigures | None) -> tuple[FigureView, ...]:
    if own is None:
        return ()
    return (
        _tokens("prompt", own.prompt_tokens, first and first.prompt_tokens),
        _tokens("evaluated", own.evaluated_tokens, first and first.evaluated_tokens),
        _tokens("completion", own.written_tokens, first and first.written_tokens),
        FigureView(
            name="seconds",
            value=seconds(own.seconds),
            against=_ratio(own.seconds, first.seconds) if first else "",
        ),
        FigureView(name="rounds", value=str(own.rounds)),
    )


def _tokens(name: str, own: int | None, first: int | None) -> FigureView:
    more = 0 if own is None or first is None else own - first
    return FigureView(name=name, value=figure(own), against=f"{more:+,}".replace("-", "−") if more else "")


def _ratio(own: float, first: float) -> str:
    return f"×{own / first:.1f}" if first > 0 and f"{own / first:.1f}" != "1.0" else ""


TAIL_CHARS: Final = 2000
"""Number of characters to show of a text in progress, from its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveColumn:
    """A column in progress."""

    letter: str
    pieces: tuple[TextSpan, ...]
    """The end of the text in progress."""
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveColumns:
    """All columns while a comparison runs."""

    is_live: bool = False
    """False hides the columns."""
    note: str = ""
    share: float = 0.0
    """Share of the answers that are finished, from 0 to 1."""
    columns: tuple[LiveColumn, ...] = ()
    """One per column. Empty before the first answer starts."""
    follow: str = ""
    """Id of a running comparison that the page should watch from now on. Empty if it does already."""


def show_live(
    rounds: Mapping[int, tuple[int, LiveRound]],
    *,
    column_count: int,
    turn_count: int,
    done: int,
    now_s: float,
) -> LiveColumns:
    """Show the columns in progress.

    Args:
        rounds: For each column that is answering, by its index: its turn and its round in progress.
        now_s: The current time in seconds, of a monotonic clock.
    """
    total = column_count * turn_count
    columns = tuple(_column(rounds.get(place), place, turn_count, now_s) for place in range(column_count))
    return LiveColumns(is_live=True, note=f"{done} of {total} answers", share=done / total, columns=columns)


def _column(
    turn_and_round: tuple[int, LiveRound] | None, place: int, turn_count: int, now_s: float
) -> LiveColumn:
    if turn_and_round is None:
        return LiveColumn(letter=LETTERS[place], pieces=(), note="–")
    turn, live = turn_and_round
    shown = live.show(now_s=now_s)
    prefix = f"turn {turn + 1} of {turn_count} · " if turn_count > 1 else ""
    return LiveColumn(letter=LETTERS[place], pieces=_tail(shown.pieces), note=prefix + shown.note)


def _tail(pieces: tuple[TextSpan, ...]) -> tuple[TextSpan, ...]:
    left, tail = TAIL_CHARS, list[TextSpan]()
    for piece in reversed(pieces):
        if left <= 0:
            break
        tail.append(TextSpan(text=piece.text[-left:], kind=piece.kind))
        left -= len(piece.text)
    return tuple(reversed(tail))

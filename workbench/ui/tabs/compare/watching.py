"""Follow a running comparison: the update that each batch of events makes to the page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from workbench.app.comparisons.opened import find_comparison, open_answer, open_comparison
from workbench.app.comparisons.running import (
    AnswerEnded,
    AnswerStarted,
    CompareEvent,
    run_comparison,
)
from workbench.app.services import Services
from workbench.records.comparisons import ComparisonAnswer, StoredComparison
from workbench.settings import Secret
from workbench.ui.present.compare.answer import read_answer
from workbench.ui.present.compare.board import BoardView, LiveColumns, ReadComparison, show_board, show_live
from workbench.ui.present.live import LiveRound
from workbench.ui.tabs.play.runs import run_in_thread


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSnapshot:
    """What to show at one moment."""

    live: LiveColumns
    board: BoardView | None
    """The answers, or None if there is no new one."""


def read_comparison(services: Services, stored: StoredComparison) -> ReadComparison:
    """Read all answers of a stored comparison.

    Raises:
        StoreError: The session cannot be read.
    """
    opened = open_comparison(services, stored)
    columns = stored.comparison.columns
    return ReadComparison(
        stored=stored,
        questions=tuple(turn.question for turn in opened.turns),
        answers={
            (place, column): read_answer(answer, columns[column].setup)
            for place, turn in enumerate(opened.turns)
            for column, answer in turn.answers.items()
        },
    )


def watch(
    services: Services, read: ReadComparison, *, is_cancelled: Callable[[], bool], token: Secret | None
) -> Iterator[ComparisonSnapshot]:
    """Generate the missing answers, and yield what to show as they come.

    Raises:
        StoreError: As `run_comparison`.
    """
    stored, rounds = read.stored, dict[int, tuple[int, LiveRound]]()

    def generate(_report: Callable[[CompareEvent], None]) -> Iterator[CompareEvent]:
        return run_comparison(services, stored, is_cancelled=is_cancelled, token=token)

    for batch in run_in_thread(generate):
        now_s = services.calendar.seconds()
        ended = [event.answer for event in batch if isinstance(event, AnswerEnded)]
        for event in batch:
            _follow(rounds, event, now_s)
        read = _with_answers(services, read, ended) if ended else read
        comparison = read.stored.comparison
        live = show_live(
            rounds,
            column_count=len(comparison.columns),
            turn_count=len(comparison.turns),
            done=len(read.stored.answers),
            now_s=services.calendar.seconds(),
        )
        yield ComparisonSnapshot(live=live, board=show_board(read, is_running=True) if ended else None)


def _follow(rounds: dict[int, tuple[int, LiveRound]], event: CompareEvent, now_s: float) -> None:
    if isinstance(event, AnswerStarted):
        rounds[event.column] = (event.turn, LiveRound())
    elif isinstance(event, AnswerEnded):
        rounds.pop(event.answer.column, None)
    elif event.column in rounds:
        turn, live = rounds[event.column]
        rounds[event.column] = (turn, live.after(event.event, now_s=now_s))


def _with_answers(services: Services, read: ReadComparison, ended: list[ComparisonAnswer]) -> ReadComparison:
    # Read the comparison again, since somebody may have voted meanwhile.
    stored = find_comparison(services, read.stored.id)
    columns = stored.comparison.columns
    new_answers = {
        (answer.turn, answer.column): read_answer(
            open_answer(services, stored, answer), columns[answer.column].setup
        )
        for answer in ended
    }
    return replace(read, stored=stored, answers={**read.answers, **new_answers})

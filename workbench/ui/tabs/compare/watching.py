"""Follow a comparison in progress: what each batch of events changes on the page."""

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
    """What there is to show at a moment."""

    live: LiveColumns
    board: BoardView | None
    """The answers; None where no other has come."""


def read_comparison(services: Services, kept: StoredComparison) -> ReadComparison:
    """A comparison of the store with all its answers read.

    Raises:
        StoreError: The session cannot be read.
    """
    opened = open_comparison(services, kept)
    columns = kept.comparison.columns
    return ReadComparison(
        kept=kept,
        questions=tuple(turn.question for turn in opened.turns),
        answers={
            (place, column): read_answer(one, columns[column].setup)
            for place, turn in enumerate(opened.turns)
            for column, one in turn.answers.items()
        },
    )


def watch(
    services: Services, read: ReadComparison, *, is_cancelled: Callable[[], bool], token: Secret | None
) -> Iterator[ComparisonSnapshot]:
    """Plays what is missing, and tells of it as it goes.

    Raises:
        StoreError: As `run_comparison`.
    """
    kept, rounds = read.stored, dict[int, tuple[int, LiveRound]]()

    def play(_tell: Callable[[CompareEvent], None]) -> Iterator[CompareEvent]:
        return run_comparison(services, kept, is_cancelled=is_cancelled, token=token)

    for batch in run_in_thread(play):
        now_s = services.calendar.seconds()
        ended = [event.answer for event in batch if isinstance(event, AnswerEnded)]
        for event in batch:
            _follow(rounds, event, now_s)
        read = _with_answers(services, read, ended) if ended else read
        asked = read.stored.comparison
        live = show_live(
            rounds,
            column_count=len(asked.columns),
            turn_count=len(asked.turns),
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
    # Read again for its votes, too: somebody may have voted meanwhile.
    kept = find_comparison(services, read.stored.id)
    columns = kept.comparison.columns
    came = {
        (one.turn, one.column): read_answer(open_answer(services, kept, one), columns[one.column].setup)
        for one in ended
    }
    return replace(read, kept=kept, answers={**read.answers, **came})

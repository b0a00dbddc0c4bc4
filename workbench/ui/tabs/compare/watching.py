"""Follow a running comparison: the update that each batch of events makes to the page."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.app.comparisons.events import AnswerEnded, AnswerStarted, CompareEvent
from workbench.app.comparisons.opened import find_comparison, open_answer, open_comparison
from workbench.app.services import Services
from workbench.app.tasks import EventBatch, LoggedEvent
from workbench.records.comparisons import ComparisonAnswer, StoredComparison
from workbench.ui.present.compare.answer import read_answer
from workbench.ui.present.compare.board import BoardView, LiveColumns, ReadComparison, show_board, show_live
from workbench.ui.present.live import LiveRound


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
    services: Services, read: ReadComparison, batches: Iterator[EventBatch[CompareEvent]]
) -> Iterator[ComparisonSnapshot]:
    """Yield what to show while the missing answers are generated.

    Args:
        read: The comparison with the answers that exist.
        batches: The events of `workbench.app.comparisons.running.start_comparison`.

    Raises:
        StoreError: As `run_comparison`.
    """
    rounds = dict[int, tuple[int, LiveRound]]()
    for batch in batches:
        if batch.is_restart:
            # Earlier answers may be missing from these events. The store has them.
            rounds, read = {}, read_comparison(services, find_comparison(services, read.stored.id))
        ended = [event.answer for event in batch.events if isinstance(event, AnswerEnded)]
        for logged in batch.logged:
            _follow(rounds, logged)
        read = _with_answers(services, read, ended) if ended and not batch.is_restart else read
        comparison = read.stored.comparison
        live = show_live(
            rounds,
            column_count=len(comparison.columns),
            turn_count=len(comparison.turns),
            done=len(read.stored.answers),
            now_s=services.calendar.seconds(),
        )
        is_new = bool(ended) or batch.is_restart
        yield ComparisonSnapshot(live=live, board=show_board(read, is_running=True) if is_new else None)


def _follow(rounds: dict[int, tuple[int, LiveRound]], logged: LoggedEvent[CompareEvent]) -> None:
    event = logged.event
    if isinstance(event, AnswerStarted):
        rounds[event.column] = (event.turn, LiveRound())
    elif isinstance(event, AnswerEnded):
        rounds.pop(event.answer.column, None)
    elif event.column in rounds:
        turn, live = rounds[event.column]
        rounds[event.column] = (turn, live.after(event.event, now_s=logged.at_s, count=logged.count))


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

"""Run a comparison. Columns of different models run in parallel; those of one model do if it can serve several."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

from workbench.app.comparisons.column_runner import Branches, ColumnRunner
from workbench.app.comparisons.events import (
    AnswerEnded,
    AnswerProgress,
    AnswerStarted,
    CompareEvent,
    condense_comparison,
)
from workbench.app.services import Services
from workbench.app.tasks import RunningTask
from workbench.errors import BadInput, EngineError
from workbench.records.comparisons import ComparisonAnswer, StoredComparison
from workbench.rollout.events import Event
from workbench.rollout.ports import FinishReason
from workbench.rollout.stopping import LinkedStop
from workbench.settings import Secret


def run_comparison(
    services: Services,
    stored: StoredComparison,
    *,
    is_cancelled: Callable[[], bool],
    token: Secret | None = None,
) -> Iterator[CompareEvent]:
    """Run the missing answers of a comparison. Each answer is stored before its event is yielded.

    If a column fails, its answer says so, and the other columns continue.

    Args:
        is_cancelled: Returns True once a person has stopped the comparison. Called from several threads.
        token: A visitor's own access token for hosted models.

    Raises:
        BadInput: The comparison exceeds the owner's limits.
        StoreError: The session cannot be read, or a message or an answer could not be stored.
    """
    services.limits.check_comparison(stored.comparison)
    with services.at_work() as at_work:
        yield from _events(_Run(at_work, stored, is_cancelled, token), len(stored.comparison.columns))


def start_comparison(
    services: Services, stored: StoredComparison, *, token: Secret | None = None
) -> RunningTask[CompareEvent]:
    """Run the missing answers of a comparison in a thread, as `run_comparison` does, with or without a page.

    Raises:
        BadInput: The comparison is running already, exceeds a limit, or the owner has too much running.
    """
    services.limits.check_comparison(stored.comparison)
    task: RunningTask[CompareEvent] = RunningTask(
        services.owner.key, stored.id, condense_comparison, now_s=services.calendar.seconds
    )
    return services.running_comparisons.start(
        services.at_work(),
        task,
        lambda counted: run_comparison(counted, stored, is_cancelled=task.stop, token=token),
    )


def _events(run: "_Run", column_count: int) -> Iterator[CompareEvent]:
    lanes = run.lanes()
    if not lanes:
        return
    with ThreadPoolExecutor(len(lanes) * column_count, "compare") as pool:
        futures = [pool.submit(run.run_lane, lane, pool) for lane in lanes]
        for future in futures:
            future.add_done_callback(run.lane_ended)
        yield from run.events(len(futures))


class _Run:
    """One run of a comparison. Its threads put their events into a queue."""

    def __init__(
        self,
        services: Services,
        stored: StoredComparison,
        is_cancelled: Callable[[], bool],
        token: Secret | None,
    ) -> None:
        comparison = stored.comparison
        self._services = services
        self._stored = stored
        self._token = token
        self._has_failed = False
        self._stop = LinkedStop(
            is_cancelled,
            lambda: self._has_failed,
            FinishReason.INTERRUPTED,
            "another column could not be saved",
        )
        self._queue: SimpleQueue[CompareEvent | Future[None]] = SimpleQueue()
        path = services.sessions.path(comparison.session_id, leaf_id=comparison.turns[-1])
        session = services.sessions.find_session(comparison.session_id)
        # If the last turn has no answer yet, the answers of the first column become the open path.
        self._is_shown = bool(session and session.leaf_id == comparison.turns[-1] == path[-1].id)
        self._branches = Branches(services, comparison.session_id, path)

    def lanes(self) -> Sequence[Sequence[int]]:
        """Return the columns with missing answers, grouped by model."""
        by_model: dict[str, list[int]] = {}
        for column in dict.fromkeys(column for _, column in self._stored.missing):
            by_model.setdefault(self._stored.comparison.columns[column].setup.model, []).append(column)
        return tuple(by_model.values())

    def run_lane(self, columns: Sequence[int], pool: ThreadPoolExecutor) -> None:
        """Run all columns of one model."""
        if len(columns) > 1 and self._takes_many(columns[0]):
            for future in [pool.submit(self._run_column, column) for column in columns]:
                future.result()
            return
        for column in columns:
            self._run_column(column)

    def lane_ended(self, future: "Future[None]") -> None:
        """Report the end of a lane. If the lane failed, the other lanes stop."""
        self._has_failed = self._has_failed or future.exception() is not None
        self._queue.put(future)

    def events(self, lane_count: int) -> Iterator[CompareEvent]:
        """Yield events until all lanes have ended, then raise the first error of a lane, if any."""
        ended: list[Future[None]] = []
        while len(ended) < lane_count:
            item = self._queue.get()
            if isinstance(item, Future):
                ended.append(item)
            else:
                yield item
        for future in ended:
            future.result()

    def _takes_many(self, column: int) -> bool:
        try:
            model = self._stored.comparison.columns[column].setup.model
            return self._services.engine(model, token=self._token).capabilities.takes_many
        except (BadInput, EngineError):
            # Each column's answer reports what is wrong with its model.
            return False

    def _run_column(self, column: int) -> None:
        comparison = self._stored.comparison
        runner = ColumnRunner(
            services=self._services,
            branches=self._branches,
            session_id=comparison.session_id,
            setup=comparison.columns[column].setup,
            place=column,
            is_shown=self._is_shown and column == 0,
            is_cancelled=self._stop,
            token=self._token,
        )
        after = None
        for turn, turn_id in enumerate(comparison.turns):
            answer = self._stored.answer(turn, column)
            if answer is None or answer.problem:
                if self._stop():
                    return
                answer = self._answer(runner, turn, turn_id, after)
                if answer.problem and comparison.goes_on:
                    return
            after = answer.leaf_id if comparison.goes_on else None

    def _answer(self, runner: ColumnRunner, turn: int, turn_id: str, after: str | None) -> ComparisonAnswer:
        column = runner.place
        self._queue.put(AnswerStarted(column=column, turn=turn))

        def on_event(event: Event) -> None:
            self._queue.put(AnswerProgress(column=column, turn=turn, event=event))

        answer = runner.answer(turn, turn_id, on_event, after=after)
        self._services.comparisons.save_answer(self._stored.id, answer)
        self._queue.put(AnswerEnded(answer=answer))
        return answer

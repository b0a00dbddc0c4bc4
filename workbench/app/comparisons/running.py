"""Run a comparison: columns of different models in parallel, columns of one model as many as it serves at once."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue

from workbench.app.comparisons.column_runner import Branches, ColumnRunner
from workbench.app.services import Services
from workbench.errors import BadInput, EngineError
from workbench.records.comparisons import ComparisonAnswer, StoredComparison
from workbench.rollout.events import Event
from workbench.settings import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStarted:
    """A column answers a turn from now on."""

    column: int
    """Its place, from 0."""
    turn: int
    """The turn's, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerProgress:
    """Something happened in an answer."""

    column: int
    """The column's place, from 0."""
    turn: int
    """The turn's, from 0."""
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEnded:
    """A column has answered a turn, or could not; it is kept."""

    answer: ComparisonAnswer


CompareEvent = AnswerStarted | AnswerProgress | AnswerEnded
"""Anything that happens in a comparison."""


def run_comparison(
    services: Services,
    kept: StoredComparison,
    *,
    is_cancelled: Callable[[], bool],
    token: Secret | None = None,
) -> Iterator[CompareEvent]:
    """Plays what of the comparison is missing; each answer is committed before it is told.

    A column that fails tells so in its answer, and the others go on.

    Args:
        is_cancelled: True once a person has stopped it; asked from several threads.
        token: A visitor's own, for hosted models.

    Raises:
        BadInput: It asks for more than its owner may.
        StoreError: The session cannot be read, or a message or an answer could not be committed.
    """
    services.limits.check_comparison(kept.comparison)
    with services.at_work() as at_work:
        yield from _played(_Run(at_work, kept, is_cancelled, token), len(kept.comparison.columns))


def _played(run: "_Run", column_count: int) -> Iterator[CompareEvent]:
    lanes = run.lanes()
    if not lanes:
        return
    with ThreadPoolExecutor(len(lanes) * column_count, "compare") as pool:
        futures = [pool.submit(run.play_lane, lane, pool) for lane in lanes]
        for future in futures:
            future.add_done_callback(run.lane_ended)
        yield from run.told(len(futures))


class _Run:
    """One playing of a comparison: its threads tell what happens to whoever listens."""

    def __init__(
        self,
        services: Services,
        kept: StoredComparison,
        is_cancelled: Callable[[], bool],
        token: Secret | None,
    ) -> None:
        asked = kept.comparison
        self._services = services
        self._kept = kept
        self._token = token
        self._has_failed = False
        self._is_stopped = is_cancelled
        self._told: SimpleQueue[CompareEvent | Future[None]] = SimpleQueue()
        path = services.sessions.path(asked.session_id, leaf_id=asked.turns[-1])
        session = services.sessions.find_session(asked.session_id)
        # Where nothing has answered yet, the first column does, and the others stand beside it.
        self._is_shown = bool(session and session.leaf_id == asked.turns[-1] == path[-1].id)
        self._branches = Branches(services, asked.session_id, path)

    def lanes(self) -> Sequence[Sequence[int]]:
        """The columns that have something to play, those of one model together."""
        by_model: dict[str, list[int]] = {}
        for column in dict.fromkeys(column for _, column in self._kept.missing):
            by_model.setdefault(self._kept.comparison.columns[column].setup.model, []).append(column)
        return tuple(by_model.values())

    def play_lane(self, columns: Sequence[int], pool: ThreadPoolExecutor) -> None:
        """All columns of one model."""
        if len(columns) > 1 and self._takes_many(columns[0]):
            for future in [pool.submit(self._play_column, column) for column in columns]:
                future.result()
            return
        for column in columns:
            self._play_column(column)

    def lane_ended(self, future: "Future[None]") -> None:
        """A lane has nothing more to play; where it failed, the others stop."""
        self._has_failed = self._has_failed or future.exception() is not None
        self._told.put(future)

    def told(self, lane_count: int) -> Iterator[CompareEvent]:
        """What happens, until all lanes have ended; then the first failure of the store, if any."""
        ended: list[Future[None]] = []
        while len(ended) < lane_count:
            thing = self._told.get()
            if isinstance(thing, Future):
                ended.append(thing)
            else:
                yield thing
        for future in ended:
            future.result()

    def _takes_many(self, column: int) -> bool:
        try:
            model = self._kept.comparison.columns[column].setup.model
            return self._services.engine(model, token=self._token).capabilities.takes_many
        except (BadInput, EngineError):
            # Each column's own answer tells what is wrong with its model.
            return False

    def _play_column(self, column: int) -> None:
        asked = self._kept.comparison
        player = ColumnRunner(
            services=self._services,
            branches=self._branches,
            session_id=asked.session_id,
            setup=asked.columns[column].setup,
            place=column,
            is_shown=self._is_shown and column == 0,
            is_cancelled=self._is_over,
            token=self._token,
        )
        behind = None
        for turn, turn_id in enumerate(asked.turns):
            answer = self._kept.answer(turn, column)
            if answer is None or answer.problem:
                if self._is_over():
                    return
                answer = self._answered(player, turn, turn_id, behind)
                if answer.problem and asked.goes_on:
                    return
            behind = answer.leaf_id if asked.goes_on else None

    def _answered(
        self, player: ColumnRunner, turn: int, turn_id: str, behind: str | None
    ) -> ComparisonAnswer:
        column = player.place
        self._told.put(AnswerStarted(column=column, turn=turn))

        def tell(event: Event) -> None:
            self._told.put(AnswerProgress(column=column, turn=turn, event=event))

        answer = player.answer(turn, turn_id, tell, behind=behind)
        self._services.comparisons.save_answer(self._kept.id, answer)
        self._told.put(AnswerEnded(answer=answer))
        return answer

    def _is_over(self) -> bool:
        return self._has_failed or self._is_stopped()

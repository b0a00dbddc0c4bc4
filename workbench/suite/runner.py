"""Run a plan's jobs and score them, one event at a time."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from workbench.errors import BadInput, EngineError
from workbench.rollout.events import EndReason
from workbench.rollout.ports import Clock
from workbench.suite.case_rollout import CaseRollout, RubricVerdict
from workbench.suite.plan import Arm, Job
from workbench.suite.result import CaseResult, CaseStatus, error_of, result_of
from workbench.suite.score import score

IsCancelled = Callable[[], bool]
"""True once nothing more is wanted; asked from several threads."""


class Player(Protocol):
    """Plays cases; may be asked from as many threads at once as `at_once` says."""

    def at_once(self, arm: Arm) -> int:
        """How many cases of an arm may be played at the same time.

        Raises:
            EngineError: The arm's model cannot be asked.
            BadInput: The arm names no model.
        """
        ...

    def play(self, job: Job, *, is_cancelled: IsCancelled) -> CaseRollout:
        """The case's rollout.

        Raises:
            EngineError: The model cannot be asked.
            BadInput: The case cannot be played so.
        """
        ...

    def judge(
        self, rubric: str, job: Job, played: CaseRollout, *, is_cancelled: IsCancelled
    ) -> RubricVerdict:
        """What the judge says of a rollout.

        Raises:
            EngineError: The judge cannot be asked, or gives no verdict.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """How far a run is."""

    total: int
    done: int = 0
    """Plays that are over, those of an earlier beginning too."""
    passed: int = 0
    errors: int = 0
    seconds_left: float | None = None
    """By the pace up to now; None while there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStarted:
    """A case is played from now on."""

    job: Job


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFinished:
    """A case was played and scored."""

    result: CaseResult
    progress: RunProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """Nothing more will come."""

    is_cancelled: bool
    """True where plays are left."""
    progress: RunProgress


RunEvent = CaseStarted | CaseFinished | RunEnded
"""Anything that happens in a run."""


def run(
    jobs: Sequence[Job],
    player: Player,
    *,
    clock: Clock,
    timeout_s: float,
    is_cancelled: IsCancelled,
    done: Collection[CaseResult] = (),
) -> Iterator[RunEvent]:
    """Plays the jobs in order; those that have a result are not played again.

    Args:
        jobs: All of the run's, arms in a row.
        player: Plays them.
        timeout_s: What a case may take; one that takes longer is an error.
        is_cancelled: True once a person has stopped it; cases under way are left out.
        done: Results of an earlier beginning.

    Raises:
        StoreError: A rollout could not be kept.
    """
    progress = _begun(len(jobs), done)
    finished = frozenset(result.key for result in done)
    pending = [job for job in jobs if job.key not in finished]
    case_player = _CasePlayer(player, clock, timeout_s, is_cancelled)
    started_s, played = clock.seconds(), 0
    for _, group in groupby(pending, key=lambda job: job.arm.label):
        for event in case_player.play_all(list(group)):
            if isinstance(event, CaseStarted):
                yield event
                continue
            played += 1
            pace_s = (clock.seconds() - started_s) / played
            progress = _after(progress, event, pace_s)
            yield CaseFinished(result=event, progress=progress)
        if is_cancelled():
            break
    yield RunEnded(is_cancelled=progress.done < progress.total, progress=progress)


class _CasePlayer:
    """Plays and scores cases of one run."""

    def __init__(self, player: Player, clock: Clock, timeout_s: float, is_cancelled: IsCancelled) -> None:
        self._player = player
        self._clock = clock
        self._timeout_s = timeout_s
        self._is_cancelled = is_cancelled

    def play_all(self, jobs: Sequence[Job]) -> Iterator[CaseStarted | CaseResult]:
        """Jobs of one arm, as many at once as its engine takes."""
        try:
            at_once = self._player.at_once(jobs[0].arm)
        except (BadInput, EngineError) as error:
            yield from (error_of(job, str(error)) for job in jobs)
            return
        if at_once > 1:
            yield from self._play_many(jobs, at_once)
            return
        for job in jobs:
            if self._is_cancelled():
                return
            yield CaseStarted(job=job)
            result = self._result(job)
            if result is not None:
                yield result

    def _play_many(self, jobs: Sequence[Job], at_once: int) -> Iterator[CaseStarted | CaseResult]:
        waiting, running = list(reversed(jobs)), set[Future[CaseResult | None]]()
        with ThreadPoolExecutor(at_once, "suite-case") as pool:
            while (waiting and not self._is_cancelled()) or running:
                while waiting and len(running) < at_once and not self._is_cancelled():
                    job = waiting.pop()
                    yield CaseStarted(job=job)
                    running.add(pool.submit(self._result, job))
                over, running = wait(running, return_when=FIRST_COMPLETED)
                for future in over:
                    result = future.result()
                    if result is not None:
                        yield result

    def _result(self, job: Job) -> CaseResult | None:
        """What came of it; None where a person stopped it."""
        deadline_s = self._clock.seconds() + self._timeout_s

        def is_over() -> bool:
            return self._is_cancelled() or self._clock.seconds() >= deadline_s

        played: CaseRollout | None = None
        try:
            played = self._player.play(job, is_cancelled=is_over)
            if played.end in (EndReason.CANCELLED, EndReason.INTERRUPTED):
                return self._broken_off(job, played)
            verdicts = self._verdicts(job, played, is_over)
        except (BadInput, EngineError) as error:
            return None if self._is_cancelled() else error_of(job, str(error), played)
        return result_of(job, played, score(job.case, played, verdicts))

    def _broken_off(self, job: Job, played: CaseRollout) -> CaseResult | None:
        if played.end is EndReason.INTERRUPTED:
            return error_of(job, played.problem or "the completion broke off", played)
        if self._is_cancelled():
            return None
        return error_of(job, f"it took over {self._timeout_s:g} s and was stopped", played)

    def _verdicts(self, job: Job, played: CaseRollout, is_over: IsCancelled) -> Mapping[str, RubricVerdict]:
        rubrics = dict.fromkeys(rubric for one in job.case.expectations for rubric in one.rubrics())
        return {rubric: self._player.judge(rubric, job, played, is_cancelled=is_over) for rubric in rubrics}


def _begun(total: int, done: Collection[CaseResult]) -> RunProgress:
    passed = sum(one.is_passed for one in done)
    errors = sum(one.status is CaseStatus.ERROR for one in done)
    return RunProgress(total=total, done=len(done), passed=passed, errors=errors)


def _after(progress: RunProgress, result: CaseResult, pace_s: float) -> RunProgress:
    done = progress.done + 1
    return RunProgress(
        total=progress.total,
        done=done,
        passed=progress.passed + result.is_passed,
        errors=progress.errors + (result.status is CaseStatus.ERROR),
        seconds_left=pace_s * (progress.total - done),
    )

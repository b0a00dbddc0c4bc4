"""Run the jobs of a plan and score them, as a stream of events."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from workbench.errors import BadInput, EngineError
from workbench.rollout.events import EndReason
from workbench.rollout.ports import Clock
from workbench.rollout.stopping import LinkedStop
from workbench.suite.case_rollout import CaseRollout, RubricVerdict
from workbench.suite.plan import Arm, Job
from workbench.suite.result import Blame, CaseResult, CaseStatus, error_of, result_of, void_of
from workbench.suite.score import score

IsCancelled = Callable[[], bool]
"""Returns True once the work should stop. Called from several threads."""


class CaseExecutor(Protocol):
    """Runs single cases. Called from as many threads as `at_once` says."""

    def group_of(self, arm: Arm) -> Hashable:
        """Return a key that is equal for arms whose cases may run at the same time, with an equal `at_once`."""
        ...

    def at_once(self, arm: Arm) -> int:
        """Return how many cases of an arm, or of arms in the same group, can run at the same time.

        Raises:
            EngineError: The model of the arm cannot be loaded or reached.
            BadInput: There is no such model.
        """
        ...

    def run(self, job: Job, *, is_cancelled: IsCancelled) -> CaseRollout:
        """Run a case and return its rollout.

        Raises:
            EngineError: The model cannot be loaded or reached, or fails.
            BadInput: The case cannot be run with this arm.
        """
        ...

    def judge(
        self, rubric: str, job: Job, rollout: CaseRollout, *, is_cancelled: IsCancelled
    ) -> RubricVerdict:
        """Return a judge's verdict on a rollout.

        Raises:
            EngineError: The judge cannot be reached, or gives no verdict.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """The progress of a run, in jobs."""

    total: int
    done: int = 0
    """Number of finished jobs, including those finished before the run was resumed."""
    passed: int = 0
    unchecked: int = 0
    errors: int = 0
    void: int = 0
    """Conversations in which the person made a mistake."""
    seconds_left: float | None = None
    """Estimated from the pace so far, or None before the first job is finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStarted:
    """A job was started."""

    job: Job


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFinished:
    """A job was finished and scored."""

    result: CaseResult
    progress: RunProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """The last event of a run."""

    is_cancelled: bool
    """True if jobs are left."""
    progress: RunProgress


RunEvent = CaseStarted | CaseFinished | RunEnded
"""An event of a run."""


def run(
    jobs: Sequence[Job],
    executor: CaseExecutor,
    *,
    clock: Clock,
    timeout_s: float,
    is_cancelled: IsCancelled,
    done: Collection[CaseResult] = (),
) -> Iterator[RunEvent]:
    """Run the jobs in order and yield an event for each step. Jobs that have a result are not run again.

    Args:
        jobs: All jobs of the run. Jobs of an arm follow each other.
        timeout_s: Time limit for a case. A case that takes longer is an error.
        is_cancelled: Returns True once a person stops the run. Cases that are running then give no result.
        done: Results from before the run was resumed.

    Raises:
        StoreError: A rollout could not be stored.
    """
    progress = _initial_progress(len(jobs), done)
    finished = frozenset(result.key for result in done)
    pending = [job for job in jobs if job.key not in finished]
    scorer = _ScoringRunner(executor, clock, timeout_s, is_cancelled)
    started_s, finished_count = clock.seconds(), 0
    for _, group in groupby(pending, key=lambda job: executor.group_of(job.arm)):
        for event in scorer.run_all(list(group)):
            if isinstance(event, CaseStarted):
                yield event
                continue
            finished_count += 1
            pace_s = (clock.seconds() - started_s) / finished_count
            progress = _after(progress, event, pace_s)
            yield CaseFinished(result=event, progress=progress)
        if is_cancelled():
            break
    yield RunEnded(is_cancelled=progress.done < progress.total, progress=progress)


class _ScoringRunner:
    """Runs and scores the cases of one run."""

    def __init__(
        self, executor: CaseExecutor, clock: Clock, timeout_s: float, is_cancelled: IsCancelled
    ) -> None:
        self._executor = executor
        self._clock = clock
        self._timeout_s = timeout_s
        self._is_cancelled = is_cancelled

    def run_all(self, jobs: Sequence[Job]) -> Iterator[CaseStarted | CaseResult]:
        """Run the jobs of one group of arms, as many at once as the executor allows."""
        try:
            at_once = self._executor.at_once(jobs[0].arm)
        except (BadInput, EngineError) as error:
            yield from (error_of(job, str(error)) for job in jobs)
            return
        if at_once > 1:
            yield from self._run_in_parallel(jobs, at_once)
            return
        for job in jobs:
            if self._is_cancelled():
                return
            yield CaseStarted(job=job)
            result = self._result(job)
            if result is not None:
                yield result

    def _run_in_parallel(self, jobs: Sequence[Job], at_once: int) -> Iterator[CaseStarted | CaseResult]:
        waiting, running = list(reversed(jobs)), set[Future[CaseResult | None]]()
        with ThreadPoolExecutor(at_once, "suite-case") as pool:
            while (waiting and not self._is_cancelled()) or running:
                while waiting and len(running) < at_once and not self._is_cancelled():
                    job = waiting.pop()
                    yield CaseStarted(job=job)
                    running.add(pool.submit(self._result, job))
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    result = future.result()
                    if result is not None:
                        yield result

    def _result(self, job: Job) -> CaseResult | None:
        """Run and score a job. Return None if a person stopped it."""
        deadline_s = self._clock.seconds() + self._timeout_s
        is_over = LinkedStop(self._is_cancelled, lambda: self._clock.seconds() >= deadline_s)
        rollout: CaseRollout | None = None
        try:
            rollout = self._executor.run(job, is_cancelled=is_over)
            if rollout.end in (EndReason.CANCELLED, EndReason.TIMEOUT, EndReason.INTERRUPTED):
                return self._incomplete(job, rollout)
            if rollout.void:
                return void_of(job, rollout)
            verdicts = self._verdicts(job, rollout, is_over)
        except (BadInput, EngineError) as error:
            if self._is_cancelled():
                return None
            return error_of(job, str(error), rollout, blame=Blame.JUDGE if rollout else None)
        return result_of(job, rollout, score(job.case, rollout, verdicts))

    def _incomplete(self, job: Job, rollout: CaseRollout) -> CaseResult | None:
        """Return the result of a rollout that did not end, or None if a person stopped it."""
        if self._is_cancelled():
            return None
        if rollout.end is EndReason.INTERRUPTED:
            return error_of(job, rollout.problem or "the completion was interrupted", rollout)
        return error_of(job, f"stopped after the time limit of {self._timeout_s:g} s", rollout)

    def _verdicts(self, job: Job, rollout: CaseRollout, is_over: IsCancelled) -> Mapping[str, RubricVerdict]:
        expectations = job.case.expectations
        rubrics = dict.fromkeys(rubric for expectation in expectations for rubric in expectation.rubrics())
        return {
            rubric: self._executor.judge(rubric, job, rollout, is_cancelled=is_over) for rubric in rubrics
        }


def _initial_progress(total: int, done: Collection[CaseResult]) -> RunProgress:
    counts = Counter(result.status for result in done)
    return RunProgress(
        total=total,
        done=len(done),
        passed=counts[CaseStatus.PASSED],
        unchecked=counts[CaseStatus.UNCHECKED],
        errors=counts[CaseStatus.ERROR],
        void=counts[CaseStatus.VOID],
    )


def _after(progress: RunProgress, result: CaseResult, pace_s: float) -> RunProgress:
    done = progress.done + 1
    return RunProgress(
        total=progress.total,
        done=done,
        passed=progress.passed + result.is_passed,
        unchecked=progress.unchecked + (result.status is CaseStatus.UNCHECKED),
        errors=progress.errors + (result.status is CaseStatus.ERROR),
        void=progress.void + (result.status is CaseStatus.VOID),
        seconds_left=pace_s * (progress.total - done),
    )

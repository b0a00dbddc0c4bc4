"""Runs of suites as stored: state, plan and results."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from workbench.suite.plan import Arm, RunPlan
from workbench.suite.result import CaseResult


class RunState(StrEnum):
    """State of a run."""

    RUNNING = "running"
    """It is in progress."""
    INTERRUPTED = "interrupted"
    """Its process ended early, or an error stopped it; it can be continued."""
    STOPPED = "stopped"
    """Somebody stopped it; it can be continued."""
    DONE = "done"
    """Every repetition of every case has a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun:
    """A run in a list."""

    id: str
    """Random and hard to guess."""
    title: str
    """Names of its suites and arms."""
    state: RunState
    created_at: datetime
    """When it was started, UTC."""
    updated_at: datetime
    """When its last result was stored, UTC."""
    total: int
    done: int
    passed: int
    errors: int
    unchecked: int = 0
    """Answers to cases without expectations."""
    void: int = 0
    """Conversations in which the person made a mistake."""
    suites: tuple[str, ...] = ()
    contracts: tuple[str, ...] = ()
    """Names of its contracts, such as `minimal@3`."""
    models: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    share_key: str | None = None
    """Key of the link to its report. None if it is not shared."""

    @property
    def checked(self) -> int:
        """Number of results that passed or failed."""
        return self.done - self.errors - self.unchecked - self.void

    @property
    def seconds(self) -> float:
        """Seconds from the start to the last result or change of the state."""
        return (self.updated_at - self.created_at).total_seconds()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A stored run."""

    listed: ListedRun
    plan: RunPlan

    @property
    def id(self) -> str:
        """Id of the run."""
        return self.listed.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResults:
    """An arm of a run with its results."""

    run_id: str
    title: str
    created_at: datetime
    """When the run was started, UTC."""
    arm: Arm
    """Setup with which the cases were run."""
    results: tuple[CaseResult, ...] = field(hash=False)
    """Results of all repetitions, in no particular order."""

"""Runs of suites as stored: state, plan and results."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from workbench.suite.plan import Arm, RunPlan
from workbench.suite.result import CaseResult


class RunState(StrEnum):
    """How far a run is."""

    RUNNING = "running"
    """It is played, or the process that played it ended in the middle: then it can be gone on with."""
    STOPPED = "stopped"
    """A person stopped it; it can be gone on with."""
    DONE = "done"
    """Every play has its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun:
    """A run as a list shows it."""

    id: str
    """Unguessable."""
    title: str
    """Its suites and what is compared, for a person."""
    state: RunState
    created_at: datetime
    """When it was begun, UTC."""
    updated_at: datetime
    """When its last result came, UTC."""
    total: int
    done: int
    passed: int
    errors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run of the store."""

    listed: ListedRun
    plan: RunPlan

    @property
    def id(self) -> str:
        """Of the run."""
        return self.listed.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResults:
    """One arm of a run, with what came of it."""

    run_id: str
    title: str
    """Of the run, for a person."""
    created_at: datetime
    """When the run was begun, UTC."""
    arm: Arm
    """The way in which its cases were played."""
    results: tuple[CaseResult, ...] = field(hash=False)
    """Of its plays, in no order."""

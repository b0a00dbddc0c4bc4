"""Runs as the store gives them back."""

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
    """How far it is."""
    created_at: datetime
    """When it was begun, UTC."""
    updated_at: datetime
    """When its last result came, UTC."""
    total: int
    """Plays."""
    done: int
    """Plays that have a result."""
    passed: int
    """Of these."""
    errors: int
    """Of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run of the store."""

    listed: ListedRun
    """As a list shows it."""
    plan: RunPlan
    """All that it depends on."""

    @property
    def id(self) -> str:
        """Of the run."""
        return self.listed.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResults:
    """One arm of a run, with what came of it."""

    run_id: str
    """Of the run."""
    title: str
    """Of the run, for a person."""
    created_at: datetime
    """When the run was begun, UTC."""
    arm: Arm
    """The way in which its cases were played."""
    results: tuple[CaseResult, ...] = field(hash=False)
    """Of its plays, in no order."""

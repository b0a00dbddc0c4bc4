"""Which sessions become rows."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from workbench.records.labels.project import QueueState


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a session must be or have; None and empty ask nothing. All that is asked must hold.

    Rollouts of suites are not among them, unless their ids or a state of labelling is asked for.
    """

    session_ids: tuple[str, ...] | None = None
    """It is one of these."""
    tag: str | None = None
    """One of its tags, or of its labels'."""
    verdict: str | None = None
    """Some label that counts says so; a `Verdict`. Where a label decides, it alone counts at its place."""
    min_rating: int | None = None
    """It was rated, and no rating that counts is lower."""
    max_rating: int | None = None
    """It was rated, and no rating that counts is higher."""
    state: QueueState | None = None
    """So far is its labelling; pending also what was never given to anybody."""
    project: str | None = None
    """The labelling project whose labels and queue count; None takes those of all projects."""
    contract: str | None = None
    """Name of its contract, or the beginning of the hash of the contract's text, of 6 signs or more."""
    model: str | None = None
    """Name of an engine that wrote in it."""
    since: datetime | None = None
    """Last used then or later; aware."""
    until: datetime | None = None
    """Last used before; aware."""
    is_discarded_taken: bool = False
    """Whether sessions that labellers discarded are taken too; those of `state` discarded always are."""


EVERYTHING: Final = Choice()
"""All sessions that nobody discarded."""

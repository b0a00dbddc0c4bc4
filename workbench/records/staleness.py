"""Which messages are stale: those with a message above them that was corrected after they were written.

The idea: each message follows from everything above it. If an annotator corrects one, the messages below answer a
text that is no longer there. Example: a call asks for the weather in Paris, and its correction asks for Rome.
The result and the answer below still speak about Paris, and must not be trained on together with the
correction.

A stale message is valid again if somebody accepts it ("still correct") after the correction, or if it is
regenerated, which makes a new branch with newer messages.

Invariants: only the latest correction above a message counts, so one walk from the root to the leaf with a
running maximum is enough. A correction does not make its own message stale. A call that was added before an answer
does, since the answer then follows its result; one that was added to other calls leaves their results valid. At equal
times, a correction counts
as later than the message and as earlier than the acceptance, so neither is lost where the clock is coarse.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStep:
    """What staleness depends on, for one message of a path."""

    message_id: str
    created_at: datetime
    """When it was stored."""
    corrected_at: datetime | None = None
    """When its correction was last changed; None if it was never corrected."""
    called_before_at: datetime | None = None
    """When a call before it was last added; None if there is none."""
    called_beside_at: datetime | None = None
    """When a call was last added to its own calls; None if there is none."""
    is_result: bool = False
    """Whether it is a tool result."""
    accepted_at: datetime | None = None
    """When somebody last accepted it in spite of a correction above; None if nobody did."""


def find_stale(path: Sequence[PathStep]) -> Collection[str]:
    """Return the ids of the stale messages of a path, in order; see the description of the module.

    Args:
        path: From the root to the leaf.
    """
    stale: list[str] = []
    corrected_at: datetime | None = None
    added_at: datetime | None = None
    for step in path:
        if not step.is_result:
            corrected_at, added_at = _latest(corrected_at, added_at, step.called_before_at), None
        if corrected_at is not None and not _is_current(step, corrected_at):
            stale.append(step.message_id)
        corrected_at = _latest(corrected_at, step.corrected_at)
        added_at = _latest(added_at, step.called_beside_at)
    return tuple(stale)


def _latest(*moments: datetime | None) -> datetime | None:
    return max(filter(None, moments), default=None)


def _is_current(step: PathStep, corrected_at: datetime) -> bool:
    is_newer = step.created_at > corrected_at
    return is_newer or (step.accepted_at is not None and step.accepted_at >= corrected_at)

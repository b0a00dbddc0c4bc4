"""Which messages are stale: those that came before a correction above them, and were not accepted since."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStep:
    """A message on its path, as far as staleness goes."""

    message_id: str
    """The message's."""
    created_at: datetime
    """When it was committed."""
    corrected_at: datetime | None = None
    """When what stands beside it was last changed; None where nothing ever did."""
    accepted_at: datetime | None = None
    """When somebody last said that it holds all the same; None where nobody did."""


def find_stale(path: Sequence[PathStep]) -> Collection[str]:
    """The stale messages of a path, in order.

    A message stands on what is above it. Where that is corrected later than the message was made, the
    message no longer follows from it, until it is made anew (which is a branch with new messages) or accepted.
    A correction at the very moment of either counts as later than the making, and earlier than the accepting.

    Args:
        path: From the root to the leaf.
    """
    stale: list[str] = []
    corrected_at: datetime | None = None
    for step in path:
        if corrected_at is not None and not _holds(step, corrected_at):
            stale.append(step.message_id)
        if step.corrected_at is not None:
            corrected_at = max(filter(None, (corrected_at, step.corrected_at)))
    return tuple(stale)


def _holds(step: PathStep, corrected_at: datetime) -> bool:
    is_newer = step.created_at > corrected_at
    return is_newer or (step.accepted_at is not None and step.accepted_at >= corrected_at)

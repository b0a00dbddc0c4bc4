"""What a row format is."""

from collections.abc import Callable
from dataclasses import dataclass

from workbench.chat.json_value import JsonObject
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.holding import Step, Terms

Spell = Callable[[Trajectory, Terms], JsonObject]
"""Writes a trajectory that the format can hold as a row of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFormat:
    """One shape of training rows. *Source:* `docs/reference/formats.md`, by name."""

    name: str
    """As verbs name it."""
    title: str
    """One line for people: who writes or trains on it."""
    fits: Callable[[JsonObject], bool]
    """Whether a row looks like one; formats are asked the most telling first."""
    read: Callable[[JsonObject], TrainingRow]
    """Reads a row that perhaps is none: what is missing or unreadable is a finding, never an exception."""
    steps: tuple[Step, ...] = ()
    """Bring a trajectory into what the format can hold, in this order."""
    spell: Spell | None = None
    """Writes it; None where the format is only read."""

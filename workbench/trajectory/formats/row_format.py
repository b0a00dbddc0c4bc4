"""What a row format is."""

from collections.abc import Callable
from dataclasses import dataclass

from workbench.chat.json_value import JsonObject
from workbench.trajectory.row import TrainingRow


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFormat:
    """One shape of training rows. *Source:* `docs/reference/rows.md`, by name."""

    name: str
    """As verbs name it."""
    title: str
    """One line for people: who writes or trains on it."""
    fits: Callable[[JsonObject], bool]
    """Whether a row looks like one; formats are asked the most telling first."""
    read: Callable[[JsonObject], TrainingRow]
    """Reads a row that perhaps is none: what is missing or unreadable is a finding, never an exception."""

"""The interface of a row format, and its traits."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.chat.json_value import JsonObject
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.row_draft import RowOptions, Step

Spell = Callable[[Trajectory, RowOptions], JsonObject]
"""Writes a trajectory that the format can hold as a row of it."""


class RowContent(StrEnum):
    """What one row of a format holds."""

    CONVERSATION = "conversation"
    PAIR = "pair"
    """A prompt with a preferred and a rejected answer."""
    VERDICT = "verdict"
    """A prompt with an answer, and whether the answer is good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFormat:
    """One shape of training rows. *Source:* `docs/reference/formats.md`, by name."""

    name: str
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
    session_steps: tuple[Step, ...] | None = None
    """Replaces `steps` for a session of the store, whose system text is kept as the model was given it. None uses
    `steps` for sessions too."""
    content: RowContent = RowContent.CONVERSATION
    has_object_arguments: bool = False
    """Whether arguments are written as JSON objects. A column of objects needs one type for each argument, so a data
    set with mixed types is written with arguments as text."""
    joins_results: bool = False
    """Whether the results of several calls must be in one entry."""

    def for_sessions(self) -> "RowFormat":
        """The format as sessions of the store are written in it."""
        return self if self.session_steps is None else replace(self, steps=self.session_steps)

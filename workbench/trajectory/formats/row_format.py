"""Define what a row format consists of."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.chat.json_value import JsonObject
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.row_draft import RowOptions, Step

Spell = Callable[[Trajectory, RowOptions], JsonObject]
"""Writes a trajectory that the format can hold as a row."""


class RowContent(StrEnum):
    """What a row of a format holds."""

    CONVERSATION = "conversation"
    PAIR = "pair"
    """A prompt with a preferred and a rejected answer."""
    VERDICT = "verdict"
    """A prompt with an answer and whether the answer is good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFormat:
    """A format of training rows; `docs/reference/formats.md` describes each by its name."""

    name: str
    title: str
    """One line for people: who writes the format or trains on it."""
    fits: Callable[[JsonObject], bool]
    """Whether a row looks like this format."""
    could_be: Callable[[JsonObject], bool] | None = None
    """Whether a row can be of this format, even if it looks like another. None: only if it looks like this one."""
    read: Callable[[JsonObject], TrainingRow]
    """Reads any row; missing or unreadable parts become findings, never exceptions."""
    steps: tuple[Step, ...] = ()
    """Steps that change a trajectory so that the format can hold it, in this order."""
    spell: Spell | None = None
    """Writes a row; None if the format can only be read."""
    content: RowContent = RowContent.CONVERSATION
    has_object_arguments: bool = False
    """Whether arguments are written as JSON objects. A column of objects needs one type per argument, so rows with
    mixed types are written with arguments as text."""
    needs_text_arguments: bool = False
    """Whether arguments must be JSON text, because what reads the format refuses objects."""
    dataset_info: JsonObject | None = field(default=None, hash=False)
    """The entry of LLaMA-Factory's `dataset_info.json`, without the name of the file; None if it cannot read the
    format."""
    answers: tuple[str, str] = ("chosen", "rejected")
    """Columns of the preferred and the rejected answer, in formats with two answers."""
    joins_results: bool = False
    """Whether the results of parallel calls must be in one entry."""

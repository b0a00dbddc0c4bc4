"""Define what a row format consists of."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue
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


class LogShape(NamedTuple):
    """How files become rows in a format whose files hold the events of a session, one on each line."""

    begins: Callable[[JsonObject], bool]
    """Whether an object can be the first event of such a file."""
    sessions: Callable[[Sequence[JsonValue]], Iterable[Sequence[JsonValue]]] = lambda lines: (lines,)
    """Divides the lines of a file into sessions, each with null in place of the lines of the others."""


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
    log: LogShape | None = None
    """How a file of events becomes rows; None if every line is a row."""

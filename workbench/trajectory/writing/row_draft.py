"""A trajectory on its way into a format: each step changes it and records what was lost or added."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from workbench.chat.message import Role
from workbench.trajectory.trajectory import RowMessage, Trajectory


class Loss(StrEnum):
    """What a format cannot hold. *Source:* `docs/reference/formats.md`, by code."""

    IDS = "ids"
    """What ties a result to its call; it is told by order alone."""
    PREFACE = "preface"
    """Text beside calls."""
    REASONING = "reasoning"
    PART_ORDER = "part-order"
    """In what order thoughts, texts and calls of one message stood."""
    WHITE_SPACE = "white-space"
    """White space of a text at the side of a call or thought."""
    RESULT_NAMES = "result-names"
    """Which tool gave a result that answers no call."""
    LOSS_MASK = "loss-mask"
    """Which messages the loss counts."""
    BIG_INTEGERS = "big-integers"
    """Integers beyond 64 bits, which Arrow cannot hold."""
    REJECTED = "rejected"
    """The answer that was not chosen."""
    LABEL = "label"
    """Whether the answer is good."""
    ANSWER_START = "answer-start"
    """Where the prompt ends and the answer begins."""
    TOOL_KEYS = "tool-keys"
    """Keys of a tool spec beside its function."""
    COLUMN = "column"
    """A column whose name the format needs for itself."""


class Addition(StrEnum):
    """What a conversion adds or rearranges; nothing is lost by it."""

    FIXED = "fixed"
    """A text is written with its safe fixes made, as strict reads it."""
    IDS_MADE = "ids-made"
    """Calls got ids."""
    RESULTS_ORDERED = "results-ordered"
    """Results were put into the order of their calls."""
    TOOLS_TOLD = "tools-told"
    """The system text now tells of the tools."""
    TOOLS_TOLD_TWICE = "tools-told-twice"
    """The system text tells of the tools in its own words, and a chat template will tell of them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionChange:
    """One thing that a conversion changed in one row."""

    code: Loss | Addition
    entry: int | None = None
    """Place of the entry in the row that was read, from 0; None where the whole row is meant."""
    detail: str = ""
    """More about it, such as the name of a column."""

    @property
    def is_loss(self) -> bool:
        """Whether something is gone."""
        return isinstance(self.code, Loss)


SOURCE = "hermes-workbench"
"""What a row says of where it comes from, where the row that was read does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOptions:
    """How a person wants rows written, where a format leaves a choice."""

    result_role: Literal["tool", "user"] = "tool"
    """Whose entry holds results, in formats of Hermes' texts."""
    frame: str = "hermes-array"
    """In which sentences a system text tells of tools; see `workbench.trajectory.system_text`."""
    arguments: Literal["object", "text"] = "object"
    """How arguments are written in TRL's formats: as they are, or as a text of JSON."""
    label: bool | None = None
    """What is said of rows that no one has judged; None refuses them where a format needs it."""
    source: str = SOURCE
    """What is said of rows that do not say where they come from."""


@dataclass(slots=True)
class RowDraft:
    """A trajectory on its way into a format."""

    trajectory: Trajectory
    options: RowOptions
    changes: list[ConversionChange] = field(default_factory=list[ConversionChange])
    """What was done so far."""
    problems: list[str] = field(default_factory=list[str])
    """Why the format cannot hold it at all."""

    def note(self, code: Loss | Addition, entry: int | None = None, detail: str = "") -> None:
        """Note a change, once an entry; -1 stands for none, as in `RowMessage.place`."""
        change = ConversionChange(code=code, entry=None if entry == -1 else entry, detail=detail)
        if change not in self.changes:
            self.changes.append(change)

    def refuse(self, problem: str, message: RowMessage | None = None) -> None:
        """Note why the format cannot hold the trajectory."""
        where = f"entry {message.place}: " if message is not None and message.place >= 0 else ""
        self.problems.append(where + problem)

    def rewrite(self, change: Callable[[RowMessage], RowMessage]) -> None:
        """Change every message, of the rejected answer too."""
        self.rebuild(lambda messages: map(change, messages))

    def rebuild(self, change: Callable[[tuple[RowMessage, ...]], Iterable[RowMessage]]) -> None:
        """Change the messages as a whole; prompt and answer apart where the trajectory tells them apart."""
        given = self.trajectory
        start = given.answer_start
        if start is None:
            messages = tuple(change(given.messages))
        else:
            prompt = tuple(change(given.messages[:start]))
            messages, start = (*prompt, *change(given.messages[start:])), len(prompt)
        rejected = tuple(change(given.rejected))
        self.trajectory = replace(given, messages=messages, rejected=rejected, answer_start=start)

    def rounds(self) -> Iterator[tuple[RowMessage, tuple[RowMessage, ...]]]:
        """Each message of the model with the results that follow it."""
        for messages in (self.trajectory.messages, self.trajectory.rejected):
            for index, message in enumerate(messages):
                if message.role is Role.ASSISTANT:
                    yield message, results_behind(messages, index)


Step = Callable[[RowDraft], None]
"""One thing that a format cannot hold, or needs."""


def results_behind(messages: tuple[RowMessage, ...], index: int) -> tuple[RowMessage, ...]:
    """The messages of tools that directly follow the one at `index`."""
    end = index + 1
    while end < len(messages) and messages[end].role is Role.TOOL:
        end += 1
    return messages[index + 1 : end]

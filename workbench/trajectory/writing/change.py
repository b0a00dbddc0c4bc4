"""What a conversion does to a row beside giving it another shape."""

from dataclasses import dataclass
from enum import StrEnum


class Loss(StrEnum):
    """What a format cannot hold. *Source:* `docs/reference/formats.md`, by code."""

    IDS = "ids"
    """What ties a result to its call; it is told by order alone."""
    PREFACE = "preface"
    """Text beside calls."""
    REASONING = "reasoning"
    """Thoughts."""
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
class Change:
    """One thing that a conversion changed in one row."""

    code: Loss | Addition
    """What."""
    entry: int | None = None
    """Place of the entry in the row that was read, from 0; None where the whole row is meant."""
    detail: str = ""
    """More about it, such as the name of a column."""

    @property
    def is_loss(self) -> bool:
        """Whether something is gone."""
        return isinstance(self.code, Loss)

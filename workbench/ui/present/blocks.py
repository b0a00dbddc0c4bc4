"""The blocks of a message in the transcript."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseBlock:
    """Text for people."""

    text: str
    """Without the blank lines around it."""
    kind: str = "prose"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtBlock:
    """Reasoning, folded."""

    text: str
    note: str
    kind: str = "thought"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """What a tool gave back."""

    id: str
    text: str
    is_error: bool
    """True where the tool failed or the call was refused."""
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A row of a call's table."""

    name: str
    value: str
    """JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCard:
    """A call that could be read."""

    index: int
    """Place in the reading's calls."""
    name: str
    status: str
    tone: str
    arguments: tuple[Argument, ...]
    """In the order written."""
    notes: tuple[str, ...]
    result: ResultRow | None
    """None until there is one."""
    kind: str = "call"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenCall:
    """A call that could not be read, or was cut off."""

    text: str
    status: str
    """dropped or unfinished."""
    notes: tuple[str, ...]
    tone: str = "error"
    kind: str = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailingBlock:
    """What stands behind the turn's end."""

    label: str
    text: str
    kind: str = "stray"


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseResult:
    """A result whose call is not known."""

    result: ResultRow
    kind: str = "result"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemBlock:
    """The system text."""

    summary: str
    """Its first line and size."""
    text: str
    kind: str = "folded"


Block = ProseBlock | ThoughtBlock | CallCard | BrokenCall | TrailingBlock | LooseResult | SystemBlock
"""What a message is shown as."""

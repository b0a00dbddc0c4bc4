"""The blocks of a message in the transcript."""

from dataclasses import dataclass

from workbench.ui.present.world import ChangeRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseBlock:
    """Text that the user or the model wrote for people."""

    text: str
    """The text, without blank lines at its start and end."""
    kind: str = "prose"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtBlock:
    """A thought of the model, collapsed at first."""

    text: str
    note: str
    kind: str = "thought"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """The result of a tool call."""

    id: str
    text: str
    is_error: bool
    """True if the tool failed or the call was refused."""
    note: str
    changes: tuple[ChangeRow, ...] = ()
    """What the call changed in the world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of a call."""

    name: str
    value: str
    """The value as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCard:
    """A call that the reader could parse."""

    index: int
    """Index into the calls of the reading."""
    name: str
    status: str
    tone: str
    arguments: tuple[Argument, ...]
    """In the order in which the model wrote them."""
    notes: tuple[str, ...]
    result: ResultRow | None
    """None if the call was not run."""
    kind: str = "call"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenCall:
    """A call that could not be parsed, or that was cut off."""

    text: str
    status: str
    """`dropped` or `unfinished`."""
    notes: tuple[str, ...]
    tone: str = "error"
    kind: str = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailingBlock:
    """Text after the end of the turn."""

    label: str
    text: str
    kind: str = "stray"


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseResult:
    """A tool result without a known call."""

    result: ResultRow
    kind: str = "result"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedBlock:
    """A system text or another long text, collapsed at first."""

    summary: str
    """The first line and the size of the text."""
    text: str
    kind: str = "folded"


Block = ProseBlock | ThoughtBlock | CallCard | BrokenCall | TrailingBlock | LooseResult | FoldedBlock
"""Any block that a message can be made of."""

"""What happens while a completion is still being written."""

from typing import NamedTuple

from workbench.hermes.reading import SegmentKind


class TextDelta(NamedTuple):
    """More prose or thought. Tags of thoughts are left out of neither: the pieces are the text."""

    kind: SegmentKind
    """Prose or thought."""
    text: str
    """Never part of a tag that is still being written."""


class ProseBecameThought(NamedTuple):
    """All prose given so far was a thought: its close tag came without an open tag."""


class CallStarted(NamedTuple):
    """A call's name is certain."""

    call_index: int
    """0, 1, 2, …; of all events of this call."""
    name: str
    """The tool."""


class ArgumentsDelta(NamedTuple):
    """More of a call's arguments; together they are one JSON text."""

    call_index: int
    """Of the call."""
    text: str
    """What is certain now; never taken back."""


class CallEnded(NamedTuple):
    """A call is complete, and its arguments with it."""

    call_index: int
    """Of the call."""


class CallDropped(NamedTuple):
    """A call that had started is none: it was cut off or cannot be read. It must not be run."""

    call_index: int
    """Of the call."""


Event = TextDelta | ProseBecameThought | CallStarted | ArgumentsDelta | CallEnded | CallDropped
"""What `Stream.feed` gives."""

"""Messages and conversations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.chat.json_value import JsonValue


class Role(StrEnum):
    """Who wrote a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"

    # An enum's own hash is a function in Python, which every look-up in a dictionary of roles would call.
    __hash__ = str.__hash__


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A model's request to run a tool."""

    name: str
    arguments: Mapping[str, JsonValue] = field(hash=False)
    """By parameter name, in the order written."""
    arguments_text: str | None = None
    """The arguments byte for byte if they were given as a JSON string, or None if as an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool returned, always as text, because that is what the model sees."""

    text: str
    """The result byte for byte. Valid JSON if the tool returned a value or failed."""
    is_error: bool = False
    """Whether the tool failed. The text then says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    role: Role
    text: str
    """Byte for byte: an assistant's completion, or a tool's result without a wrapper."""
    calls: tuple[ToolCall, ...] = ()
    """Calls that were given as structured data, as in imported rows. Empty if the text contains the calls."""
    thought: str | None = None
    """Reasoning that was given separately, or None if it is missing or part of the text."""
    name: str | None = None
    """The tool's name in a tool message, or None if it is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A sequence of messages."""

    messages: tuple[Message, ...]
    """Oldest first."""

    def plus(self, *messages: Message) -> "Conversation":
        """Return the conversation with `messages` appended."""
        return Conversation(messages=(*self.messages, *messages))

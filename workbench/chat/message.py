"""Messages and conversations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.chat.json_value import JsonValue


class Role(StrEnum):
    """Whose message it is."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A wish of the model to have a tool run."""

    name: str
    """The tool's name as read."""
    arguments: Mapping[str, JsonValue] = field(hash=False)
    """By parameter name, in the order written."""
    arguments_text: str | None = None
    """The arguments byte for byte where they were given as a text of JSON; None where as an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool gave back; always text, for that is what the model will see."""

    text: str
    """The result byte for byte; well-formed JSON where the tool gave a value or failed."""
    is_error: bool = False
    """True where the tool failed; the text then says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One party's text."""

    role: Role
    text: str
    """Byte for byte: of an assistant the completion, of a tool the result without any wrapper."""
    calls: tuple[ToolCall, ...] = ()
    """Calls that were given as structure (imported rows); empty where the text itself holds them."""
    thought: str | None = None
    """Reasoning that was given apart from the text; None where there is none or the text holds it."""
    name: str | None = None
    """Of a tool's message: the tool's name; None where it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Messages in order."""

    messages: tuple[Message, ...]
    """The oldest first."""

    def plus(self, *messages: Message) -> "Conversation":
        """The same conversation with `messages` at its end."""
        return Conversation(messages=(*self.messages, *messages))

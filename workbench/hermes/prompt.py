"""What an engine is sent, and where each message and mark stands in it."""

from dataclasses import dataclass

from workbench.chat.finding import Finding
from workbench.chat.message import Role
from workbench.chat.span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPart:
    """The stretch of a prompt that one message, or the family itself, accounts for."""

    span: Span
    """Framing included; the parts of a prompt follow each other without a gap."""
    role: Role
    """Whose message; of a tool's result `tool`, also where the family writes it into a user turn."""
    message_index: int | None
    """Which message of the conversation, from 0; None for what the family adds (tools, opened turn)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text for an engine."""

    text: str
    """Byte for byte, without a begin-of-text token: the engine adds that."""
    parts: tuple[PromptPart, ...]
    """In order; together they cover `text`."""
    marks: tuple[Span, ...]
    """Each literal mark that belongs to the format, in order: by the family, the contract or the model.

    Marks that user text, arguments, results or tool specs brought along are not here: they are findings.
    """
    findings: tuple[Finding, ...] = ()
    """What a reader of this prompt should know; spans are of `text`."""
    starts_in_thought: bool = False
    """True where the opened turn begins inside `<think>`, so that the completion does."""

"""How families write an assistant's message in the history: its text, with or without its thought."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from workbench.chat.message import Message, Role

THINK_OPEN: Final = "<think>\n"
"""Written before a thought. *Source:* Qwen3 chat template."""
THINK_CLOSE: Final = "\n</think>\n\n"
"""Written after a thought. *Source:* Qwen3 chat template."""


class AssistantPosition(NamedTuple):
    """The position of an assistant's message in the conversation."""

    is_after_query: bool
    """Whether it follows the last message that a person wrote, so that the turn is still running."""
    is_last: bool


class AssistantText(NamedTuple):
    """The parts of an assistant's message that are written, apart from its calls."""

    thought: str | None
    """Written between `THINK_OPEN` and `THINK_CLOSE`, or None for no thought."""
    text: str
    has_text: bool
    """Whether a separator goes between the text and the first call."""
    loses_thought: bool = False
    """Whether a thought is lost that the family means to keep."""


ShowThought = Callable[[Message, AssistantPosition], AssistantText]
"""Decides which parts of an assistant's message are written."""


def last_query(messages: Sequence[Message], *, is_trimmed: bool) -> int | None:
    """Return the index of the last message in which a person asks, or None.

    A user message that contains a tool result does not count. *Source:* Qwen3 and Qwen3.6 chat templates.
    """
    for index in reversed(range(len(messages))):
        text = messages[index].text.strip() if is_trimmed else messages[index].text
        is_result = text.startswith("<tool_response>") and text.endswith("</tool_response>")
        if messages[index].role is Role.USER and not is_result:
            return index
    return None


def ignored_thought(message: Message, place: AssistantPosition) -> AssistantText:
    """Write the text unchanged, and lose a separate thought. *Source:* Hermes-3 and Qwen2.5 chat templates."""
    del place
    return AssistantText(None, message.text, bool(message.text), loses_thought=bool(message.thought))


def written_thought(message: Message, place: AssistantPosition) -> AssistantText:
    """Write the separate thought, then the text unchanged."""
    del place
    return AssistantText(message.thought or None, message.text, bool(message.text))


def recent_thought(message: Message, place: AssistantPosition) -> AssistantText:
    """Write a thought only after the last question, if there is one or the message is the last one.

    The last message gets an empty thought if it has none. *Source:* Qwen3 chat template.
    """
    thought, text = _split(message, message.text)
    if place.is_after_query and (place.is_last or thought):
        return AssistantText(thought.strip("\n"), text.lstrip("\n"), bool(text))
    return AssistantText(None, text, bool(text))


def recent_thought_always(message: Message, place: AssistantPosition) -> AssistantText:
    """Write a thought, which may be empty, after the last question.

    Texts are stripped. *Source:* Qwen3.6 chat template.
    """
    thought, text = _split(message, message.text.strip())
    return AssistantText(thought.strip() if place.is_after_query else None, text, bool(text.strip()))


def _split(message: Message, text: str) -> tuple[str, str]:
    """Return the thought and the rest of a message. One that starts inside a thought has no opening tag."""
    if message.thought is not None:
        return message.thought, text
    if "</think>" not in text:
        return "", text
    pieces = text.split("</think>")
    return pieces[0].rstrip("\n").split("<think>")[-1].lstrip("\n"), pieces[-1].lstrip("\n")

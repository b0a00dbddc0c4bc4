"""How families show an assistant's message in history: its text, with or without its thought."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from workbench.chat.message import Message, Role

THINK_OPEN: Final = "<think>\n"
"""Before a thought. *Source:* chat template of Qwen3."""
THINK_CLOSE: Final = "\n</think>\n\n"
"""After a thought. *Source:* chat template of Qwen3."""


class AssistantPosition(NamedTuple):
    """Where an assistant's message stands."""

    is_after_query: bool
    """True behind the last message that a person wrote: the turn is still going on."""
    is_last: bool
    """True where no message follows."""


class AssistantText(NamedTuple):
    """What is written of an assistant's message, calls apart."""

    thought: str | None
    """Between `THINK_OPEN` and `THINK_CLOSE`; None where no thought is opened."""
    text: str
    has_text: bool
    """True where calls are to be set apart from a text before them."""
    loses_thought: bool = False
    """True where a thought that was given is not written, against the family's own aim."""


ShowThought = Callable[[Message, AssistantPosition], AssistantText]
"""Decides what is shown."""


def last_query(messages: Sequence[Message], *, is_trimmed: bool) -> int | None:
    """Index of the last message in which a person asks; None where there is none.

    A user message that holds a result is none. *Source:* chat templates of Qwen3 and Qwen3.6.
    """
    for index in reversed(range(len(messages))):
        text = messages[index].text.strip() if is_trimmed else messages[index].text
        is_result = text.startswith("<tool_response>") and text.endswith("</tool_response>")
        if messages[index].role is Role.USER and not is_result:
            return index
    return None


def ignored_thought(message: Message, place: AssistantPosition) -> AssistantText:
    """The text as it stands; a thought given apart is lost. *Source:* templates of Hermes-3, Qwen2.5."""
    del place
    return AssistantText(None, message.text, bool(message.text), loses_thought=bool(message.thought))


def written_thought(message: Message, place: AssistantPosition) -> AssistantText:
    """The text as it stands, after the thought that was given apart."""
    del place
    return AssistantText(message.thought or None, message.text, bool(message.text))


def recent_thought(message: Message, place: AssistantPosition) -> AssistantText:
    """Behind the last query, where there is a thought or the message is the last; empty there, if need be.

    *Source:* chat template of Qwen3.
    """
    thought, text = _split(message, message.text)
    if place.is_after_query and (place.is_last or thought):
        return AssistantText(thought.strip("\n"), text.lstrip("\n"), bool(text))
    return AssistantText(None, text, bool(text))


def recent_thought_always(message: Message, place: AssistantPosition) -> AssistantText:
    """Behind the last query, empty if need be; all is stripped. *Source:* chat template of Qwen3.6."""
    thought, text = _split(message, message.text.strip())
    return AssistantText(thought.strip() if place.is_after_query else None, text, bool(text.strip()))


def _split(message: Message, text: str) -> tuple[str, str]:
    """Thought and rest; a message that begins inside a thought has no opening tag."""
    if message.thought is not None:
        return message.thought, text
    if "</think>" not in text:
        return "", text
    pieces = text.split("</think>")
    return pieces[0].rstrip("\n").split("<think>")[-1].lstrip("\n"), pieces[-1].lstrip("\n")

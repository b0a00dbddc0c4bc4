"""What a trainer learns from a row: the text that the model sees, and the spans that the loss counts.

The loss counts what the model wrote, thoughts and prefaces included, with the mark that ends its turn: a model
that never sees that mark does not learn to stop. It does not count system texts, people, results of tools, or
the header that opens the model's turn.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from workbench.chat.finding import Span
from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.hermes.marks import TURN_CLOSE
from workbench.hermes.prompt_writer import Prompt
from workbench.hermes.render import render
from workbench.trajectory.trajectory import RowMessage, Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedText:
    """A text, and what of it is trained."""

    text: str
    """ChatML turns, byte for byte."""
    trained: tuple[Span, ...]
    """What the loss counts, in order, never overlapping."""


class Token(NamedTuple):
    """One token of a text."""

    id: int
    span: Span
    """In the text; empty for a token that stands for none of it, such as one that begins every prompt."""


@runtime_checkable
class Tokenizer(Protocol):
    """What makes tokens of a text."""

    def tokens(self, text: str) -> Sequence[Token]:
        """The tokens of `text` in order, control marks as the single tokens they are."""
        ...


class TrainedToken(NamedTuple):
    """One token, and whether the loss counts it."""

    token: Token
    is_trained: bool


def is_counted(message: RowMessage) -> bool:
    """Whether the loss counts a message: as the row says, else what the model wrote."""
    return message.role is Role.ASSISTANT if message.is_trained is None else message.is_trained


def counted_span(text: str, turn: Span) -> Span:
    """What the loss counts of a turn of `text`: from behind its header to behind the mark that ends it.

    >>> text = "<|im_start|>assistant\\nYes.<|im_end|>\\n"
    >>> counted_span(text, Span(0, len(text))).of(text)
    'Yes.<|im_end|>'
    """
    header = text.find("\n", turn.start, turn.end)
    close = text.rfind(TURN_CLOSE, turn.start, turn.end)
    start = turn.start if header < 0 else header + 1
    return Span(start, turn.end if close < start else close + len(TURN_CLOSE))


def mask_turns(text: str, counted: Iterable[Span]) -> MaskedText:
    """The mask of a text of which the loss counts some turns, given in order with their headers."""
    return MaskedText(text=text, trained=tuple(counted_span(text, turn) for turn in counted))


def mask_trajectory(trajectory: Trajectory, family: str) -> MaskedText:
    """The conversation as the chat template of a family writes it, tools included, and its mask.

    Of a preference it is the prompt and the chosen answer. What the template leaves out, such as thoughts of
    earlier turns, is not trained, for it is not there.

    Raises:
        BadInput: There is no family of that name.
    """
    # A system text that was nothing but the tools is the template's to write.
    messages = [one for one in trajectory.messages if one.parts or one.role is not Role.SYSTEM]
    prompt = render(
        Conversation(messages=tuple(map(_message, messages))),
        family=family,
        has_contract=_lists_tools(messages),
        tools=trajectory.tools,
        generation_prompt=False,
    )
    return mask_turns(prompt.text, _counted_parts(prompt, messages))


def mask_tokens(masked: MaskedText, tokenizer: Tokenizer) -> tuple[TrainedToken, ...]:
    """Each token of the text, and whether the loss counts it: only one that lies within a stretch as a whole."""
    spans = iter(masked.trained)
    span = next(spans, None)
    found: list[TrainedToken] = []
    for token in tokenizer.tokens(masked.text):
        while span is not None and span.end <= token.span.start:
            span = next(spans, None)
        is_inside = span is not None and span.start <= token.span.start < token.span.end <= span.end
        found.append(TrainedToken(token, is_inside))
    return tuple(found)


def _lists_tools(messages: Sequence[RowMessage]) -> bool:
    """Whether a system text tells of the tools in words of its own: no template may tell of them again."""
    first = messages[0] if messages else None
    return (
        first is not None and first.role is Role.SYSTEM and any("<tools>" in one.text for one in first.prose)
    )


def _message(message: RowMessage) -> Message:
    result = message.result
    return Message(
        role=message.role,
        text=result.text if result else "".join(prose.text for prose in message.prose),
        calls=tuple(
            ToolCall(name=call.name, arguments=call.arguments, arguments_text=call.arguments_text)
            for call in message.calls
        ),
        thought="\n".join(thought.text for thought in message.thoughts) or None,
        name=result.name if result else None,
    )


def _counted_parts(prompt: Prompt, messages: Sequence[RowMessage]) -> Iterator[Span]:
    for part in prompt.parts:
        if part.message_index is not None and is_counted(messages[part.message_index]):
            yield part.span

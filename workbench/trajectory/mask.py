"""Compute the loss mask of a row: which spans of its text a trainer learns.

The idea: render the conversation once, and mark spans of characters in the rendered text. Characters do not
depend on the tokenizer, so one mask serves every model; `mask_tokens` maps it to tokens.

The loss counts what the model wrote, including thoughts and the text before a call, and the `<|im_end|>` that
ends its turn: a model that never sees that token does not learn to stop. It does not count system texts, user
messages, tool results, or the header that opens the model's turn. In

    <|im_start|>user\\nHi<|im_end|>\\n<|im_start|>assistant\\nHello.<|im_end|>\\n

only `Hello.<|im_end|>` is trained. The final line break is not: at inference nobody generates it.

Invariants: the spans are in order and never overlap, and a token is trained only if it lies completely inside
one span. Example: where a tokenizer merges the last letter of a user's text with what follows, that token
reaches over the edge of a span and is not trained.
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
    """A text and the spans of it that are trained."""

    text: str
    """ChatML turns, byte for byte."""
    trained: tuple[Span, ...]
    """Spans that the loss counts, in order, not overlapping."""


class Token(NamedTuple):
    """One token of a text."""

    id: int
    span: Span
    """Characters of the text; empty for a token without text, such as one that begins every prompt."""


@runtime_checkable
class Tokenizer(Protocol):
    """Splits a text into tokens."""

    def tokens(self, text: str) -> Sequence[Token]:
        """Return the tokens of `text` in order. A special token such as `<|im_end|>` is one token."""
        ...


class TrainedToken(NamedTuple):
    """A token and whether the loss counts it."""

    token: Token
    is_trained: bool


def is_counted(message: RowMessage) -> bool:
    """Whether the loss counts a message. If the row does not say, it counts the model's messages."""
    return message.role is Role.ASSISTANT if message.is_trained is None else message.is_trained


def counted_span(text: str, turn: Span) -> Span:
    """Return the span of a turn that the loss counts: after its header, up to and including `<|im_end|>`.

    >>> text = "<|im_start|>assistant\\nYes.<|im_end|>\\n"
    >>> counted_span(text, Span(0, len(text))).of(text)
    'Yes.<|im_end|>'
    """
    header = text.find("\n", turn.start, turn.end)
    close = text.rfind(TURN_CLOSE, turn.start, turn.end)
    start = turn.start if header < 0 else header + 1
    return Span(start, turn.end if close < start else close + len(TURN_CLOSE))


def mask_turns(text: str, counted: Iterable[Span]) -> MaskedText:
    """Return the text with its mask. `counted` are the turns to train, in order, including their headers."""
    return MaskedText(text=text, trained=tuple(counted_span(text, turn) for turn in counted))


def mask_trajectory(trajectory: Trajectory, family: str) -> MaskedText:
    """Render the conversation and its tools with the chat template of a family, and compute the mask.

    A preference row is rendered as the prompt and the chosen answer. What the template leaves out, such as
    the thoughts of earlier turns, is not part of the text and so is not trained.

    Raises:
        BadInput: There is no family with that name.
    """
    # A system message without parts held nothing but the tools; the template writes those itself.
    messages = [
        message for message in trajectory.messages if message.parts or message.role is not Role.SYSTEM
    ]
    prompt = render(
        Conversation(messages=tuple(map(_message, messages))),
        family=family,
        has_contract=_lists_tools(messages),
        tools=trajectory.tools,
        generation_prompt=False,
    )
    return mask_turns(prompt.text, _counted_parts(prompt, messages))


def mask_tokens(masked: MaskedText, tokenizer: Tokenizer) -> tuple[TrainedToken, ...]:
    """Return each token of the text with whether the loss counts it: only if it lies completely in one span."""
    spans = iter(masked.trained)
    span = next(spans, None)
    tokens: list[TrainedToken] = []
    for token in tokenizer.tokens(masked.text):
        while span is not None and span.end <= token.span.start:
            span = next(spans, None)
        is_inside = span is not None and span.start <= token.span.start < token.span.end <= span.end
        tokens.append(TrainedToken(token, is_inside))
    return tuple(tokens)


def _lists_tools(messages: Sequence[RowMessage]) -> bool:
    """Whether the system text already lists the tools, so that the template must not list them again."""
    first = messages[0] if messages else None
    return (
        first is not None
        and first.role is Role.SYSTEM
        and any("<tools>" in prose.text for prose in first.prose)
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

"""Show the prompt and completion of a round byte for byte, cut into messages and tags."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Final

from workbench.chat.figures import figure
from workbench.chat.finding import Span
from workbench.chat.message import Conversation
from workbench.errors import BadInput
from workbench.hermes.prompt_writer import Prompt
from workbench.hermes.reading import Reading, SegmentKind
from workbench.hermes.render import render
from workbench.records.sessions import StoredMessage
from workbench.ui.present.conversation import ReadRound
from workbench.ui.present.text_spans import TEXT, TextSpan, cut_pieces, mark_spans, pick_pieces
from workbench.ui.present.words import count

HINT: Final = "The exact text that the model gets and writes appears here after you send a message."
_MEANING: Final = {
    "exact": "The engine got exactly this text, byte for byte.",
    "predicted": "The server renders the prompt itself. This is how it should look.",
}
PIECE_KINDS: Final = {
    SegmentKind.PROSE: TEXT,
    SegmentKind.THOUGHT: "thought",
    SegmentKind.CALL: "call",
    SegmentKind.RESPONSE: "result",
    SegmentKind.UNCLOSED: "error",
}
"""The kind of span, and so the colour, of each kind of segment."""
_TURN: Final = re.compile(r"<\|im_start\|>([a-z]+)\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class RawSection:
    """One message of the prompt, or the completion."""

    role: str
    """The role of the message, which selects its colour, or `completion`."""
    label: str
    note: str
    """The size of the section."""
    pieces: tuple[TextSpan, ...]
    """Joined, the pieces are the text of the section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherPrompt:
    """A prompt that this one can be compared with."""

    key: str
    label: str
    """Shown in the list of prompts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawView:
    """The contents of the raw pane.

    The pieces of all sections, joined, are prompt and completion, byte for byte.
    """

    sections: tuple[RawSection, ...] = ()
    """The messages of the prompt, then the completion. Empty if nothing was sent."""
    badge: str = ""
    """`exact` or `predicted`."""
    badge_meaning: str = ""
    summary: str = ""
    hint: str = HINT
    """Shown if there is nothing to show."""
    message_id: str = ""
    """The message with the completion. Empty if there is none."""
    is_known: bool = False
    """True once the pane has asked for the number of tokens of each section."""
    others: tuple[OtherPrompt, ...] = ()

    @property
    def text(self) -> str:
        """Prompt and completion as one text."""
        return "".join(piece.text for section in self.sections for piece in section.pieces)


def show_prompt(prompt: Prompt, *, is_exact: bool) -> RawView:
    """Show a prompt that was just sent to the engine and has no completion yet."""
    badge = "exact" if is_exact else "predicted"
    return RawView(
        sections=_prompt_sections(prompt),
        badge=badge,
        badge_meaning=_MEANING[badge],
        summary=count(len(prompt.text), "character"),
    )


def show_round(
    path: Sequence[StoredMessage],
    read_round: ReadRound | None,
    *,
    family: str | None,
    call: int | None = None,
    others: tuple[OtherPrompt, ...] = (),
) -> RawView:
    """Show the stored prompt of a round and its completion.

    Args:
        path: The path that contains the round, to find the messages in the prompt.
        read_round: The round, or None if there is none yet.
        family: The family of the session's contract, or None if the contract cannot be parsed.
        call: Index of the selected call of the reading, or None.
        others: Prompts that this one can be compared with.
    """
    if read_round is None:
        return RawView()
    generation = read_round.stored.generation
    if generation is None:
        return RawView(sections=(_completion_section(read_round.reading, call),))
    prompt = _rendered(path, read_round, family)
    is_same = prompt is not None and prompt.text == generation.prompt_text
    sections = _prompt_sections(prompt) if prompt and is_same else _guessed_sections(generation.prompt_text)
    timing = generation.timing
    tokens = (
        f"{count(timing.prompt_tokens, 'token')} in, {figure(timing.completion_tokens)} out"
        if timing.prompt_tokens
        else count(len(generation.prompt_text), "character")
    )
    badge = "exact" if generation.is_exact else "predicted"
    return RawView(
        sections=(*sections, _completion_section(read_round.reading, call)),
        badge=badge,
        badge_meaning=_MEANING[badge],
        summary=tokens,
        message_id=read_round.stored.id,
        others=others,
    )


def with_sizes(view: RawView, sizes: Sequence[int] | None) -> RawView:
    """Return the view with the sizes of its sections in tokens.

    Args:
        sizes: Number of tokens of each section, or None if they cannot be counted.
    """
    if sizes is None:
        return replace(view, is_known=True)
    sections = tuple(
        replace(section, note=count(size, "token"))
        for section, size in zip(view.sections, sizes, strict=True)
    )
    return replace(view, sections=sections, is_known=True)


def section_spans(view: RawView) -> tuple[Span, ...]:
    """Return the span of each section in the text of the view."""
    ends = [0, *accumulate(sum(len(piece.text) for piece in section.pieces) for section in view.sections)]
    return tuple(Span(start, end) for start, end in pairwise(ends))


def _rendered(path: Sequence[StoredMessage], read_round: ReadRound, family: str | None) -> Prompt | None:
    """Render the prompt again to find its parts and tags. None if it cannot be rendered.

    The caller uses it only if its text equals the stored prompt.
    """
    end = [stored.id for stored in path].index(read_round.stored.id)
    before = tuple(stored.message for stored in path[:end])
    if family is None:
        return None
    try:
        return render(Conversation(messages=before), family=family, has_contract=True)
    except BadInput:
        return None


def _prompt_sections(prompt: Prompt) -> tuple[RawSection, ...]:
    sections: list[RawSection] = []
    for part in prompt.parts:
        text = part.span.of(prompt.text)
        inside = [
            Span(mark.start - part.span.start, mark.end - part.span.start)
            for mark in prompt.marks
            if part.span.start <= mark.start and mark.end <= part.span.end
        ]
        is_opened = part is prompt.parts[-1] and part.message_index is None
        sections.append(_section(part.role.value, text, inside, is_opened=is_opened))
    return tuple(sections)


def _guessed_sections(text: str) -> tuple[RawSection, ...]:
    """Cut a prompt at its turn tokens.

    Used if the conversation no longer renders to the stored prompt, for example after a change of the contract.
    """
    turns = list(_TURN.finditer(text))
    starts = [0, *(turn.start() for turn in turns if turn.start() > 0), len(text)]
    roles = ([] if turns and turns[0].start() == 0 else ["system"]) + [turn[1] for turn in turns]
    return tuple(
        _section(role, text[start:end], mark_spans(text[start:end]), is_opened=False)
        for role, start, end in zip(roles, starts, starts[1:], strict=False)
        if start < end
    )


def _section(role: str, text: str, marks: Sequence[Span], *, is_opened: bool) -> RawSection:
    label = {"assistant": "model"}.get(role, role)
    return RawSection(
        role=label,
        label=label,
        note="start of the turn" if is_opened else count(len(text), "character"),
        pieces=cut_pieces(text, marks),
    )


def _completion_section(reading: Reading, call: int | None) -> RawSection:
    pieces: list[TextSpan] = []
    for segment in reading.segments:
        pieces.extend(cut_pieces(segment.text, mark_spans(segment.text), kind=PIECE_KINDS[segment.kind]))
    if call is not None and call < len(reading.calls):
        pieces = pick_pieces(pieces, reading.calls[call].span)
    return RawSection(
        role="completion",
        label="completion",
        note=count(len(reading.text), "character"),
        pieces=tuple(pieces) or (TextSpan(text=reading.text),),
    )

"""The prompt and completion of a round byte for byte, cut into messages and marks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Final

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

HINT: Final = (
    "The exact text that the model is given, and what it writes, stands here once something was sent."
)
_MEANING: Final = {
    "exact": "The engine was given this text, byte for byte.",
    "predicted": "A server renders its own prompt; this is what it should look like.",
}
PIECE_KINDS: Final = {
    SegmentKind.PROSE: TEXT,
    SegmentKind.THOUGHT: "thought",
    SegmentKind.CALL: "call",
    SegmentKind.RESPONSE: "result",
    SegmentKind.UNCLOSED: "error",
}
"""The colour of each kind of segment."""
_TURN: Final = re.compile(r"<\|im_start\|>([a-z]+)\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class RawSection:
    """One message of the prompt, or the completion."""

    role: str
    """Whose; names a colour."""
    label: str
    note: str
    """Its size, or what it is."""
    pieces: tuple[TextSpan, ...]
    """Joined, they are the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherPrompt:
    """Something to compare with."""

    key: str
    label: str
    """For a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawView:
    """All that the raw pane shows. The sections' pieces joined are prompt and completion, byte for byte."""

    sections: tuple[RawSection, ...] = ()
    """In order; empty before there is anything."""
    badge: str = ""
    """exact or predicted."""
    badge_meaning: str = ""
    summary: str = ""
    hint: str = HINT
    """Of the empty state."""
    message_id: str = ""
    """The completion; empty while there is none."""
    is_known: bool = False
    """True once it was asked how many tokens each section has."""
    others: tuple[OtherPrompt, ...] = ()

    @property
    def text(self) -> str:
        """Prompt and completion."""
        return "".join(piece.text for section in self.sections for piece in section.pieces)


def show_prompt(prompt: Prompt, *, is_exact: bool) -> RawView:
    """A prompt that has just gone to the engine; nothing has come back yet."""
    badge = "exact" if is_exact else "predicted"
    return RawView(
        sections=_prompt_sections(prompt),
        badge=badge,
        badge_meaning=_MEANING[badge],
        summary=count(len(prompt.text), "character"),
    )


def show_round(
    path: Sequence[StoredMessage],
    one: ReadRound | None,
    *,
    family: str | None,
    call: int | None = None,
    others: tuple[OtherPrompt, ...] = (),
) -> RawView:
    """The round's prompt as it was kept, and its completion.

    Args:
        path: The path that the round is on; tells whose which stretch is.
        one: The round; None where there is none yet.
        family: The family of the session's contract; None where the contract cannot be read.
        call: The call of its reading that is picked; None for none.
        others: What the prompt can be compared with.
    """
    generation = one.kept.generation if one else None
    if one is None or generation is None:
        return RawView() if one is None else RawView(sections=(_completion_section(one.reading, call),))
    prompt = _rendered(path, one, family)
    known = prompt is not None and prompt.text == generation.prompt_text
    sections = _prompt_sections(prompt) if prompt and known else _guessed_sections(generation.prompt_text)
    timing = generation.timing
    tokens = (
        f"{count(timing.prompt_tokens, 'token')} in, {timing.completion_tokens:,} out"
        if timing.prompt_tokens
        else count(len(generation.prompt_text), "character")
    )
    badge = "exact" if generation.is_exact else "predicted"
    return RawView(
        sections=(*sections, _completion_section(one.reading, call)),
        badge=badge,
        badge_meaning=_MEANING[badge],
        summary=tokens,
        message_id=one.kept.id,
        others=others,
    )


def with_sizes(view: RawView, sizes: Sequence[int] | None) -> RawView:
    """The same with the sections' sizes in tokens; as it was where nobody can count them."""
    if sizes is None:
        return replace(view, is_known=True)
    sections = tuple(
        replace(section, note=count(size, "token"))
        for section, size in zip(view.sections, sizes, strict=True)
    )
    return replace(view, sections=sections, is_known=True)


def section_spans(view: RawView) -> tuple[Span, ...]:
    """Where each section stands in the view's text."""
    ends = [0, *accumulate(sum(len(piece.text) for piece in section.pieces) for section in view.sections)]
    return tuple(Span(start, end) for start, end in pairwise(ends))


def _rendered(path: Sequence[StoredMessage], one: ReadRound, family: str | None) -> Prompt | None:
    """The prompt written anew, for its parts and marks; it counts only where it is the kept text."""
    before = tuple(kept.message for kept in path[: [kept.id for kept in path].index(one.kept.id)])
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
    """A prompt whose conversation cannot be rendered to the same text any more, cut at its turns."""
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
        note="turn opened" if is_opened else count(len(text), "character"),
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

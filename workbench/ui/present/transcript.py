"""A stored path as entries of the transcript."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonValue
from workbench.chat.message import Role
from workbench.hermes.reading import Reading, Segment, SegmentKind
from workbench.records.session_tree import siblings
from workbench.records.sessions import StoredMessage, TreeNode
from workbench.rollout.ports import FinishReason
from workbench.ui.present.blocks import (
    Argument,
    Block,
    BrokenCall,
    CallCard,
    LooseResult,
    ProseBlock,
    ResultRow,
    SystemBlock,
    ThoughtBlock,
    TrailingBlock,
)
from workbench.ui.present.conversation import ReadRound
from workbench.ui.present.words import call_status, count, milliseconds

THOUGHT_TAGS: Final = ("<think>", "</think>")


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchView:
    """Where a message stands among those with the same parent."""

    place: int
    """From 1."""
    count: int
    """2 or more."""
    before: str | None
    """The sibling before it; None for the first."""
    after: str | None
    """The sibling after it; None for the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptEntry:
    """One message of the transcript, its results included."""

    id: str
    role: str
    """system, user, model or tool."""
    blocks: tuple[Block, ...]
    """In order."""
    note: str = ""
    """How it ended, where that is not as it should be; of the system text, what is sent beside it."""
    branch: BranchView | None = None
    """None where it has no sibling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptView:
    """All that the transcript shows."""

    entries: tuple[TranscriptEntry, ...]
    """The oldest first."""
    selected: str | None
    """The message that the inspector shows."""
    heading: str
    """Of the empty state."""
    hint: str
    """Of the empty state: what to do."""
    examples: tuple[str, ...]
    """Of the empty state: questions that can be asked."""
    selected_call: int | None = None
    """The call of that message that is picked; None for none."""
    can_edit: bool = True
    """False of a session that can be looked at and copied, not gone on with."""


EXAMPLES: Final = {
    "get_flumbuster": "What is the flumbuster reading for cairo?",
    "calculate_zorbix": "Combine a zorb of 3 with a bix of 4 into a zorbix.",
    "get_weather": "What is the weather in Paris?",
    "search_docs": "What do the documents say about tool calls?",
}
"""A question that each tool of the catalog answers."""


def examples_for(tool_names: Sequence[str]) -> tuple[str, ...]:
    """Questions that the offered tools can answer."""
    return tuple(EXAMPLES[name] for name in tool_names if name in EXAMPLES)


def show_transcript(
    path: Sequence[StoredMessage],
    rounds: Sequence[ReadRound],
    *,
    selected: str | None,
    examples: Sequence[str],
    tree: Sequence[TreeNode] = (),
    call: int | None = None,
    can_edit: bool = True,
) -> TranscriptView:
    """The entries of a path; a result stands within the call that it answers."""
    beside = siblings(tree)
    by_id = {one.kept.id: one for one in rounds}
    answered = {
        kept.id for one in rounds for index, kept in one.results.items() if index < len(one.reading.calls)
    }
    return TranscriptView(
        entries=tuple(
            replace(_entry(kept, by_id), branch=_branch(kept.id, beside.get(kept.id, ())))
            for kept in path
            if kept.id not in answered
        ),
        selected=selected,
        heading="Ask something that a tool can answer",
        hint="The model sees the contract and the tools at the left; what it writes is read, checked and "
        "run against mocks, and every byte of it stands in the inspector.",
        examples=tuple(examples),
        selected_call=call,
        can_edit=can_edit,
    )


def _entry(kept: StoredMessage, rounds: dict[str, ReadRound]) -> TranscriptEntry:
    message = kept.message
    match message.role:
        case Role.SYSTEM:
            summary = f"{_first_line(message.text)} · {count(len(message.text), 'character')}"
            folded = SystemBlock(summary=summary, text=message.text)
            return TranscriptEntry(id=kept.id, role="system", blocks=(folded,), note=_ephemeral_note(rounds))
        case Role.USER:
            return TranscriptEntry(id=kept.id, role="user", blocks=(ProseBlock(text=message.text),))
        case Role.TOOL:
            return TranscriptEntry(id=kept.id, role="tool", blocks=(LooseResult(result=_result(kept)),))
        case Role.ASSISTANT:
            one = rounds[kept.id]
            return TranscriptEntry(
                id=kept.id, role="model", blocks=_blocks(one), note=_ending(kept, one.reading)
            )


def _branch(message_id: str, siblings_of_it: Sequence[str]) -> BranchView | None:
    if len(siblings_of_it) < 2:
        return None
    place = siblings_of_it.index(message_id)
    return BranchView(
        place=place + 1,
        count=len(siblings_of_it),
        before=siblings_of_it[place - 1] if place else None,
        after=siblings_of_it[place + 1] if place + 1 < len(siblings_of_it) else None,
    )


def _ephemeral_note(rounds: Mapping[str, ReadRound]) -> str:
    sizes = [len(one.kept.generation.ephemeral) for one in rounds.values() if one.kept.generation]
    if not any(sizes):
        return ""
    return f"sent with an ephemeral part of {count(max(sizes), 'character')}, which no export holds"


def _first_line(text: str) -> str:
    line = next((line for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= 60 else line[:59] + "…"


def _blocks(one: ReadRound) -> tuple[Block, ...]:
    blocks = [block for segment in one.reading.segments for block in _segment_blocks(segment, one)]
    tagged = {segment.span for segment in one.reading.segments if segment.kind is SegmentKind.CALL}
    # A call without tags has no segment of its own: it stands in prose, and is told behind it.
    untagged = [_card(index, one) for index, call in enumerate(one.reading.calls) if call.span not in tagged]
    return (*blocks, *untagged)


def _segment_blocks(segment: Segment, one: ReadRound) -> Sequence[Block]:
    match segment.kind:
        case SegmentKind.PROSE:
            return [ProseBlock(text=segment.text.strip("\n"))] if segment.text.strip() else []
        case SegmentKind.THOUGHT:
            text = segment.text.removeprefix(THOUGHT_TAGS[0]).removesuffix(THOUGHT_TAGS[1]).strip("\n")
            return [ThoughtBlock(text=text, note=count(len(text), "character"))] if text.strip() else []
        case SegmentKind.RESPONSE:
            return [TrailingBlock(label="text behind the turn's end", text=segment.text)]
        case SegmentKind.UNCLOSED:
            return [_broken(segment, one.reading, "unfinished")]
        case SegmentKind.CALL:
            cards = [
                _card(index, one) for index, call in enumerate(one.reading.calls) if call.span == segment.span
            ]
            return cards or [_broken(segment, one.reading, "dropped")]


def _card(index: int, one: ReadRound) -> CallCard:
    call = one.reading.calls[index]
    status = call_status(call)
    return CallCard(
        index=index,
        name=call.name,
        status=status.word,
        tone=status.tone,
        arguments=tuple(Argument(name=name, value=_json(value)) for name, value in call.arguments.items()),
        notes=tuple(_note(finding) for finding in call.findings),
        result=_result(one.results[index]) if index in one.results else None,
    )


def _note(finding: Finding) -> str:
    """A finding's line; its pointer behind it where the line does not name it."""
    is_told = not finding.pointer or finding.pointer in finding.message
    return finding.message if is_told else f"{finding.message} ({finding.pointer})"


def _broken(segment: Segment, reading: Reading, word: str) -> BrokenCall:
    inside = [
        finding.message
        for finding in reading.findings
        if finding.span and segment.span.start <= finding.span.start <= segment.span.end
    ]
    return BrokenCall(text=segment.text, status=word, notes=tuple(inside))


def _result(kept: StoredMessage) -> ResultRow:
    run = kept.tool_run
    note = " · ".join(filter(None, (run.rule, milliseconds(run.milliseconds)))) if run else ""
    return ResultRow(id=kept.id, text=kept.message.text, is_error=bool(run and run.is_error), note=note)


def _ending(kept: StoredMessage, reading: Reading) -> str:
    generation = kept.generation
    if generation is None:
        return {"import": "imported", "person": "written by hand"}.get(kept.origin, "")
    if generation.finish_reason is FinishReason.CANCELLED:
        return "stopped by you"
    if generation.finish_reason is FinishReason.LENGTH:
        return f"cut off at {count(generation.timing.completion_tokens, 'token')}"
    if generation.finish_reason is FinishReason.INTERRUPTED:
        return "interrupted: what had come was kept"
    return "" if reading.text.strip() else "the model wrote nothing"


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)

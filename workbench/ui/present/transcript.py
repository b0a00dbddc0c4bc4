"""Show a stored path as entries of the transcript."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonValue
from workbench.chat.message import Role
from workbench.hermes.reading import Reading, Segment, SegmentKind
from workbench.records.session_tree import find_siblings
from workbench.records.sessions import StoredMessage, TreeNode
from workbench.rollout.ports import FinishReason
from workbench.ui.present.blocks import (
    Argument,
    Block,
    BrokenCall,
    CallCard,
    FoldedBlock,
    LooseResult,
    ProseBlock,
    ResultRow,
    ThoughtBlock,
    TrailingBlock,
)
from workbench.ui.present.conversation import ReadRound
from workbench.ui.present.questions import ExampleQuestion, example_questions
from workbench.ui.present.words import call_status, count, run_note
from workbench.ui.present.world import ChangeRow, changes_by_message

LONG_CHARS: Final = 2_000
LONG_LINES: Final = 40
"""A message of a user with more characters or lines is folded."""
THOUGHT_TAGS: Final = ("<think>", "</think>")


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchView:
    """The position of a message among its siblings, the messages with the same parent."""

    place: int
    """Position of the message, from 1."""
    count: int
    """Number of siblings, itself included. At least 2."""
    before: str | None
    """The previous sibling, or None for the first."""
    after: str | None
    """The next sibling, or None for the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptEntry:
    """One message of the transcript, with the results of its calls."""

    id: str
    role: str
    """`system`, `user`, `model` or `tool`."""
    blocks: tuple[Block, ...]
    note: str = ""
    """How the completion ended, if not normally. For the system text: its ephemeral part."""
    branch: BranchView | None = None
    """None if the message has no siblings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptView:
    """The contents of the transcript."""

    entries: tuple[TranscriptEntry, ...]
    """Oldest first."""
    selected: str | None
    """The message that the inspector shows, or None for the newest."""
    heading: str
    """Heading of the empty state."""
    hint: str
    """Text of the empty state."""
    examples: tuple[ExampleQuestion, ...]
    """Example questions of the empty state."""
    selected_call: int | None = None
    """Index of the selected call of that message, or None."""
    can_edit: bool = True
    """False if the session is read-only."""
    is_examples_only: bool = False
    """Whether only the examples of the empty state change. A session that was opened meanwhile stays."""


LOADING: Final = TranscriptView(
    entries=(), selected=None, heading="Loading …", hint="", examples=(), is_examples_only=True
)
"""Shown until the page is filled."""


def show_examples(tools: Collection[str], toolsets: Collection[str]) -> TranscriptView:
    """Show example questions, if no session is open.

    Args:
        tools: Names of the offered tools.
        toolsets: Names of the toolsets that can be chosen.
    """
    shown = show_transcript((), (), selected=None, examples=example_questions(tools, toolsets))
    return replace(shown, is_examples_only=True)


def show_transcript(
    path: Sequence[StoredMessage],
    rounds: Sequence[ReadRound],
    *,
    selected: str | None,
    examples: tuple[ExampleQuestion, ...],
    tree: Sequence[TreeNode] = (),
    call: int | None = None,
    can_edit: bool = True,
) -> TranscriptView:
    """Show the entries of a path. The result of a call is part of the entry with the call."""
    siblings_by_id = find_siblings(tree)
    by_id = {read_round.stored.id: read_round for read_round in rounds}
    shown_results = {
        result.id
        for read_round in rounds
        for index, result in read_round.results.items()
        if index < len(read_round.reading.calls)
    }
    changes = changes_by_message(path)
    return TranscriptView(
        entries=tuple(
            replace(
                _with_changes(_entry(stored, by_id), changes),
                branch=_branch(stored.id, siblings_by_id.get(stored.id, ())),
            )
            for stored in path
            if stored.id not in shown_results
        ),
        selected=selected,
        heading="See exactly what a tool-calling model reads and writes",
        hint="The model gets the contract and the tools on the left. Mock tools answer its calls. Click an example:",
        examples=examples,
        selected_call=call,
        can_edit=can_edit,
    )


def _entry(stored: StoredMessage, rounds: dict[str, ReadRound]) -> TranscriptEntry:
    message = stored.message
    match message.role:
        case Role.SYSTEM:
            return TranscriptEntry(
                id=stored.id, role="system", blocks=(_folded(message.text),), note=_ephemeral_note(rounds)
            )
        case Role.USER:
            text = message.text
            is_long = len(text) > LONG_CHARS or text.count("\n") > LONG_LINES
            block = _folded(text) if is_long else ProseBlock(text=text)
            return TranscriptEntry(id=stored.id, role="user", blocks=(block,))
        case Role.TOOL:
            return TranscriptEntry(id=stored.id, role="tool", blocks=(LooseResult(result=_result(stored)),))
        case Role.ASSISTANT:
            read_round = rounds[stored.id]
            return TranscriptEntry(
                id=stored.id,
                role="model",
                blocks=_blocks(read_round),
                note=_ending(stored, read_round.reading),
            )


def _folded(text: str) -> FoldedBlock:
    return FoldedBlock(summary=f"{_first_line(text)} · {count(len(text), 'character')}", text=text)


def _with_changes(entry: TranscriptEntry, changes: Mapping[str, tuple[ChangeRow, ...]]) -> TranscriptEntry:
    """Add to the results of an entry what their calls changed in the world."""
    blocks = tuple(
        replace(block, result=replace(block.result, changes=changes[block.result.id]))
        if isinstance(block, CallCard | LooseResult) and block.result and block.result.id in changes
        else block
        for block in entry.blocks
    )
    return replace(entry, blocks=blocks)


def _branch(message_id: str, sibling_ids: Sequence[str]) -> BranchView | None:
    if len(sibling_ids) < 2:
        return None
    place = sibling_ids.index(message_id)
    return BranchView(
        place=place + 1,
        count=len(sibling_ids),
        before=sibling_ids[place - 1] if place else None,
        after=sibling_ids[place + 1] if place + 1 < len(sibling_ids) else None,
    )


def _ephemeral_note(rounds: Mapping[str, ReadRound]) -> str:
    generations = (read_round.stored.generation for read_round in rounds.values())
    sizes = [len(generation.ephemeral) for generation in generations if generation]
    if not any(sizes):
        return ""
    return f"sent with an ephemeral system text of {count(max(sizes), 'character')}, which is never exported"


def _first_line(text: str) -> str:
    line = next((line for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= 60 else line[:59] + "…"


def _blocks(read_round: ReadRound) -> tuple[Block, ...]:
    reading = read_round.reading
    blocks = [block for segment in reading.segments for block in _segment_blocks(segment, read_round)]
    tagged = {segment.span for segment in reading.segments if segment.kind is SegmentKind.CALL}
    # A call without tags is part of a prose segment. Its card follows the other blocks.
    untagged = [
        _card(index, read_round) for index, call in enumerate(reading.calls) if call.span not in tagged
    ]
    return (*blocks, *untagged)


def _segment_blocks(segment: Segment, read_round: ReadRound) -> Sequence[Block]:
    match segment.kind:
        case SegmentKind.PROSE:
            return [ProseBlock(text=segment.text.strip("\n"))] if segment.text.strip() else []
        case SegmentKind.THOUGHT:
            text = segment.text.removeprefix(THOUGHT_TAGS[0]).removesuffix(THOUGHT_TAGS[1]).strip("\n")
            return [ThoughtBlock(text=text, note=count(len(text), "character"))] if text.strip() else []
        case SegmentKind.RESPONSE:
            return [TrailingBlock(label="text after the end of the turn", text=segment.text)]
        case SegmentKind.UNCLOSED:
            return [_broken(segment, read_round.reading, "unfinished")]
        case SegmentKind.CALL:
            cards = [
                _card(index, read_round)
                for index, call in enumerate(read_round.reading.calls)
                if call.span == segment.span
            ]
            return cards or [_broken(segment, read_round.reading, "dropped")]


def _card(index: int, read_round: ReadRound) -> CallCard:
    call = read_round.reading.calls[index]
    status = call_status(call, is_refused=read_round.is_refused(index))
    return CallCard(
        index=index,
        name=call.name,
        status=status.word,
        tone=status.tone,
        arguments=tuple(Argument(name=name, value=_json(value)) for name, value in call.arguments.items()),
        notes=tuple(_note(finding) for finding in call.findings),
        result=_result(read_round.results[index]) if index in read_round.results else None,
    )


def _note(finding: Finding) -> str:
    """Return the message of a finding, with its pointer unless the message contains it."""
    has_pointer = not finding.pointer or finding.pointer in finding.message
    return finding.message if has_pointer else f"{finding.message} ({finding.pointer})"


def _broken(segment: Segment, reading: Reading, word: str) -> BrokenCall:
    messages = [
        finding.message
        for finding in reading.findings
        if finding.span and segment.span.start <= finding.span.start <= segment.span.end
    ]
    return BrokenCall(text=segment.text, status=word, notes=tuple(messages))


def _result(stored: StoredMessage) -> ResultRow:
    run = stored.tool_run
    is_error = bool(run and run.is_error)
    return ResultRow(id=stored.id, text=stored.message.text, is_error=is_error, note=run_note(run))


def _ending(stored: StoredMessage, reading: Reading) -> str:
    generation = stored.generation
    if generation is None:
        return {"import": "imported", "person": "written by hand", "gateway": "sent by the client"}.get(
            stored.origin, ""
        )
    if generation.finish_reason is FinishReason.CANCELLED:
        return "stopped by you"
    if generation.finish_reason is FinishReason.TIMEOUT:
        return "stopped at the time limit"
    if generation.finish_reason is FinishReason.LENGTH:
        written = generation.timing.completion_tokens
        return "cut off at the limit" if written is None else f"cut off at {count(written, 'token')}"
    if generation.finish_reason is FinishReason.INTERRUPTED:
        return "interrupted: the text so far was saved"
    return "" if reading.text.strip() else "the model wrote nothing"


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)

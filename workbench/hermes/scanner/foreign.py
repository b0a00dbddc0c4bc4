"""Turn calls in the form of another model family into blocks: reported, and read at the lenient level."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from workbench.chat.finding import Finding, Severity, Span
from workbench.hermes.body.calls import as_bodies
from workbench.hermes.dialects.find import ForeignBlock, find_foreign, read_foreign_body
from workbench.hermes.dialects.known import DIALECTS
from workbench.hermes.marks import CALL_CLOSE, CALL_OPEN
from workbench.hermes.reading import ForeignForm, Level, SegmentKind
from workbench.hermes.scanner.block import Block, call_block
from workbench.hermes.text.completion import Completion
from workbench.hermes.text.notes import finding_of

_FIXES: Final = {"fenced-json": "no-tag", "bare-json": "no-tag", "near-miss-tag": "alternate-tag"}
"""Codes of forms that plain answers contain too; the others are `foreign-call`."""


def with_foreign_blocks(completion: Completion, blocks: list[Block]) -> list[Block]:
    """Return `blocks` and the foreign calls in the prose between them, sorted by position.

    A stray `</tool_call>` that closes a misspelled tag is part of that call.
    """
    blocks = sorted(blocks, key=lambda block: block.start)
    found = [foreign_block(completion, foreign) for foreign in _between(completion, blocks)]
    if not found:
        return blocks
    starts = [block.start for block in found]
    remaining = [
        block
        for block in blocks
        if (index := bisect_right(starts, block.start)) == 0 or found[index - 1].end <= block.start
    ]
    return sorted([*remaining, *found], key=lambda block: block.start)


def _between(completion: Completion, blocks: list[Block]) -> Iterator[ForeignBlock]:
    """Yield the foreign calls between `blocks`, which are sorted."""
    text = completion.text
    position = fences = 0
    has_only_thoughts = True
    for block in (*blocks, Block(len(text), len(text), SegmentKind.PROSE)):
        if position < block.start:
            fences = yield from find_foreign(
                completion, position, block.start, fences=fences, is_line_start=has_only_thoughts
            )
        if has_only_thoughts:
            is_thought = block.kind is SegmentKind.THOUGHT
            has_only_thoughts = is_thought and not text[position : block.start].strip()
        position = max(position, block.end)


def foreign_block(completion: Completion, found: ForeignBlock) -> Block:
    """Return the block for a foreign call in prose."""
    names = tuple(draft.name for draft in found.drafts)
    place = Span(found.start, found.end)
    is_read = completion.level is Level.LENIENT and _is_offered(completion, names)
    form = ForeignForm(dialect=found.dialect, span=place, names=names, is_read=is_read)
    if not is_read:
        # A form that plain answers contain too is explained in the reading, but not a finding: it may be meant as text.
        findings = () if form.dialect in _FIXES else (finding_of_form(form),)
        if found.is_plain and completion.level is Level.LENIENT and completion.tools is not None:
            findings = (finding_of("partial-list", *place),)
        return Block(*place, SegmentKind.PROSE, findings=findings, foreign=form)
    drafts = list(found.drafts)
    bodies = f"{CALL_OPEN}\n{as_bodies(found.notes, drafts)}\n{CALL_CLOSE}"
    found.notes.rewrite(_FIXES.get(found.dialect, "foreign-call"), *place, bodies)
    return call_block(*place, found.notes, drafts)._replace(foreign=form)


def read_foreign_block(completion: Completion, kind: str, block: Block, body: Span) -> Block:
    """Return a rejected `<tool_call>` block with the form of its foreign body. At the lenient level, read its calls.

    Args:
        kind: The form of the body: a key of `DIALECTS`.
        block: The rejected block.
        body: The text between its tags.
    """
    found = read_foreign_body(completion, kind, *body)
    names = tuple(draft.name for draft in found.drafts) if found else ()
    is_read = found is not None and completion.level is Level.LENIENT and _is_offered(completion, names)
    form = ForeignForm(dialect=kind, span=Span(block.start, block.end), names=names, is_read=is_read)
    if found is None or not is_read:
        return block._replace(foreign=form)
    drafts = list(found.drafts)
    found.notes.rewrite("foreign-call", *body, f"\n{as_bodies(found.notes, drafts)}\n")
    return call_block(block.start, block.end, found.notes, drafts)._replace(foreign=form)


def finding_of_form(form: ForeignForm) -> Finding:
    """Return the finding that explains a foreign form in prose."""
    title = DIALECTS[form.dialect].title
    called = f"a call of {form.names[0][:40]!r}" if form.names else "a call that cannot be read"
    message = f"{called}, written {title}; not run"
    return Finding(code="foreign-dialect", message=message, severity=Severity.WARNING, span=form.span)


def _is_offered(completion: Completion, names: tuple[str, ...]) -> bool:
    return bool(names) and all(completion.spec(name) is not None for name in names)

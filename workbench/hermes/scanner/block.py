"""One block of a completion: a call block, a thought, a truncated block, or a stray tag or fence."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple, cast

from workbench.chat.finding import Edit, Finding, Fix, Span
from workbench.chat.json_value import JsonObject
from workbench.hermes.body.shape import CallDraft, has_others, is_plain_name
from workbench.hermes.json_text.fast import decode
from workbench.hermes.marks import ANY_TAG, CALL_CLOSE, CALL_OPEN, CALL_TAG, SPACE
from workbench.hermes.reading import Dialect, ForeignForm, SegmentKind
from workbench.hermes.text.notes import BlockNotes, finding_of
from workbench.toolspec.coerce import find_coercions
from workbench.toolspec.quick import matches_plainly
from workbench.toolspec.spec import OfferedTools


class Block(NamedTuple):
    """A part of a completion that is not plain prose."""

    start: int
    """First code point."""
    end: int
    """One past the last code point."""
    kind: SegmentKind
    """Kind of the segment. A stray tag or fence is prose."""
    is_call: bool = False
    """Whether it is a call block. One that gives no call counts as dropped."""
    drafts: tuple[CallDraft, ...] = ()
    fixes: tuple[Fix, ...] = ()
    """Empty for a call block that gives no call."""
    findings: tuple[Finding, ...] = ()
    foreign: ForeignForm | None = None
    """Set if the block is a call in another model family's form."""

    @property
    def is_unread(self) -> bool:
        """Whether the block, or a mere tag, looks like a call but gave none."""
        is_mere_tag = self.kind is SegmentKind.PROSE and not (self.fixes or self.findings or self.foreign)
        return not self.drafts and (self.is_call or is_mere_tag)


def call_block(start: int, end: int, notes: BlockNotes, drafts: list[CallDraft]) -> Block:
    """Return a call block that was read, with the fixes of `notes` if it gives a call."""
    return Block(
        start,
        end,
        SegmentKind.CALL,
        is_call=True,
        drafts=tuple(drafts),
        fixes=notes.fixes() if drafts else (),
        findings=notes.findings,
    )


def refused_block(code: str, start: int, end: int, message: str = "") -> Block:
    """Return a call block that gives no call, with one finding that says why."""
    kind = SegmentKind.UNCLOSED if code == "truncated" else SegmentKind.CALL
    return Block(start, end, kind, is_call=True, findings=(finding_of(code, start, end, message),))


def unread(start: int, end: int) -> Block:
    """Return a tag that counts as text because no call follows it. It gets no code."""
    return Block(start, end, SegmentKind.PROSE)


def stray(code: str, text: str, start: int, end: int, after: str) -> Block:
    """Return a tag outside of blocks that counts as text. Its fix replaces it by `after`."""
    span = Span(start, end)
    fix = Fix(code=code, span=span, edits=(Edit(span=span, before=text[start:end], after=after),))
    return Block(start, end, SegmentKind.PROSE, fixes=(fix,))


_FENCE: Final = re.compile("```")
_CLOSED: Final = re.compile(r"</(?i:tool_call)>\Z")


def is_final(text: str, block: Block) -> bool:
    """Return whether no text after `text` can change a call block.

    If a readable block has no closing tag, only the finish reason says whether it was cut off.
    """
    if not block.is_call or block.kind is SegmentKind.UNCLOSED:
        return False
    is_closed = _CLOSED.search(text, max(0, block.end - len(CALL_CLOSE)), block.end) is not None
    return is_closed or (not block.drafts and CALL_TAG.match(text, block.end) is not None)


def has_unread_before_fix(blocks: list[Block]) -> bool:
    """Return whether a block with a fix follows a block or tag that gave no call."""
    has_unread = False
    for block in blocks:
        if has_unread and block.fixes:
            return True
        has_unread |= block.is_unread
    return False


def sealed(text: str, blocks: list[Block]) -> list[Block]:
    """Escape the tags and fences of blocks that gave no call, as part of the next fix after them.

    A bad block gets no fix and stays in the text, so what it means may depend on later text that a fix changes. In

        <tool_call><function=f>{"name": "f", "arguments": {}}<tool_call> and text

    the second tag ends the bad block. That tag opens nothing, so a fix escapes it, and the bad block would then
    continue to the end of the text. See
    `docs/decisions/0008-a-bad-block-becomes-text-where-a-fix-would-wake-it.md`.
    """
    sealed_blocks: list[Block] = []
    waiting: list[Edit] = []
    for block in blocks:
        if block.is_unread:
            waiting.extend(_as_text(text, block))
        elif block.fixes and waiting:
            block, waiting = _with_edits(block, waiting), []
        sealed_blocks.append(block)
    return sealed_blocks


def as_text(tag: str) -> str:
    """Return the tag with HTML entities for its brackets, so that it is text."""
    return f"&lt;{tag[1:-1]}&gt;"


def _as_text(text: str, block: Block) -> list[Edit]:
    edits = [
        Edit(span=Span(*tag.span()), before=tag.group(), after=as_text(tag.group()))
        for tag in ANY_TAG.finditer(text, block.start, block.end)
    ]
    edits += (
        Edit(span=Span(*fence.span()), before=fence.group(), after="&#96;" * 3)
        for fence in _FENCE.finditer(text, block.start, block.end)
    )
    return sorted(edits, key=lambda edit: edit.span)


def _with_edits(block: Block, edits: list[Edit]) -> Block:
    first = block.fixes[0]
    more = replace(first, span=Span(edits[0].span.start, first.span.end), edits=(*edits, *first.edits))
    return block._replace(fixes=(more, *block.fixes[1:]))


def read_clean_block(
    text: str, start: int, tools: OfferedTools | None, find: Callable[[str, int], int]
) -> Block | None:
    """Read the block whose opening tag is at `start` if it needs no fix and has no finding.

    None means that the recovering reader must look at it. For a clean block it gives the same result, only slower.

    Args:
        text: The completion, in which calls are JSON.
        start: Position of the tag.
        tools: The offered tools, or None to accept any name.
        find: Finds a tag in the text, like `text.find`. Where one text is searched again and again, it remembers what
            it found.
    """
    if not text.startswith(CALL_OPEN, start):
        return None
    space = SPACE.match(text, start + len(CALL_OPEN))
    begin = space.end() if space else start
    close = find(CALL_CLOSE, begin)
    if close < 0 or not text.startswith("{", begin) or text.find(CALL_OPEN, begin, close) >= 0:
        return None
    decoded = decode(text[begin:close])
    if decoded is None or text[begin + decoded[1] : close].strip():
        return None
    draft = _plain_call(tools, decoded[0], begin, begin + decoded[1])
    if draft is None:
        return None
    return Block(start, close + len(CALL_CLOSE), SegmentKind.CALL, is_call=True, drafts=(draft,))


def _plain_call(tools: OfferedTools | None, value: object, start: int, end: int) -> CallDraft | None:
    if not isinstance(value, dict):
        return None
    members = cast("dict[str, object]", value)
    name, arguments = members.get("name"), members.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    if not is_plain_name(name, tools):
        return None
    values = cast(JsonObject, arguments)
    spec = tools.by_name.get(name) if tools is not None else None
    if len(members) > 2 and has_others(members, values, spec):
        return None
    if spec is None or not spec.parameters:
        return CallDraft(name, values, Dialect.JSON, start, end)
    if matches_plainly(spec.parameters, values):
        return CallDraft(name, values, Dialect.JSON, start, end, is_surely_valid=True)
    if find_coercions(spec.schema, values):
        return None
    return CallDraft(name, values, Dialect.JSON, start, end)

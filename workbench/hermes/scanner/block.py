"""One block of a completion that is not plain prose, and what is recorded about it."""

import re
from dataclasses import replace
from typing import Final, NamedTuple, cast

from workbench.chat.finding import Edit, Finding, Fix, Span
from workbench.chat.json_value import JsonObject
from workbench.hermes.body.shape import CallDraft, is_plain_name
from workbench.hermes.json_text.fast import decode
from workbench.hermes.marks import ANY_TAG, CALL_CLOSE, CALL_OPEN, SPACE
from workbench.hermes.reading import Dialect, ForeignForm, SegmentKind
from workbench.hermes.text.completion import Completion
from workbench.hermes.text.notes import BlockNotes, finding_of
from workbench.toolspec.coerce import coercions


class Block(NamedTuple):
    """One call block, thought or cut, or one stray tag or fence."""

    start: int
    """First code point."""
    end: int
    """One past the last code point."""
    kind: SegmentKind
    """What the stretch is; prose of a stray tag."""
    is_call: bool = False
    """Whether it is a call block: one that gives no call counts as dropped."""
    drafts: tuple[CallDraft, ...] = ()
    fixes: tuple[Fix, ...] = ()
    """Its fixes; none of a call block that gives no call."""
    findings: tuple[Finding, ...] = ()
    foreign: ForeignForm | None = None
    """Set if the block is a call in another model family's form."""

    @property
    def is_unread(self) -> bool:
        """Whether a call was looked for and none was found."""
        is_mere_tag = self.kind is SegmentKind.PROSE and not (self.fixes or self.findings or self.foreign)
        return not self.drafts and (self.is_call or is_mere_tag)


def call_block(start: int, end: int, notes: BlockNotes, drafts: list[CallDraft]) -> Block:
    """A call block that was read."""
    fixes = notes.fixes() if drafts else ()
    return Block(start, end, SegmentKind.CALL, True, tuple(drafts), fixes, notes.findings)


def refused_block(code: str, start: int, end: int, message: str = "") -> Block:
    """A call block that gives no call, for one reason."""
    kind = SegmentKind.UNCLOSED if code == "truncated" else SegmentKind.CALL
    return Block(start, end, kind, True, findings=(finding_of(code, start, end, message),))


def unread(start: int, end: int) -> Block:
    """A tag outside of blocks that is text, without a code, since what stands behind it is no call."""
    return Block(start, end, SegmentKind.PROSE)


def stray(code: str, text: str, start: int, end: int, after: str) -> Block:
    """A tag outside of blocks that is text."""
    span = Span(start, end)
    fix = Fix(code=code, span=span, edits=(Edit(span=span, before=text[start:end], after=after),))
    return Block(start, end, SegmentKind.PROSE, fixes=(fix,))


_FENCE: Final = re.compile("```")


def has_unread_before_fix(blocks: list[Block]) -> bool:
    """Whether a fix stands behind what gives no call."""
    has_unread = False
    for block in blocks:
        if has_unread and block.fixes:
            return True
        has_unread |= block.is_unread
    return False


def sealed(text: str, blocks: list[Block]) -> list[Block]:
    """`blocks`, where the next fix behind each that gives no call turns also the tags and fences of that into text."""
    kept: list[Block] = []
    waiting: list[Edit] = []
    for block in blocks:
        if block.is_unread:
            waiting.extend(_as_text(text, block))
        elif block.fixes and waiting:
            block, waiting = _with_edits(block, waiting), []
        kept.append(block)
    return kept


def as_text(tag: str) -> str:
    """A tag as what a page shows of it: no tag any more."""
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


def read_clean_block(completion: Completion, start: int) -> Block | None:
    """The block whose open tag begins at `start`, if nothing in it is to be noted.

    None where the careful reader must look. In a clean block it finds the same, only slower.
    """
    text = completion.text
    if not text.startswith(CALL_OPEN, start) or completion.dialect is Dialect.XML:
        return None
    space = SPACE.match(text, start + len(CALL_OPEN))
    begin = space.end() if space else start
    close = completion.find(CALL_CLOSE, begin)
    if close < 0 or not text.startswith("{", begin) or 0 <= completion.find(CALL_OPEN, begin) < close:
        return None
    decoded = decode(text[begin:close])
    if decoded is None or text[begin + decoded[1] : close].strip():
        return None
    draft = _plain_call(completion, decoded[0], begin, begin + decoded[1])
    return Block(start, close + len(CALL_CLOSE), SegmentKind.CALL, True, (draft,)) if draft else None


def _plain_call(completion: Completion, value: object, start: int, end: int) -> CallDraft | None:
    if not isinstance(value, dict):
        return None
    members = cast("dict[str, object]", value)
    name, arguments = members.get("name"), members.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    if not is_plain_name(name, completion.tools):
        return None
    given = cast(JsonObject, arguments)
    spec = completion.spec(name)
    if spec is not None and spec.parameters and coercions(spec.parameters, given):
        return None
    return CallDraft(name, given, Dialect.JSON, start, end)

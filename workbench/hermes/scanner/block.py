"""One stretch of a completion that is not plain prose, and what is recorded of it."""

from typing import NamedTuple

from workbench.chat.finding import Finding
from workbench.chat.fix import Edit, Fix
from workbench.chat.span import Span
from workbench.hermes.body.shape import Draft
from workbench.hermes.reading import SegmentKind
from workbench.hermes.text.notes import Notes, finding_of


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
    drafts: tuple[Draft, ...] = ()
    """The calls that it gives."""
    fixes: tuple[Fix, ...] = ()
    """Its fixes; none of a call block that gives no call."""
    findings: tuple[Finding, ...] = ()
    """What is told of it."""

    @property
    def is_unread(self) -> bool:
        """Whether a call was looked for and none was found."""
        is_mere_tag = self.kind is SegmentKind.PROSE and not (self.fixes or self.findings)
        return not self.drafts and (self.is_call or is_mere_tag)


def call_block(start: int, end: int, notes: Notes, drafts: list[Draft]) -> Block:
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

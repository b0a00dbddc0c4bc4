"""What keeps a block that cannot be read as it is, when the text behind it is fixed.

Such a block was read on past its end, in a string or a value that never closed. A fix behind it may close that:
then the block would read otherwise, and take along what follows.
"""

from collections.abc import Iterator
from dataclasses import replace

from workbench.chat.fix import Edit
from workbench.chat.span import Span
from workbench.hermes.marks import ANY_TAG
from workbench.hermes.scanner.block import Block


def has_unread_before_fix(blocks: list[Block]) -> bool:
    """Whether a fix stands behind what gives no call."""
    has_unread = False
    for block in blocks:
        if has_unread and block.fixes:
            return True
        has_unread |= block.is_unread
    return False


def sealed(text: str, blocks: list[Block]) -> list[Block]:
    """`blocks`, where the next fix behind each that gives no call turns also the tags of that into text."""
    kept: list[Block] = []
    waiting: list[Edit] = []
    for block in blocks:
        if block.is_unread:
            waiting.extend(_tags_as_text(text, block))
        elif block.fixes and waiting:
            block, waiting = _with_edits(block, waiting), []
        kept.append(block)
    return kept


def as_text(tag: str) -> str:
    """A tag as what a page shows of it: no tag any more."""
    return f"&lt;{tag[1:-1]}&gt;"


def _tags_as_text(text: str, block: Block) -> Iterator[Edit]:
    for tag in ANY_TAG.finditer(text, block.start, block.end):
        yield Edit(span=Span(*tag.span()), before=tag.group(), after=as_text(tag.group()))


def _with_edits(block: Block, edits: list[Edit]) -> Block:
    first = block.fixes[0]
    more = replace(first, span=Span(edits[0].span.start, first.span.end), edits=(*edits, *first.edits))
    return block._replace(fixes=(more, *block.fixes[1:]))

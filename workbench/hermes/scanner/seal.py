"""What keeps a block that cannot be read as it is, when the text behind it is fixed.

Such a block was read on past its end, in a string or a value that never closed. A fix behind it may close that:
then the block would read otherwise, and take along what follows.
"""

import re
from dataclasses import replace
from typing import Final

from workbench.chat.fix import Edit
from workbench.chat.span import Span
from workbench.hermes.marks import ANY_TAG
from workbench.hermes.scanner.block import Block

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

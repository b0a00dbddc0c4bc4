"""Decide what a thought is, and report the calls in it."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from workbench.chat.finding import Finding
from workbench.hermes.dialects.find import find_foreign, may_hold_token
from workbench.hermes.marks import CALL_TAG
from workbench.hermes.reading import SegmentKind
from workbench.hermes.scanner.block import Block
from workbench.hermes.text.completion import Completion, Tag
from workbench.hermes.text.notes import finding_of

_RECIPIENT: Final = re.compile(r"to=[\w.-]+\s?\Z")
_UNTAGGED: Final = frozenset({"no-tag", "missing-open-tag"})
"""Fixes of calls that are prose below the lenient level, where the text must mean the same."""
_LONGEST_RECIPIENT: Final = 200


def calls_in_thought(completion: Completion, start: int, end: int) -> tuple[Finding, ...]:
    """Return a finding for each call inside the thought `[start, end)`, in any form that has tags or tokens."""
    found = [*_tagged_calls(completion.text, start, end)]
    if not may_hold_token(completion.text[start:end]):
        return tuple(found)
    found += (
        finding_of("call-in-reasoning", foreign.start, foreign.end)
        for foreign in find_foreign(completion, start, end)
        if foreign.drafts and not foreign.is_plain
    )
    return tuple(sorted(found, key=lambda finding: finding.span or (start, end)))


def _tagged_calls(text: str, start: int, end: int) -> Iterator[Finding]:
    opened: int | None = None
    for tag in CALL_TAG.finditer(text, start, end):
        if not tag.group(1):
            opened = tag.start()
        elif opened is not None:
            yield finding_of("call-in-reasoning", opened, tag.end())
            opened = None


class ProseSearch:
    """Finds out whether there was prose so far, outside of blocks. Each part of the text is read once.

    A closing tag of a thought that was not opened makes a thought of the prose before it, and of the calls in it:

        Perhaps <tool_call>…</tool_call> would help.</think>It is noon.

    Without any prose, the tag is a stray one, and the calls are calls.
    """

    def __init__(self) -> None:
        self._has_prose = False
        self._blocks = 0
        self._position = 0

    def has_prose(self, text: str, blocks: Sequence[Block], end: int) -> bool:
        """Return whether there is prose before `end`. Call it with growing `blocks` and `end`."""
        for block in blocks[self._blocks :]:
            self._note(text, block.start)
            self._has_prose |= _is_prose(block)
            self._position = max(self._position, block.end)
        self._blocks = len(blocks)
        self._note(text, end)
        return self._has_prose

    def _note(self, text: str, end: int) -> None:
        self._has_prose = self._has_prose or bool(text[self._position : end].strip())
        self._position = max(self._position, end)


def _is_prose(block: Block) -> bool:
    """Return whether a block is text for the user, at this level or in the text with its fixes applied."""
    if block.kind is not SegmentKind.PROSE:
        return any(fix.code in _UNTAGGED for fix in block.fixes)
    return bool(block.findings) or any(edit.after for fix in block.fixes for edit in fix.edits)


def is_header_of_call(text: str, tag: Tag) -> bool:
    """Return whether gpt-oss' channel at `tag` belongs to a call: `to=functions.f<|channel|>analysis<|message|>{…}`."""
    return _RECIPIENT.search(text, max(0, tag.start - _LONGEST_RECIPIENT), tag.start) is not None

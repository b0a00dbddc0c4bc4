"""Split a completion into thoughts, call blocks, truncated blocks and prose in one pass.

Idea. Find the next mark, a tag or special token, and let the handler of its kind decide. The handler reads the whole
block that starts there, whatever is inside, and returns where the scan continues. Marks inside a block are therefore
never seen by the scan: the reader of the block knows where its strings and values end. A mark that opens nothing is
recorded as a stray tag and counts as text.

Invariants. Blocks never overlap, and everything between them is prose. Each handler returns a position after its
mark, so the scan ends. The total work is linear: `Completion.reach` limits how far a block may be read once too
much text was read in vain. An unreadable block ends at the next tag, so that no valid block after it is lost.

Splitting the text with `<tool_call>(.*?)</tool_call>` fails on this completion. The first closing tag is inside a
string, and the call would be cut in half:

    <tool_call>{"name": "save", "arguments": {"text": "ends with </tool_call>"}}</tool_call>
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from workbench.chat.finding import Span
from workbench.hermes.marks import (
    BRACKET_MARKS,
    FOREIGN_THOUGHTS,
    GLM_BODY,
    MARK,
    MARK_OR_BRACKET,
    PARAMETER_CLOSE,
    PAYLOAD_START,
    SPACE,
    THINK_CLOSE,
)
from workbench.hermes.reading import Dialect, SegmentKind
from workbench.hermes.scanner.alternates import read_alternate
from workbench.hermes.scanner.block import Block, as_text, read_clean_block, refused_block, stray, unread
from workbench.hermes.scanner.foreign import with_foreign_blocks
from workbench.hermes.scanner.tagged import read_call_block
from workbench.hermes.scanner.thoughts import calls_in_thought, is_header_of_call
from workbench.hermes.scanner.untagged import leaves_doubt, read_function_between_prose, read_whole
from workbench.hermes.text.completion import Completion, Tag, Tags
from workbench.hermes.text.notes import BlockNotes, finding_of

_WRAPPED: Final = re.compile(r"\s*+(?:<function=|<tool_call>[\w.-]+\s*+<tool_sep>)")
_FENCE_BEFORE: Final = re.compile(r"(?:^|(?<=\n))```[\w+-]*[^\S\n]*\r?\n\s*\Z")
_FENCE_AFTER: Final = re.compile(r"(?:[^\S\n]*\n|(?<=\n))\s*?(```[^\S\n]*(?:\n|\Z))")
_LONGEST_FENCE: Final = 200
_SHORTEST_BRACKET: Final = len("[THINK]")


@dataclass(slots=True)
class Scan:
    """The state of a scan."""

    completion: Completion
    blocks: list[Block]
    """Blocks, stray tags, thoughts and truncated blocks, sorted by position. Everything else is prose."""
    has_thought: bool = False
    """Whether a thought was found. A closing tag of a thought after it closes nothing."""
    has_others: bool = False
    """Whether anything but thoughts was found, so that an untagged call cannot be the whole message any more."""
    thoughts_end: int = 0
    """Position after the last thought."""
    xml_start: int = -1
    """Start of the last block with a call in XML, or -1."""
    xml_end: int = -1
    """End of that block, or -1."""
    has_doubt: bool = False
    """Whether there was a block that may have ended too early, so that text after it may be a part of its value."""


def scan(completion: Completion, *, starts_in_thought: bool) -> list[Block]:
    """Return all blocks, thoughts and stray tags of a completion, sorted by position.

    Args:
        starts_in_thought: Whether the prompt ended inside a thought.
    """
    found = Scan(completion, [])
    position = _thought(found, Tag(0, 0), THINK_CLOSE) if starts_in_thought else 0
    position = _whole(found, position)
    text = completion.text
    while position < len(text):
        mark = MARK.search(text, position)
        prose_end = mark.start() if mark else len(text)
        # Only prose is searched for `[THINK]`, because searching for two first characters is slower.
        if prose_end - position >= _SHORTEST_BRACKET and text.find("THINK]", position, prose_end) >= 0:
            mark = MARK_OR_BRACKET.search(text, position)
        if mark is None:
            break
        position = _HANDLERS[str(mark.lastgroup)](found, Tag(*mark.span()))
    found.blocks = with_foreign_blocks(completion, found.blocks)
    if "`" in text and "```" in text:  # searching one character is much faster
        _note_fences(found)
        found.blocks.sort(key=lambda block: block.start)
    return found.blocks


def _add(found: Scan, block: Block) -> int:
    found.blocks.append(block)
    found.has_thought |= block.kind is SegmentKind.THOUGHT
    found.has_others |= block.is_call
    for draft in block.drafts:
        if draft.dialect is Dialect.XML:
            found.xml_start, found.xml_end = block.start, block.end
    if block.findings or not block.drafts:  # a clean block leaves none
        found.has_doubt = found.has_doubt or leaves_doubt(block)
    return block.end


def _stray(found: Scan, code: str, tag: Tag) -> int:
    """Record a tag that counts as text. Return the position after it."""
    text = found.completion.text
    found.blocks.append(stray(code, text, tag.start, tag.end, as_text(text[tag.start : tag.end])))
    return tag.end


def _is_quoted(text: str, tag: Tag) -> bool:
    """Return whether the tag is between two backticks."""
    return text.startswith("`", tag.end) and tag.start > 0 and text[tag.start - 1] == "`"


def _whole(found: Scan, position: int) -> int:
    """Return the position after an untagged call that is all the text from `position` on, or `position`."""
    if found.has_others:
        return position
    block = read_whole(found.completion, position)
    return _add(found, block) if block else position


def _open(found: Scan, tag: Tag) -> int:
    completion = found.completion
    text = completion.text
    if _is_quoted(text, tag):
        return _stray(found, "orphan-open-tag", tag)
    if completion.dialect is not Dialect.XML and (
        clean := read_clean_block(text, tag.start, completion.tools, completion.find)
    ):
        return _add(found, clean)
    match = SPACE.match(text, tag.end)
    start = match.end() if match else tag.end
    stop = completion.stop_after(tag.end)
    if start >= stop:
        return _add(found, refused_block("truncated", tag.start, stop))
    following = completion.call_tags.next(tag.end, stop)
    if following and not following.is_close and following.start == start:
        found.blocks.append(stray("duplicate-open-tag", text, tag.start, start, ""))
        return tag.end
    is_closed = following is not None and following.is_close and not _is_quoted(text, following)
    if not (is_closed or PAYLOAD_START.match(text, start) or GLM_BODY.match(text, start)):
        return _stray(found, "orphan-open-tag", tag)
    return _add(found, read_call_block(completion, tag))


def _close(found: Scan, tag: Tag) -> int:
    """Record a closing tag that closes nothing.

    After `</parameter>`, it may be the end of the last call in XML. That call's value then contained
    the tags that were read as its end, and calls after it may be examples inside the value:

        <parameter=content>
        A call ends with </parameter></function></tool_call> on separate lines.
        </parameter></function></tool_call>
    """
    end = _stray(found, "orphan-close-tag", tag)
    text, blocks = found.completion.text, found.blocks
    start = blocks[-2].end if len(blocks) > 1 else 0
    if found.xml_start >= 0 and text.find(PARAMETER_CLOSE, start, tag.start) >= 0:
        doubt = finding_of("ambiguous-end", found.xml_start, end)
        fixes = tuple(replace(fix, is_guess=True) for fix in blocks[-1].fixes)
        blocks[-1] = blocks[-1]._replace(fixes=fixes, findings=(doubt,))
    return end


def _thought_open(found: Scan, tag: Tag) -> int:
    if _is_quoted(found.completion.text, tag):
        return _stray(found, "orphan-open-tag", tag)
    return _whole(found, _thought(found, tag, "</" + found.completion.text[tag.start + 1 : tag.end]))


def _foreign_thought(found: Scan, tag: Tag) -> int:
    """Read a thought in the form of another family. `[THINK]` in a sentence is text if it is never closed."""
    text = found.completion.text
    mark = text[tag.start : tag.end]
    close_tag = FOREIGN_THOUGHTS[mark]
    is_first = not (found.has_others or found.has_thought) and _is_blank(text, 0, tag.start)
    may_be_text = mark in BRACKET_MARKS and not is_first
    if _is_quoted(text, tag) or is_header_of_call(text, tag):
        return tag.end
    if may_be_text and _places(found, close_tag).next(tag.end, len(text)) is None:
        return tag.end
    return _whole(found, _thought(found, tag, close_tag))


def _places(found: Scan, tag: str) -> Tags:
    return found.completion.places(_expression(tag))


@cache
def _expression(tag: str) -> "re.Pattern[str]":
    return re.compile(re.escape(tag))


def _thought(found: Scan, tag: Tag, close_tag: str) -> int:
    """Read the thought that `tag` opens, up to `close_tag`. Return the position after it."""
    completion = found.completion
    text = completion.text
    found.has_others |= not _is_blank(text, found.thoughts_end, tag.start)
    close = _places(found, close_tag).next(tag.end, len(text))
    if close:
        return _add_thought(found, tag.start, close.end)
    end = completion.stop_after(tag.end)
    calls = calls_in_thought(completion, tag.start, end)
    if completion.is_cut:
        cut = finding_of("truncated", tag.start, end)
        return _add(found, Block(tag.start, end, SegmentKind.UNCLOSED, findings=(*calls, cut)))
    notes = BlockNotes(text)
    notes.edit("unclosed-think", end, end, close_tag)
    return _add(found, Block(tag.start, end, SegmentKind.THOUGHT, fixes=notes.fixes(), findings=calls))


def _add_thought(found: Scan, start: int, end: int) -> int:
    calls = calls_in_thought(found.completion, start, end)
    found.thoughts_end = end
    return _add(found, Block(start, end, SegmentKind.THOUGHT, findings=calls))


def _is_blank(text: str, start: int, end: int) -> bool:
    space = SPACE.match(text, start, end)
    return space is not None and space.end() == end


def _thought_close(found: Scan, tag: Tag) -> int:
    """Treat all text before a closing tag without an opening tag as a thought, unless a thought came before.

    Some chat templates open the thought in the prompt, so that the completion only contains its end.
    """
    return _thought_before(found, tag) or _stray(found, "orphan-close-tag", tag)


def _foreign_thought_close(found: Scan, tag: Tag) -> int:
    return _thought_before(found, tag) or _add(found, unread(tag.start, tag.end))


def _thought_before(found: Scan, tag: Tag) -> int | None:
    """Treat all text before the closing tag as a thought. Return the position after it, or None if it is stray."""
    text = found.completion.text
    if found.has_thought or _is_quoted(text, tag):
        return None
    found.blocks = [block for block in found.blocks if block.is_unread and not block.is_call]
    found.has_others = found.has_doubt = False
    found.xml_end = -1
    return _whole(found, _add_thought(found, 0, tag.end))


def _wrapped(found: Scan, tag: Tag) -> int:
    """Leave a block in the form of Seed-OSS or Hunyuan V3 to the search for foreign forms, with the tags inside."""
    text = found.completion.text
    close = _places(found, "</" + text[tag.start + 1 : tag.end]).next(tag.end, len(text))
    if close is None or not _WRAPPED.match(text, tag.end):
        return tag.end
    found.has_others = True
    return close.end


def _stop(found: Scan, tag: Tag) -> int:
    notes = BlockNotes(found.completion.text)
    end = len(notes.text)
    if notes.text[tag.end :].strip():
        notes.edit("text-after-stop", tag.end, end, "")
    return _add(found, Block(tag.start, end, SegmentKind.RESPONSE, fixes=notes.fixes()))


def _response(found: Scan, tag: Tag) -> int:
    text = found.completion.text
    if tag.start and text[tag.start - 1] != "\n":
        return tag.end
    notes = BlockNotes(text)
    notes.edit("model-wrote-tool-response", tag.start, len(text), "")
    return _add(found, Block(tag.start, len(text), SegmentKind.RESPONSE, fixes=notes.fixes()))


def _alternate(found: Scan, tag: Tag) -> int:
    if _is_quoted(found.completion.text, tag):
        return tag.end
    return _add(found, read_alternate(found.completion, tag.start, tag.end) or unread(tag.start, tag.end))


def _function(found: Scan, tag: Tag) -> int:
    """Read a call without an opening tag.

    In a value that contains closing tags without their partners, such a call may be an example. So after a call in XML,
    it only counts if nothing is between them.
    """
    text = found.completion.text
    is_after_text = found.xml_end >= 0 and not _is_blank(text, found.xml_end, tag.start)
    may_be_example = found.has_doubt or is_after_text
    block = read_function_between_prose(found.completion, tag.start, may_be_example=may_be_example)
    return _add(found, block or unread(tag.start, tag.end))


_HANDLERS: Final[dict[str, Callable[[Scan, Tag], int]]] = {
    "open": _open,
    "close": _close,
    "thought": _thought_open,
    "thought_end": _thought_close,
    "foreign_thought": _foreign_thought,
    "foreign_thought_end": _foreign_thought_close,
    "bracket_thought": _foreign_thought,
    "bracket_thought_end": _foreign_thought_close,
    "wrapped": _wrapped,
    "stop": _stop,
    "response": _response,
    "alternate": _alternate,
    "named": _alternate,
    "function": _function,
}


def _note_fences(found: Scan) -> None:
    """Record each code fence around a block, or around several blocks with only white space or fences between them."""
    text = found.completion.text
    groups: list[Span] = []
    for group in _touching(found):
        group = _without_fence(found, groups[-1].end if groups else 0, group)
        while groups and not text[groups[-1].end : group.start].strip():
            group = Span(groups.pop().start, group.end)
            group = _without_fence(found, groups[-1].end if groups else 0, group)
        groups.append(group)


def _touching(found: Scan) -> Iterator[Span]:
    """Yield the spans of blocks with only white space between them."""
    text = found.completion.text
    group: Span | None = None
    for block in found.blocks.copy():
        if not (block.is_call or _is_duplicate(block)):
            continue
        if group and text[group.end : block.start].strip():
            yield group
            group = None
        group = Span(group.start if group else block.start, block.end)
    if group:
        yield group


def _is_duplicate(block: Block) -> bool:
    return any(fix.code == "duplicate-open-tag" for fix in block.fixes)


def _without_fence(found: Scan, floor: int, group: Span) -> Span:
    """Record the fences around `group`, inner ones first, none before `floor`. Return the span including the fences."""
    text, notes = found.completion.text, BlockNotes(found.completion.text)
    first, last = group
    while True:
        before = _fence_before(text, floor, first)
        closing = _FENCE_AFTER.match(text, last)
        if before < 0 or not closing:
            break
        notes.edit("fenced-block", before, first, "")
        notes.edit("fenced-block", closing.start(1), closing.end(1), "")
        first, last = before, closing.end(1)
    if last > group.end:
        found.blocks.append(Block(first, first, SegmentKind.PROSE, fixes=notes.fixes()))
    return Span(first, last)


def _fence_before(text: str, floor: int, position: int) -> int:
    """Return the start of the fence line directly before `position`, or -1."""
    blank = text[max(floor, position - _LONGEST_FENCE) : position]
    fence = max(blank.rfind("\n```") + 1, 0 if blank.startswith("```") else -1)
    start = position - len(blank) + fence
    if fence < 0 or (fence == 0 and start > 0 and text[start - 1] != "\n"):
        return -1
    return start if _FENCE_BEFORE.match(text, start, position) else -1

"""Read one call block from its opening tag to its end, whatever it contains."""

from typing import Final

from workbench.chat.finding import Span
from workbench.hermes.body.call_keys import declared_keys
from workbench.hermes.body.calls import draft_calls, draft_continued_call
from workbench.hermes.body.payload import Body, note_tail, read_body
from workbench.hermes.json_text.fast import decode
from workbench.hermes.marks import (
    CALL_CLOSE,
    CALL_CLOSE_ANY_CASE,
    CALL_OPEN,
    CUT_CALL_CLOSE,
    FOREIGN,
    GLM_BODY,
    SPACE,
)
from workbench.hermes.scanner.block import Block, call_block, refused_block
from workbench.hermes.scanner.foreign import read_foreign_block
from workbench.hermes.text.completion import BodyText, Completion, Tag, UnreadableBody
from workbench.hermes.text.notes import BlockNotes

_LONGEST_SCALAR: Final = 10_000
_FOREIGN_BODIES: Final = {
    "glm": ("glm", "GLM's <arg_key>"),
    "harmony": ("harmony", "gpt-oss' to="),
    "pythonic": ("pythonic", "a Python call"),
    "m3": ("minimax-m3", "MiniMax M3's tags"),
    "name": ("glm", "GLM's name alone"),
}
"""The dialect of each group of `FOREIGN`, and what it is called in the finding."""


def read_call_block(completion: Completion, tag: Tag) -> Block:
    """Read the block whose opening tag is `tag`."""
    text = completion.text
    notes = BlockNotes(text)
    keys = None if completion.tools is None else declared_keys(completion.tools)
    source = BodyText(text, completion.reach(tag.end), notes, CALL_CLOSE_ANY_CASE, keys=keys)
    start = _after_space(text, tag.end)
    close = completion.close_tags.next(tag.end, len(text))
    if close and close.start == start:
        return refused_block("empty-block", tag.start, close.end)
    foreign = None if text.startswith("{", start) else FOREIGN.match(text, start)
    if foreign and (not foreign["name"] or completion.spec(foreign["name"])):
        return _foreign(completion, tag, str(foreign.lastgroup))
    try:
        _note_case(notes, tag, CALL_OPEN)
        body = read_body(source, start, close.start if close else source.end, completion)
        return _closed_block(completion, source, tag, body)
    except UnreadableBody as failure:
        return _unreadable(completion, tag, failure)


def _after_space(text: str, position: int) -> int:
    match = SPACE.match(text, position)
    return match.end() if match else position


def _note_case(notes: BlockNotes, tag: Tag, correct: str) -> None:
    if notes.text[tag.start : tag.end] != correct:
        notes.edit("tag-case", tag.start, tag.end, correct)


def _closed_block(completion: Completion, source: BodyText, tag: Tag, body: Body) -> Block:
    """Return the block whose payloads were read, up to its closing tag or where it should be."""
    stop = completion.stop_after(body.end)
    close = completion.call_tags.next(body.end, stop)
    if close and close.is_close:
        if draft := draft_continued_call(completion, source.notes, body, close.start):
            _note_case(source.notes, close, CALL_CLOSE)
            return call_block(tag.start, close.end, source.notes, [draft])
        note_tail(source, body.end, close.start)
        _note_case(source.notes, close, CALL_CLOSE)
        return call_block(tag.start, close.end, source.notes, draft_calls(completion, source.notes, body))
    if len(body.payloads) > 1 or "add-closing-bracket" in source.notes.fix_codes:
        return _first_only(completion, source, tag, body)
    if completion.is_cut:
        end = close.start if close else stop
        return refused_block("truncated", tag.start, end)
    cut = CUT_CALL_CLOSE.match(source.text, body.end)
    end = cut.end() if cut else body.end
    start = source.text.rindex("<", body.end, end) if cut else end
    source.notes.edit("missing-close-tag", start, end, CALL_CLOSE if cut else "\n" + CALL_CLOSE)
    return call_block(tag.start, end, source.notes, draft_calls(completion, source.notes, body))


def _first_only(completion: Completion, source: BodyText, tag: Tag, body: Body) -> Block:
    """Read a block without a closing tag: only its first payload counts, and what follows is text.

    No missing bracket is added, because the model may have been about to write more.
    """
    if "add-closing-bracket" in source.notes.fix_codes:
        raise source.failure(body.end)
    first = body.payloads[0]
    notes = BlockNotes(source.text)
    inner = source._replace(end=first.end, notes=notes)
    again = read_body(inner, _after_space(source.text, tag.end), first.end, completion)
    _note_case(notes, tag, CALL_OPEN)
    return _closed_block(completion, source._replace(notes=notes), tag, again)


def _foreign(completion: Completion, tag: Tag, which: str) -> Block:
    dialect, called = _FOREIGN_BODIES[which]
    message = f"the body uses the form of another family ({called}); not read"
    if whole := GLM_BODY.match(completion.text, tag.end):
        end = whole.end() + len(CALL_CLOSE)
        refused = refused_block("foreign-dialect", tag.start, end, message)
        return read_foreign_block(completion, dialect, refused, Span(*whole.span()))
    block = _unreadable(completion, tag, UnreadableBody(tag.end))
    refused = refused_block("foreign-dialect", tag.start, block.end, message)
    close = completion.close_tags.next(tag.end, block.end)
    if close is None or close.end != block.end:
        return refused
    return read_foreign_block(completion, dialect, refused, Span(tag.end, close.start))


def _unreadable(completion: Completion, tag: Tag, failure: UnreadableBody) -> Block:
    """Return a block that cannot be read. It ends at the first tag after its own, or at the end of the text."""
    text = completion.text
    completion.spend(failure.at - tag.end)
    completion.has_met_end |= failure.is_over
    is_over = failure.is_over and completion.reach(tag.end) == len(text)
    horizon = failure.at if is_over else completion.stop_after(failure.at)
    nearest = completion.call_tags.next(tag.end, horizon)
    close = completion.close_tags.next(tag.end, horizon)
    is_cut_in_string = is_over and failure.is_in_string and nearest is not None and not nearest.is_close
    if is_cut_in_string or (
        not close and (is_over or (not nearest and _is_unbalanced(text, tag.end, horizon)))
    ):
        return refused_block("truncated", tag.start, horizon)
    if completion.is_cut and (nearest is None or not nearest.is_close):
        return refused_block("truncated", tag.start, nearest.start if nearest else horizon)
    end = horizon if nearest is None else nearest.end if nearest.is_close else nearest.start
    is_xml = text.startswith("<function", _after_space(text, tag.end))
    content = text[tag.end : nearest.start] if nearest else ""
    return refused_block(_scalar_or_invalid(content, is_xml=is_xml), tag.start, end)


def _scalar_or_invalid(content: str, *, is_xml: bool) -> str:
    if is_xml:
        return "invalid-xml"
    written = content.strip()
    if not written or written[0] in "{[" or len(content) >= _LONGEST_SCALAR:
        return "invalid-json"
    decoded = decode(written)
    return "not-an-object" if decoded is not None and decoded[1] == len(written) else "invalid-json"


def _is_unbalanced(text: str, start: int, end: int) -> bool:
    """Return whether brackets are open at the end of `[start, end)`, not counting those in strings."""
    depth, is_in_string, position = 0, False, start
    while position < end:
        char = text[position]
        if is_in_string:
            position += char == "\\"
            is_in_string = char != '"'
        elif char == '"':
            is_in_string = True
        else:
            depth += (char in "{[") - (char in "}]")
            if depth == 0 and char in "}]":
                return False
        position += 1
    return depth > 0

"""Find the payloads between a block's tags, and record other text around them."""

import html
import re
from typing import Final, NamedTuple

from workbench.hermes.body.function_xml import Function, read_function
from workbench.hermes.json_text.reader import read_payload
from workbench.hermes.marks import FENCE_CLOSE, FENCE_OPEN, PAYLOAD_START, SPACE
from workbench.hermes.text.completion import BodyText, Completion, JsonNode, UnreadableBody
from workbench.hermes.text.notes import BlockNotes

Payload = JsonNode | Function
"""The body of one call, or an array of several."""

_FIRST: Final = re.compile(r"[{\[]|<function")
_NO_GARBAGE: Final = re.compile(r"""[{}\[\]"]|'\s*+:""")
"""Brackets, quotes and keys, which may be a part of the call."""
_ONLY_CLOSERS: Final = re.compile(r"[\s}\]]*+")
_BETWEEN: Final = re.compile(r"\s*+,?\s*+(?=\{|<function=)")


class Body(NamedTuple):
    """The payloads of one block."""

    payloads: tuple[Payload, ...]
    """At least one, sorted by position."""
    end: int
    """Position after the last payload and the code fence around it."""
    decoded: BlockNotes | None = None
    """Notes of the decoded text if the payload's quotes were HTML entities. Its positions refer to that text."""
    source: tuple[int, int] = (0, 0)
    """Start and end of the encoded text of such a payload."""


def read_body(source: BodyText, start: int, close: int, completion: Completion) -> Body:
    """Read the payloads after an opening tag.

    Args:
        start: Position after the opening tag.
        close: Position of the next closing tag, or the end of the text.
        completion: The completion whose text is read.

    Raises:
        UnreadableBody: There is no payload, or it cannot be read.
    """
    position, has_fence = _body_start(source, start, close, completion)
    try:
        body = read_all(source, position, completion)
    except UnreadableBody as failure:
        if not failure.is_escaped:
            raise
        body = _read_escaped(source, position, close)
    fence = FENCE_CLOSE.match(source.text, body.end, source.end) if has_fence else None
    if fence:
        source.notes.edit("code-fence", body.end, fence.end(), "")
        return body._replace(end=fence.end())
    return body


def note_tail(source: BodyText, start: int, end: int) -> None:
    """Record the text between the last payload and the closing tag.

    Raises:
        UnreadableBody: The text is neither closing brackets nor prose without brackets and quotes.
    """
    tail = source.text[start:end]
    if not tail or tail.isspace():
        return
    inner = start + len(tail) - len(tail.lstrip())
    if _ONLY_CLOSERS.fullmatch(tail):
        source.notes.edit("extra-closing-bracket", inner, start + len(tail.rstrip()), "")
    elif not _NO_GARBAGE.search(tail):
        source.notes.edit("skipped-garbage", inner, start + len(tail.rstrip()), "")
    else:
        raise UnreadableBody(start)


def _after_space(text: str, position: int) -> int:
    match = SPACE.match(text, position)
    return match.end() if match else position


def _body_start(source: BodyText, start: int, close: int, completion: Completion) -> tuple[int, bool]:
    """Return the position of the first payload, and whether it is inside a code fence."""
    text = source.text
    position = _after_space(text, start)
    if PAYLOAD_START.match(text, position) and not text.startswith("`", position):
        return position, False
    # Searching the text from here would take quadratic time for many tags with text after them.
    found = completion.places(_FIRST).next(position, close)
    if not found:
        raise UnreadableBody(position)
    fence = completion.places(FENCE_OPEN).around(found.start - 1)
    if fence and (fence.start < position or fence.end != found.start):
        fence = None
    garbage_end = fence.start if fence else found.start
    if completion.places(_NO_GARBAGE).next(position, garbage_end):
        raise UnreadableBody(position)
    if garbage_end > position:
        source.notes.edit("skipped-garbage", position, garbage_end, "")
    if fence:
        source.notes.edit("code-fence", fence.start, fence.end, "")
    return found.start, fence is not None


def read_all(source: BodyText, position: int, completion: Completion) -> Body:
    """Read the payloads from `position` on, separated by white space or a comma."""
    payloads = [_read_one(source, position, completion)]
    while between := _BETWEEN.match(source.text, payloads[-1].end, source.end):
        attempt = source._replace(notes=BlockNotes(source.text))
        try:
            more = _read_one(attempt, between.end(), completion)
        except UnreadableBody:
            break  # reported as the tail, or text after a block without a closing tag
        source.notes.extend(attempt.notes)
        payloads.append(more)
    return Body(tuple(payloads), payloads[-1].end)


def _read_one(source: BodyText, position: int, completion: Completion) -> Payload:
    if source.text.startswith("<function", position):
        return read_function(source, position, completion)
    return read_payload(source, position)


def _read_escaped(source: BodyText, start: int, close: int) -> Body:
    """Read a payload whose quotes are HTML entities. It escapes `<` as well, so the next tag ends it."""
    if close >= source.end:
        raise UnreadableBody(source.end, is_over=True)
    encoded = source.text[start:close].rstrip()
    text = html.unescape(encoded)
    notes = BlockNotes(text)
    inner = BodyText(text, len(text), notes, is_closed=True, keys=source.keys)
    try:
        node = read_payload(inner, 0)
        note_tail(inner, node.end, len(text))
    except UnreadableBody as failure:
        raise UnreadableBody(start) from failure  # the failure's position is in the decoded text
    end = start + len(encoded)
    return Body((node,), end, notes, (start, end))

"""Parse a streamed answer: server-sent events with JSON, with limits for each line and each event.

An answer that is not streamed, which some proxies send although a stream was requested, is one JSON document.

The `openai` client can parse them too, but it buffers lines of any length and raises many kinds of errors.

*Source:* HTML Living Standard, section "Server-sent events".
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object, is_too_deep
from workbench.engines.remote.transport.answer_limits import MOST_DEPTH, AnswerError
from workbench.engines.remote.transport.failures import CHECK_URL, NO_JSON

TOO_DEEP: Final = f"the server sent JSON with more than {MOST_DEPTH} levels"


def parse_bounded_json(data: bytes) -> JsonValue:
    """Parse JSON. Bytes that are not UTF-8 are replaced; `NaN` and `Infinity` become null.

    Raises:
        AnswerError: It is not JSON, or has too many levels.
    """
    try:
        value = cast(JsonValue, json.loads(data.decode("utf-8", "replace"), parse_constant=lambda _: None))
    except RecursionError:
        raise AnswerError(TOO_DEEP) from None
    except ValueError:
        raise AnswerError(NO_JSON) from None
    if is_too_deep(value, MOST_DEPTH):
        raise AnswerError(TOO_DEEP)
    return value


NO_CHUNK: Final = "the server sent something that is not a piece of a completion"
NO_STREAM: Final = f"the answer contains no completion; {CHECK_URL}"
EMPTY: Final = "the answer is empty; the prompt may be too long for the model's context"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_DONE: Final = b"[DONE]"
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


def read_answer(
    pieces: Iterable[bytes], *, most_bytes: int, most_document_bytes: int
) -> Iterator[JsonObject]:
    """Yield the JSON objects of an answer: one for each event, or the one of an answer that is not streamed.

    Args:
        pieces: The body in pieces of any size.
        most_bytes: Limit for a line and for an event.
        most_document_bytes: Limit for an answer that is not streamed.

    Raises:
        AnswerError: The answer is empty, too large, not made of JSON objects, or reports an error.
    """
    waiting = iter(pieces)
    head = b""
    for piece in waiting:
        head = (head + piece).lstrip()
        if head and not _BYTE_ORDER_MARK.startswith(head):
            break
    head = head.removeprefix(_BYTE_ORDER_MARK)
    if not head:
        raise AnswerError(EMPTY)
    body = chain((head,), waiting)
    if head.startswith(b"{"):
        yield _document(body, most_document_bytes)
    else:
        yield from _read_events(body, most_bytes)


def _document(pieces: Iterable[bytes], most_bytes: int) -> JsonObject:
    data = bytearray()
    for piece in pieces:
        data += piece
        _check_size(data, most_bytes)
    value = as_object(parse_bounded_json(bytes(data)))
    if value.get("error") or value.get("object") == "error":
        raise AnswerError(_message_of(value.get("error") or value))
    if not isinstance(value.get("choices"), list):
        raise AnswerError(NO_STREAM)
    return value


def _read_events(pieces: Iterable[bytes], most_bytes: int) -> Iterator[JsonObject]:
    """Yield the JSON objects of the events, up to `[DONE]` or the end of the stream."""
    has_events = False
    for data in _event_data(pieces, most_bytes):
        has_events = True
        if data.startswith(_DONE):
            return
        value = parse_bounded_json(data)
        if not isinstance(value, dict):
            raise AnswerError(NO_CHUNK)
        if value.get("error"):
            raise AnswerError(_message_of(value["error"]))
        yield value
    if not has_events:
        raise AnswerError(NO_STREAM)


def _event_data(pieces: Iterable[bytes], most_bytes: int) -> Iterator[bytes]:
    """Yield the data of each event. Comments, event names and ids are ignored."""
    data = bytearray()
    for line in _lines(pieces, most_bytes):
        name, _, value = line.partition(b":")
        if name == b"data":
            data += value.removeprefix(b" ") + b"\n"
            _check_size(data, most_bytes)
        elif not line and data:
            yield bytes(data).strip()
            data.clear()
    if data.strip():
        yield bytes(data).strip()


def _lines(pieces: Iterable[bytes], most_bytes: int) -> Iterator[bytes]:
    """Yield the lines without their line ends."""
    rest = bytearray()
    was_return = False
    for received in pieces:
        # `\r\n` is one line end, even if it is split between two pieces.
        piece = received.removeprefix(b"\n") if was_return else received
        was_return = received.endswith(b"\r")
        rest += piece
        if b"\n" in piece or b"\r" in piece:
            *lines, last = _LINE_END.split(rest)
            yield from map(bytes, lines)
            rest = bytearray(last)
        _check_size(rest, most_bytes)
    if rest:
        yield bytes(rest)


def _check_size(data: bytearray, most_bytes: int) -> None:
    if len(data) > most_bytes:
        raise AnswerError(f"the server sent a line or event of more than {most_bytes:,} bytes")


def _message_of(error: JsonValue) -> str:
    """Return the message of an error, which is a text or an object with a message."""
    message = as_object(error).get("message", error)
    return message if isinstance(message, str) and message.strip() else "the server reported an error"

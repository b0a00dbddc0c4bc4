"""Limits on request bodies and uploads, however they are sent."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from starlette.datastructures import Headers
from starlette.formparsers import MultiPartException
from starlette.types import Message, Receive

JSON_BYTES: Final = 20_000_000
"""Size of the largest body that is not an upload."""
FORM_BYTES: Final = 16_000
"""Size of the largest login form."""
ENVELOPE_BYTES: Final = 1_000_000
"""What an upload may have around the bytes of its files."""
BODY_S: Final = 60
"""How long a call may take to arrive."""


class BodyTooLarge(Exception):
    """More was sent than may be."""


class BodyMissing(Exception):
    """The client left, or was too slow, before all was sent."""


def declared_bytes(headers: Headers) -> int:
    """What Content-Length says; 0 if it says nothing, as for a body in chunks."""
    text = headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else 0


async def read_body(receive: Receive, headers: Headers, most_bytes: int) -> bytes:
    """Read a whole body.

    Raises:
        BodyTooLarge: It has more than `most_bytes`; the rest is not read.
        BodyMissing: It did not come.
    """
    if declared_bytes(headers) > most_bytes:
        raise BodyTooLarge
    parts, size = list[bytes](), 0
    try:
        async with asyncio.timeout(BODY_S):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise BodyMissing
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > most_bytes:
                    raise BodyTooLarge
                if not message.get("more_body"):
                    return b"".join(parts)
    except TimeoutError:
        raise BodyMissing from None


def replayed(body: bytes, receive: Receive) -> Receive:
    """Give a body that was read once more, then whatever comes after it."""
    left = [body]

    async def replay() -> Message:
        return {"type": "http.request", "body": left.pop(), "more_body": False} if left else await receive()

    return replay


def counted(receive: Receive, most_bytes: int, too_large: Callable[[], Exception]) -> Receive:
    """Pass a body on as it comes, and raise once it is too large."""
    size = 0

    async def count() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most_bytes:
            raise too_large()
        return message

    return count


def uploaded(receive: Receive, most_bytes: int, note: Callable[[int], None] = lambda _: None) -> Receive:
    """Pass an upload on as it comes.

    Args:
        receive: Where it comes from.
        most_bytes: Of the upload.
        note: Is called with the size of each piece, and raises `BodyTooLarge` where that is too much.

    What ends it early is raised as the error for which Gradio's reader removes the files that it has begun, and which
    it answers with 413 for these words.
    *Source:* gradio 6.31, route_utils.py, `GradioMultiPartParser.parse`; routes.py, `upload_file`.
    """
    counting = counted(
        receive,
        most_bytes,
        lambda: MultiPartException("The upload exceeded the maximum allowed size."),
    )

    async def upload() -> Message:
        message = await counting()
        try:
            note(len(message.get("body", b"")))
        except BodyTooLarge:
            raise MultiPartException("The upload exceeded the maximum allowed size.") from None
        if message["type"] == "http.disconnect":
            raise MultiPartException("The client left before the upload was complete.")
        return message

    return upload


def json_object(body: bytes) -> dict[str, Any] | None:
    """The JSON object that a body is; None if it is none, or nested too deeply.

    The parser is the one that FastAPI uses afterwards, so that both see the same.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


UPLOADS_AN_HOUR: Final = 10
"""Uploads of the largest size that one address may send in an hour."""
_HOUR_S: Final = 3600.0
_MOST_ADDRESSES: Final = 10_000


@dataclass(slots=True)
class _Sent:
    begun_s: float
    size_bytes: int = 0


class UploadQuota:
    """Counts the bytes that each address has uploaded since its hour began.

    Args:
        most_bytes: Of one address in an hour.
    """

    def __init__(self, most_bytes: int, clock: Callable[[], float]) -> None:
        self._most_bytes = most_bytes
        self._clock = clock
        self._sent: OrderedDict[str, _Sent] = OrderedDict()

    def left_bytes(self, address: str) -> int:
        """What an address may still send now."""
        return max(0, self._most_bytes - self._of(address).size_bytes)

    def count(self, address: str, size_bytes: int) -> None:
        """Note what has arrived, whether the upload is completed or not.

        Raises:
            BodyTooLarge: It is more than was left.
        """
        sent = self._of(address)
        sent.size_bytes += size_bytes
        if sent.size_bytes > self._most_bytes:
            raise BodyTooLarge

    def _of(self, address: str) -> _Sent:
        now_s = self._clock()
        sent = self._sent.get(address)
        if sent is None or now_s - sent.begun_s > _HOUR_S:
            sent = self._sent[address] = _Sent(now_s)
            self._sent.move_to_end(address)
            while len(self._sent) > _MOST_ADDRESSES:
                self._sent.popitem(last=False)
        return sent

"""Limits on request bodies and uploads, with or without a Content-Length."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from starlette.datastructures import Headers
from starlette.types import Message, Receive

from workbench.ui.gradio_parts.uploads import upload_cut_off, upload_too_large

JSON_BYTES: Final = 20_000_000
"""The largest body that is not an upload."""
FORM_BYTES: Final = 16_000
"""The largest login form."""
ENVELOPE_BYTES: Final = 1_000_000
"""How much an upload may contain in addition to its files."""
BODY_S: Final = 60
"""How long a body may take to arrive."""


class BodyTooLarge(Exception):
    """The body is larger than allowed."""


class BodyMissing(Exception):
    """The client left, or took too long, before the whole body was sent."""


def declared_bytes(headers: Headers) -> int:
    """Return the Content-Length, or 0 if there is none, as for a chunked body."""
    text = headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else 0


async def read_body(receive: Receive, headers: Headers, most_bytes: int) -> bytes:
    """Read a whole body.

    Raises:
        BodyTooLarge: The body has more than `most_bytes`; the rest is not read.
        BodyMissing: The body did not arrive.
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
    """Return a `Receive` that replays a body that was already read, then continues with `receive`."""
    left = [body]

    async def replay() -> Message:
        return {"type": "http.request", "body": left.pop(), "more_body": False} if left else await receive()

    return replay


def counted(receive: Receive, most_bytes: int, too_large: Callable[[], Exception]) -> Receive:
    """Return a `Receive` that passes a body on and raises once it is too large."""
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
    """Return a `Receive` that passes an upload on, within limits.

    Args:
        receive: The source of the upload.
        most_bytes: The largest allowed size.
        note: Called with the size of each piece; raises `BodyTooLarge` if that is too much.

    An upload that is too large, or that ends early, raises what makes Gradio remove the files it has started to write.
    """
    counting = counted(receive, most_bytes, upload_too_large)

    async def upload() -> Message:
        message = await counting()
        try:
            note(len(message.get("body", b"")))
        except BodyTooLarge:
            raise upload_too_large() from None
        if message["type"] == "http.disconnect":
            raise upload_cut_off()
        return message

    return upload


def json_object(body: bytes) -> dict[str, Any] | None:
    """Parse a body as a JSON object; return None if it is anything else, or nested too deeply.

    FastAPI uses the same parser afterwards, so both see the same value.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


UPLOADS_AN_HOUR: Final = 10
"""How many uploads of the largest size one address may send in an hour."""
_HOUR_S: Final = 3600.0
_MOST_ADDRESSES: Final = 10_000


@dataclass(slots=True)
class _Sent:
    started_s: float
    size_bytes: int = 0


class UploadQuota:
    """Counts the bytes that each address has uploaded in its current hour.

    Args:
        most_bytes: How much one address may upload in an hour.
    """

    def __init__(self, most_bytes: int, clock: Callable[[], float]) -> None:
        self._most_bytes = most_bytes
        self._clock = clock
        self._sent: OrderedDict[str, _Sent] = OrderedDict()

    def left_bytes(self, address: str) -> int:
        """Return how many bytes an address may still upload in this hour."""
        return max(0, self._most_bytes - self._of(address).size_bytes)

    def count(self, address: str, size_bytes: int) -> None:
        """Count received bytes, whether or not the upload is completed.

        Raises:
            BodyTooLarge: The address has exceeded its quota.
        """
        sent = self._of(address)
        sent.size_bytes += size_bytes
        if sent.size_bytes > self._most_bytes:
            raise BodyTooLarge

    def _of(self, address: str) -> _Sent:
        now_s = self._clock()
        sent = self._sent.get(address)
        if sent is None or now_s - sent.started_s > _HOUR_S:
            sent = self._sent[address] = _Sent(now_s)
            self._sent.move_to_end(address)
            while len(self._sent) > _MOST_ADDRESSES:
                self._sent.popitem(last=False)
        return sent

"""Answers of a server as bytes, and requests that must end within limits whatever the server answers."""

import json
import resource
import time
from collections.abc import Callable, Iterator
from itertools import chain, repeat

from tests.engines.remote.asking import REQUEST, ask, openai_engine
from tests.security.hostile_server import RawAnswer, hostile_server
from workbench.errors import RemoteFailed
from workbench.rollout.ports import Delta, FinishReason

SILENCE_S = 1.0
"""`timeout_s` of the engines, in seconds."""
BOUND_S = 30.0
"""Seconds after which every attack must have ended, even on a busy machine. Most take a second."""
BOUND_BYTES = 150 << 20
"""Memory by which the process may grow, including the attacking server in it."""
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
BARE = b"\r\n"
"""End of the head. The body continues until the connection is closed."""


def event(value: object) -> bytes:
    return b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n"


def chunk(**delta: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


HELLO = event(chunk(content="hello "))
STOP = event({"choices": [{"index": 0, "delta": {}, "text": "", "finish_reason": "stop"}]})
DONE = event(b"[DONE]")


def body(*pieces: bytes | float, head: bytes = STREAM) -> RawAnswer:
    return lambda: (head + BARE, *pieces)


def endless(
    piece: bytes, *, pause_s: float = 0.0, head: bytes = STREAM + BARE, first: bytes = b""
) -> RawAnswer:
    def play() -> Iterator[bytes | float]:
        yield head + first
        for _ in repeat(None):
            yield piece
            if pause_s:
                yield pause_s

    return play


def packed(encoding: bytes, data: bytes, times: int = 1, first: bytes = b"") -> RawAnswer:
    head = STREAM + b"Content-Encoding: " + encoding + b"\r\n" + BARE
    return lambda: chain((head, first), repeat(data, times))


def redirect_to(place: str, status: int = 307) -> RawAnswer:
    head = f"HTTP/1.1 {status} T\r\nContent-Length: 0\r\nLocation: {place}\r\n"
    return body(head=head.encode())


def rss_bytes() -> int:
    """Return the peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def attacked(play: RawAnswer, engine_of: Callable[..., object] = openai_engine) -> list[Delta] | RemoteFailed:
    before, started_s = rss_bytes(), time.monotonic()
    with hostile_server(play) as server:
        try:
            ended: list[Delta] | RemoteFailed = list(ask(engine_of(server.url, timeout_s=SILENCE_S)))
        except RemoteFailed as error:
            ended = error
    assert time.monotonic() - started_s < BOUND_S
    assert rss_bytes() - before < BOUND_BYTES
    return ended


def assert_ended_well(ended: list[Delta] | RemoteFailed) -> None:
    if isinstance(ended, RemoteFailed):
        assert "None" not in str(ended)
        assert len(ended.problem) > 10
        assert len(str(ended)) < 500
        return
    last = ended[-1]
    assert last.finish_reason in (FinishReason.LENGTH, FinishReason.INTERRUPTED, FinishReason.STOP)
    assert (last.finish_reason is FinishReason.INTERRUPTED) == bool(last.problem)
    assert last.problem != "None"
    kept = sum(
        len(delta.text) + len(delta.thought) + sum(len(one.arguments_text) for one in delta.call_pieces)
        for delta in ended
    )
    assert kept <= 32 * REQUEST.sampling.max_tokens + 1024
    json.dumps([delta.text for delta in ended], ensure_ascii=False).encode()  # No half characters.

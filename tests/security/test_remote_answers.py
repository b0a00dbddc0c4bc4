"""Whatever a server answers, the request ends in time with a message or a shortened completion, and takes little memory."""

import json
import time
import zlib
from collections.abc import Callable
from itertools import chain, repeat

import pytest

from tests.engines.remote.asking import ask, asking_for, hf_engine, openai_engine, raw_engine, text_of
from tests.security.hostile_server import RawAnswer, hostile_server
from tests.security.raw_answers import (
    BARE,
    BOUND_BYTES,
    BOUND_S,
    DONE,
    HELLO,
    SILENCE_S,
    STOP,
    STREAM,
    assert_ended_well,
    attacked,
    body,
    chunk,
    endless,
    event,
    packed,
    redirect_to,
    rss_bytes,
)
from workbench.engines.remote.server import Server
from workbench.engines.remote.transport.model_lists import fetch_model_names
from workbench.errors import RemoteFailed
from workbench.rollout.ports import FinishReason

pytestmark = pytest.mark.slow


def bomb(wbits: int, block: bytes) -> tuple[bytes, bytes]:
    """Return the beginning of a compressed stream, and a kilobyte that adds a megabyte each time it is sent."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    first = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    return first, packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)


ZEROS = b"\0" * (1 << 20)
COMMENTS = b": alive\n" * (1 << 17)
EVENTS = HELLO * ((1 << 20) // len(HELLO))


def nested(opening: bytes, closing: bytes, depth: int) -> bytes:
    return opening * depth + b"1" + closing * depth


def call(**fields: object) -> bytes:
    return event(chunk(tool_calls=[{"id": "c", "type": "function", **fields}]))


GZIP, DEFLATE = bomb(31, ZEROS), bomb(15, COMMENTS)
GZIP_EVENTS = bomb(31, EVENTS)

ATTACKS: dict[str, RawAnswer] = {
    # Packed bytes.
    "gzip of 5 GB of zeros": packed(b"gzip", GZIP[1], 5000, first=GZIP[0]),
    "deflate of 5 GB of comments": packed(b"deflate", DEFLATE[1], 5000, first=DEFLATE[0]),
    "gzip of 5 GB of sound events": packed(b"gzip", GZIP_EVENTS[1], 5000, first=GZIP_EVENTS[0]),
    "brotli": packed(b"br", b"\x0b" * 1000),
    "zstd": packed(b"zstd", b"\x28\xb5\x2f\xfd" * 1000),
    "gzip inside gzip": packed(b"gzip, gzip", zlib.compress(zlib.compress(ZEROS, wbits=31), wbits=31)),
    "an encoding of a megabyte": body(HELLO, head=STREAM + b"Content-Encoding: " + b"x" * 50_000 + b"\r\n"),
    "invalid gzip": packed(b"gzip", HELLO),
    "gzip that is cut": packed(b"gzip", GZIP[0][:200]),
    # Unpacked bytes.
    "a line without an end": endless(b"x" * 65536),
    "an event without an end": endless(b"data: " + b"x" * 65000 + b"\n"),
    "an endless page": endless(b"<p>" * 20000, head=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
    "an endless answer to an error": endless(b"no " * 20000, head=b"HTTP/1.1 400 Bad\r\n\r\n"),
    "a slow endless answer to an error": endless(b"no ", pause_s=0.1, head=b"HTTP/1.1 500 Bad\r\n\r\n"),
    "an endless redirect body": endless(b"x" * 65536, head=b"HTTP/1.1 307 T\r\nLocation: /v1/x\r\n\r\n"),
    "single bytes, in pieces": endless(
        b"1\r\n:\r\n" * 10_000, head=STREAM + b"Transfer-Encoding: chunked\r\n\r\n"
    ),
    "empty lines": endless(b"\n" * 65536),
    # Time.
    "comments for ever": endless(b": alive\n\n", pause_s=0.1),
    "comments for ever after a word": endless(b": alive\n\n", pause_s=0.1, first=HELLO),
    "comments at full speed": endless(COMMENTS),
    "empty pieces for ever": endless(event(chunk(content="")), pause_s=0.1, first=HELLO),
    "roles for ever": endless(event(chunk(role="assistant")), pause_s=0.05),
    "no choices for ever": endless(event({"choices": []}), pause_s=0.05),
    "usage for ever": endless(event({"choices": [], "usage": {"prompt_tokens": 1}}), pause_s=0.05),
    "unknown fields for ever": endless(event({"progress": 1}), pause_s=0.05),
    "events of no data": endless(b"event: ping\nid: 1\nretry: 1\n\n", pause_s=0.05),
    "a byte now and then": endless(b":", pause_s=0.2),
    "silence": body(60.0),
    "silence after the connection": lambda: (60.0,),
    "a head that trickles": endless(b"X-A: b\r\n", pause_s=0.2, head=STREAM),
    "interim answers for ever": endless(b"HTTP/1.1 100 Continue\r\n\r\n", pause_s=0.01, head=b""),
    "interim answers at full speed": endless(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100, head=b""),
    "a status line that trickles": endless(b"H", pause_s=0.2, head=b""),
    "nothing after the reported end": endless(b": alive\n\n", pause_s=0.1, first=HELLO + STOP),
    # Tokens.
    "text for ever": endless(HELLO * 1000),
    "raw text for ever": endless(event({"choices": [{"text": "hello ", "index": 0}]}) * 1000),
    "thoughts for ever": endless(event(chunk(reasoning_content="hm ")) * 1000),
    "arguments for ever": endless(call(index=0, function={"name": "now", "arguments": "[1,"}) * 1000),
    "the same name for ever": endless(call(index=0, function={"name": "a"}) * 500),
    "a name in endless pieces": endless(
        (call(index=0, function={"name": "a"}) + call(index=0, function={"name": "b"})) * 250
    ),
    "a new call each time": lambda: chain(
        (STREAM + BARE,),
        (
            event(chunk(tool_calls=[{"index": n, "id": f"c{n}", "function": {"name": "a"}}]))
            for n in range(10**6)
        ),
    ),
    "ten thousand calls in one piece": body(
        event(chunk(tool_calls=[{"index": n, "function": {"name": "a"}} for n in range(4000)])), STOP, DONE
    ),
    "one piece of 200 KB": body(event(chunk(content="x" * 200_000)), STOP, DONE),
    "one piece of 50 MB": lambda: chain(
        (STREAM + BARE, b'data: {"choices": [{"delta": {"content": "'), repeat(b"x" * 65536, 800)
    ),
    "log-probabilities for ever": endless(
        event({"choices": [{"text": "a", "logprobs": {"tokens": ["a"] * 900, "token_logprobs": [0] * 900}}]})
    ),
    # Depth.
    "arrays 200,000 deep": body(event(nested(b"[", b"]", 200_000))),
    "objects 200,000 deep": body(event(nested(b'{"a":', b"}", 40_000))),
    "choices 900 deep": body(event(b'{"choices": ' + nested(b"[", b"]", 900) + b"}")),
    "arguments 500 deep": body(
        event(
            b'{"choices":[{"delta":{"tool_calls":[{"function":{"name":"a","arguments":'
            + nested(b'{"a":', b"}", 500)
            + b"}}]}}]}"
        )
    ),
    "an error 100,000 deep": body(
        b"x", head=b'HTTP/1.1 400 B\r\nContent-Type: application/json\r\n\r\n{"error": ' + b"[" * 60_000
    ),
    "open brackets in texts": body(event(chunk(content="[" * 1000))),
    # Invalid JSON, or JSON of an unexpected shape.
    "null": body(event(b"null")),
    "a number": body(event(b"7")),
    "a text": body(event(b'"hello"')),
    "an array": body(event(b"[1, 2]")),
    "cut JSON": body(event(b'{"choices": [')),
    "no JSON": body(event(b"hello")),
    "bytes that are not UTF-8": body(event(b"\xff\xfe\x00\x80")),
    "a number of 100,000 digits": body(event(b'{"choices": [], "usage": ' + b"9" * 100_000 + b"}")),
    "an event without a blank line": body(b"data: {"),
    # Heads.
    "no HTTP": endless(b"\0" * 65536, head=b""),
    "no status": body(head=b"HTTP/1.1 abc\r\n"),
    "a head of 10 MB": lambda: chain((STREAM,), repeat(b"X-A: " + b"b" * 60_000 + b"\r\n", 170), (BARE,)),
    "two lengths": body(HELLO, head=STREAM + b"Content-Length: 3\r\nContent-Length: 9\r\n"),
    "a negative length": body(HELLO, head=STREAM + b"Content-Length: -3\r\n"),
    "a length that is too long": body(b": x\n", head=STREAM + b"Content-Length: 99999999999\r\n"),
    "chunks without a size": body(b"zz\r\nhello\r\n", head=STREAM + b"Transfer-Encoding: chunked\r\n"),
    "a chunk of 2**63 bytes": endless(
        b"x" * 65536, head=STREAM + b"Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n"
    ),
    "an extension without an end": endless(
        b"x" * 65536, head=STREAM + b"Transfer-Encoding: chunked\r\n\r\n5;a="
    ),
    "a charset that is a codec": body(
        b"\x78\x9c", head=b"HTTP/1.1 400 B\r\nContent-Type: text/plain; charset=zlib\r\n"
    ),
    "an unknown charset": body(b"no", head=b"HTTP/1.1 400 B\r\nContent-Type: text/plain; charset=\xff\r\n"),
    "a Retry-After that is not a number": body(b"no", head=b"HTTP/1.1 429 B\r\nRetry-After: nan\r\n"),
    "a Retry-After without an end": body(b"no", head=b"HTTP/1.1 503 B\r\nRetry-After: inf\r\n"),
    "a redirect without a place": body(head=b"HTTP/1.1 307 T\r\n"),
    "a redirect to no address": body(head=b"HTTP/1.1 307 T\r\nLocation: http://[\r\n"),
    "a redirect in a circle": body(head=b"HTTP/1.1 307 T\r\nContent-Length: 0\r\nLocation: /v1/again\r\n"),
    "an upgrade": body(head=b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n"),
    "the connection is closed": lambda: (),
}
"""Attacks that must end with a message or with a shortened completion."""


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_ends_with_a_message_or_a_shortened_completion(name: str) -> None:
    assert_ended_well(attacked(ATTACKS[name]))


RAW = [
    "text for ever",
    "comments for ever",
    "null",
    "gzip of 5 GB of zeros",
    "arrays 200,000 deep",
    "silence",
]


@pytest.mark.parametrize("engine_of", [raw_engine, hf_engine], ids=["raw", "hf-inference"])
@pytest.mark.parametrize("name", RAW)
def test_every_kind_of_engine_has_the_limits(name: str, engine_of: Callable[..., object]) -> None:
    assert_ended_well(attacked(ATTACKS[name], engine_of))


@pytest.mark.parametrize(
    "name",
    ["text for ever", "raw text for ever", "thoughts for ever", "arguments for ever", "a new call each time"],
)
def test_a_server_that_never_stops_is_cut_off_at_the_requested_tokens(name: str) -> None:
    ended = attacked(ATTACKS[name])
    assert isinstance(ended, list)
    assert ended[-1].finish_reason is FinishReason.LENGTH


def test_the_number_of_tokens_is_the_limit() -> None:
    sizes: list[int] = []
    for tokens in (8, 64):
        with hostile_server(ATTACKS["text for ever"]) as server:
            deltas = ask(openai_engine(server.url), asking_for(tokens))
        sizes.append(len(text_of(deltas)))
    assert sizes[0] < sizes[1] < 64 * 64


def document(
    data: bytes, head: bytes = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
) -> RawAnswer:
    return body(data, head=head)


LISTS: dict[str, RawAnswer] = {
    "gzip of 5 GB": packed(b"gzip", GZIP[1], 5000, first=GZIP[0]),
    "an endless body": endless(b" " * 65536),
    "spaces now and then": endless(b" ", pause_s=0.1),
    "silence": body(60.0),
    "200,000 deep": document(nested(b"[", b"]", 200_000)),
    "null": document(b"null"),
    "an array": document(b"[]"),
    "data is null": document(b'{"data": null}'),
    "data is an object": document(b'{"data": {"a": 1}}'),
    "no JSON": document(b"<html>"),
    "no UTF-8": document(b"\xff"),
    "refused": document(b'{"error": {"message": null}}', head=b"HTTP/1.1 403 No\r\n"),
    "a redirect": redirect_to("http://127.0.0.1:1/v1/models"),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_models_has_limits_too(name: str) -> None:
    before, started_s = rss_bytes(), time.monotonic()
    with hostile_server(LISTS[name]) as server, pytest.raises(RemoteFailed) as caught:
        fetch_model_names(Server(name="", base_url=server.url, timeout_s=SILENCE_S))
    assert "None" not in str(caught.value)
    assert time.monotonic() - started_s < BOUND_S
    assert rss_bytes() - before < BOUND_BYTES


def test_the_names_of_a_list_of_models_are_read() -> None:
    listed = {"data": [{"id": "a"}, None, 7, {"id": None}, {"id": "x" * 1000}, {"id": "b", "owned_by": [1]}]}
    with hostile_server(document(json.dumps(listed).encode())) as server:
        assert fetch_model_names(Server(name="", base_url=server.url)) == ("a", "b")

"""Whatever a server answers, the request ends in time with a message or a shortened completion, and takes little memory."""

import json
import resource
import time
import zlib
from collections.abc import Callable, Iterator
from itertools import chain, repeat

import pytest

from tests.engines.remote.asking import (
    REQUEST,
    ask,
    asking_for,
    hf_engine,
    openai_engine,
    raw_engine,
    text_of,
)
from tests.security.hostile_server import RawAnswer, hostile_server
from workbench.engines.remote.server import Server
from workbench.engines.remote.transport.model_lists import fetch_model_names
from workbench.errors import RemoteFailed
from workbench.rollout.ports import Delta, FinishReason

pytestmark = pytest.mark.slow

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


STRANGE = {
    "choices is null": {"choices": None},
    "choices is an object": {"choices": {"0": {}}},
    "choices holds arrays": {"choices": [[1]]},
    "delta is an array": {"choices": [{"delta": [1]}]},
    "content is an object": {"choices": [{"delta": {"content": {"a": 1}}}]},
    "a call at 10**9": {
        "choices": [{"delta": {"tool_calls": [{"index": 10**9, "function": {"name": "a"}}]}}]
    },
    "a call at -1": {"choices": [{"delta": {"tool_calls": [{"index": -1, "function": {"name": "a"}}]}}]},
    "a call at -10**30": {"choices": [{"delta": {"tool_calls": [{"index": -(10**30)}]}}]},
    "a call at true": {"choices": [{"delta": {"tool_calls": [{"index": True, "function": None}]}}]},
    "calls is an object": {"choices": [{"delta": {"tool_calls": {"index": 0}}}]},
    "a call is null": {"choices": [{"delta": {"tool_calls": [None, 1, "a", []]}}]},
    "an id of numbers": {"choices": [{"delta": {"tool_calls": [{"id": 7, "function": {"name": 7}}]}}]},
    "arguments is an array": {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": [1]}}]}}]},
    "usage is a text": {"choices": [], "usage": "many"},
    "usage is negative": {"choices": [], "usage": {"prompt_tokens": -5, "completion_tokens": -(10**40)}},
    "usage is huge": {"choices": [], "usage": {"prompt_tokens": 10**100, "completion_tokens": 10**18}},
    "usage is an array": {"choices": [], "usage": {"prompt_tokens": [1], "prompt_tokens_details": []}},
    "logprobs is a text": {"choices": [{"delta": {}, "logprobs": "x"}]},
    "logprobs are huge": {"choices": [{"delta": {}, "logprobs": {"content": [{"logprob": 10**400}]}}]},
    "logprobs are NaN": {"choices": [{"delta": {}, "logprobs": {"content": [{"logprob": float("nan")}]}}]},
    "finish_reason is an object": {"choices": [{"delta": {}, "finish_reason": {"a": 1}}]},
    "half a character": {"choices": [{"delta": {"content": "\ud800", "reasoning": "\udfff"}}]},
    "half a character in a name": {
        "choices": [{"delta": {"tool_calls": [{"function": {"name": "\ud800"}}]}}]
    },
    "an error that is true": {"error": True},
    "an error that is an array": {"error": [1]},
    "an error without words": {"error": {"message": None, "code": None}},
    "an error with an empty message": {"error": {"message": ""}},
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_piece_of_any_shape_is_read_or_refused(name: str) -> None:
    ended = attacked(body(event(STRANGE[name]), HELLO, STOP, DONE))
    assert_ended_well(ended)
    if isinstance(ended, list):
        usage = ended[-1].usage
        assert usage is not None
        # None if the server does not say it.
        assert usage.prompt_tokens is None or 0 <= usage.prompt_tokens <= 2**31
        assert usage.completion_tokens is None or 0 <= usage.completion_tokens <= 2**31
        repr(ended).encode()


class TestValidAnswers:
    @pytest.mark.parametrize(
        "play",
        [
            body(HELLO, STOP, DONE),
            body(HELLO.replace(b"\n", b"\r\n"), STOP, DONE),
            body(*(bytes([one]) for one in HELLO.replace(b"\n", b"\r\n") + STOP + DONE)),
            body(b": alive\n\n" * 50, HELLO, b"event: x\nid: 4\n", STOP, DONE),
            body(b"data:" + HELLO[6:], STOP),
            body(b'data: {"choices":\ndata: [{"delta": {"content": "hello "}}]}\n\n', STOP, DONE),
            packed(b"gzip", zlib.compress(HELLO + STOP + DONE, wbits=31)),
            packed(b"deflate", zlib.compress(HELLO + STOP + DONE)),
            packed(b"Identity", HELLO + STOP + DONE),
            body(event({**chunk(content="hello "), "error": None, "x": float("nan")}), STOP, DONE),
            body(event(b'{"choices": [{"delta": {"content": "bye"}}], "choices": [{"delta": {"content": "hello "}}]}'),
                 STOP, DONE),
        ],
    )  # fmt: skip
    def test_an_answer(self, play: RawAnswer) -> None:
        ended = attacked(play)
        assert isinstance(ended, list)
        assert text_of(ended) == "hello "
        assert ended[-1].finish_reason is FinishReason.STOP

    def test_pieces_that_come_slowly_are_not_silence(self) -> None:
        slow = [piece for _ in range(8) for piece in (HELLO, SILENCE_S / 4)]
        ended = attacked(body(*slow, STOP, DONE))
        assert isinstance(ended, list)
        assert text_of(ended) == "hello " * 8

    def test_characters_one_by_one_are_not_too_many_pieces(self) -> None:
        text = "a tokens" * 8
        with hostile_server(body(*(event(chunk(content=one)) for one in text), STOP, DONE)) as server:
            deltas = ask(openai_engine(server.url), asking_for(16))
        assert text_of(deltas) == text
        assert deltas[-1].finish_reason is FinishReason.STOP


class TestRedirects:
    @staticmethod
    def to(place: str, status: int = 307) -> RawAnswer:
        head = f"HTTP/1.1 {status} T\r\nContent-Length: 0\r\nLocation: {place}\r\n"
        return body(head=head.encode())

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_nothing_is_sent_to_another_host(self, status: int) -> None:
        with hostile_server(body(HELLO, STOP, DONE)) as elsewhere:
            with hostile_server(self.to(f"{elsewhere.url}/chat/completions", status)) as server:
                with pytest.raises(
                    RemoteFailed, match=r"redirects to another host, http://127\.0\.0\.1:"
                ) as caught:
                    ask(openai_engine(server.url))
                assert len(server.requests) == 1
            assert elsewhere.requests == []
        assert str(caught.value).startswith(server.url)

    @pytest.mark.parametrize(
        "place",
        [
            "http://localhost:{port}/v1/x",
            "//localhost:{port}/v1/x",
            "https://127.0.0.1:{port}/v1/x",
            "http://127.0.0.1:{other}/v1/x",
            "http://127.0.0.1/v1/x",
            "http://user:word@127.0.0.2:{port}/v1/x",
            "http://127.0.0.1:{port}@evil.example/x",
            "http://[::1]:{port}/x",
            "HTTP://2130706434:{port}/x",
            "file:///etc/passwd",
            "data:text/event-stream,hello",
        ],
    )
    def test_another_scheme_host_or_port_is_another_host(self, place: str) -> None:
        places: list[str] = []
        with hostile_server(lambda: self.to(places[0])()) as server:
            port = int(server.url.rpartition(":")[2].removesuffix("/v1"))
            places.append(place.format(port=port, other=port - 1))
            with pytest.raises(RemoteFailed):
                ask(openai_engine(server.url))
            assert {one.split(b" ")[1] for one in server.requests} == {b"/v1/chat/completions"}

    @pytest.mark.parametrize(
        "place", ["/v1/there/chat/completions", "chat/again", "http://127.0.0.1:{port}/v1/y"]
    )
    def test_the_same_host_is_followed_with_the_whole_request(self, place: str) -> None:
        places: list[str] = []
        with hostile_server(lambda: self.to(places[0])(), body(HELLO, STOP, DONE)) as server:
            port = int(server.url.rpartition(":")[2].removesuffix("/v1"))
            places.append(place.format(port=port))
            assert text_of(ask(openai_engine(server.url))) == "hello "
            assert (
                server.requests[1].partition(b"\r\n\r\n")[2] == server.requests[0].partition(b"\r\n\r\n")[2]
            )

    def test_a_second_redirect_to_another_host_is_refused_too(self) -> None:
        with hostile_server(body(HELLO, STOP, DONE)) as elsewhere:
            answers = (self.to("/v1/first"), self.to(f"{elsewhere.url}/x"))
            with (
                hostile_server(*answers) as server,
                pytest.raises(RemoteFailed, match="redirects to another host"),
            ):
                ask(openai_engine(server.url))
            assert elsewhere.requests == []


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
    "a redirect": TestRedirects.to("http://127.0.0.1:1/v1/models"),
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

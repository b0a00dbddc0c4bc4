"""Pieces of a server's answer are read or refused, whatever their JSON holds and however the bytes are cut."""

import zlib

import pytest

from tests.engines.remote.asking import ask, asking_for, openai_engine, text_of
from tests.security.hostile_server import RawAnswer, hostile_server
from tests.security.raw_answers import (
    DONE,
    HELLO,
    SILENCE_S,
    STOP,
    assert_ended_well,
    attacked,
    body,
    chunk,
    event,
    packed,
)
from workbench.rollout.ports import FinishReason

pytestmark = pytest.mark.slow

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

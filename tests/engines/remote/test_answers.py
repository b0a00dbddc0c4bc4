"""Answers of servers that bend the protocol: finish reasons, calls without index or id, answers that are not streamed."""

import json

import pytest

from tests.engines.remote.asking import ask, hf_engine, openai_engine, raw_engine, text_of
from tests.engines.remote.scripted_server import DONE, Answer, delta, refused, scripted_server, stream
from workbench.errors import RemoteFailed
from workbench.rollout.completion_writer import CompletionWriter
from workbench.rollout.ports import EmittedToken, FinishReason, Usage

CHAT = pytest.mark.parametrize("engine_of", [openai_engine, hf_engine], ids=["openai", "hf-inference"])


def calls_of(deltas) -> list[tuple[str, object]]:
    """Return the calls as a turn gets them."""
    writer = CompletionWriter()
    for piece in deltas:
        writer.feed(piece)
    message = writer.finish(FinishReason.STOP).message
    return [(call.name, call.arguments) for call in message.calls]


def entry(name="", arguments="", **fields):
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    return {"type": "function", "function": function, **fields}


ROME, OSLO = '{"city": "Rome"}', '{"city": "Oslo"}'
IN_TWO_CITIES = [("weather", {"city": "Rome"}), ("weather", {"city": "Oslo"})]

TWO_CALLS = {
    "no index and no id, one chunk": [[entry("weather", ROME), entry("weather", OSLO)]],
    "no index and no id, a chunk each": [[entry("weather", ROME)], [entry("weather", OSLO)]],
    "no index and no id, in pieces": [
        [entry("weather")], [entry("", '{"city": ')], [entry("", '"Rome"}')],
        [entry("weather")], [entry("", OSLO)],
    ],
    "no index and no id, the name in every piece": [
        [entry("weather", '{"city": ')], [entry("weather", '"Rome"}')],
        [entry("weather", '{"city": ')], [entry("weather", '"Oslo"}')],
    ],
    "no index, ids": [[entry("weather", ROME, id="a")], [entry("weather", OSLO, id="b")]],
    "no index, a new id in every piece": [
        [entry("weather", id="a")], [entry("", ROME, id="b")], [entry("weather", OSLO, id="c")],
    ],
    "index 0 for both, no id": [[entry("weather", ROME, index=0)], [entry("weather", OSLO, index=0)]],
    "index from 1": [
        [entry("weather", '{"city": ', index=1, id="a")], [entry("", '"Rome"}', index=1)],
        [entry("weather", '{"city": ', index=2, id="b")], [entry("", '"Oslo"}', index=2)],
    ],
    "the pieces alternate": [
        [entry("weather", '{"city": ', index=0, id="a"), entry("weather", '{"city": ', index=1, id="b")],
        [entry("", '"Rome"}', index=0), entry("", '"Oslo"}', index=1)],
    ],
    "arguments as objects": [[entry("weather", {"city": "Rome"}), entry("weather", {"city": "Oslo"})]],
    "the end of the arguments is empty": [
        [entry("weather", ROME, index=0, id="a")], [entry("weather", "", index=0, id="a")],
        [entry("weather", OSLO, index=1, id="b")],
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", TWO_CALLS)
def test_two_calls_are_kept_apart(name):
    chunks = [delta(tool_calls=entries) for entries in TWO_CALLS[name]]
    with scripted_server(stream(*chunks, delta("tool_calls"), DONE)) as server:
        assert calls_of(ask(openai_engine(server.url))) == IN_TWO_CITIES


def test_different_tools_without_index_and_id_are_kept_apart():
    chunks = [delta(tool_calls=[entry("now")]), delta(tool_calls=[entry("weather")])]
    with scripted_server(stream(*chunks, delta("tool_calls"), DONE)) as server:
        assert calls_of(ask(openai_engine(server.url))) == [("now", {}), ("weather", {})]


@CHAT
@pytest.mark.parametrize(
    "reason", ["stop", "tool_calls", "function_call", "eos", "eos_token", "stop_sequence", "STOP"]
)
def test_these_finish_reasons_mean_that_the_model_has_finished(engine_of, reason):
    with scripted_server(stream(delta(content="Noon."), delta(reason), DONE)) as server:
        assert ask(engine_of(server.url))[-1].finish_reason is FinishReason.STOP


@CHAT
@pytest.mark.parametrize("reason", ["abort", "content_filter", "error", "insufficient_system_resource", "x"])
def test_any_other_finish_reason_is_unfinished_and_named(engine_of, reason):
    with scripted_server(stream(delta(content="It is "), delta(reason), DONE)) as server:
        last = ask(engine_of(server.url))[-1]
    assert last.finish_reason is FinishReason.INTERRUPTED
    assert repr(reason) in last.problem


def test_an_unfinished_answer_without_text_is_unfinished_too():
    with scripted_server(stream(delta("content_filter"), DONE)) as server:
        last = ask(openai_engine(server.url))[-1]
    assert (last.finish_reason, len(server.requests)) == (FinishReason.INTERRUPTED, 1)


def document(*pieces: bytes, content_type="application/json") -> Answer:
    return Answer(headers={"Content-Type": content_type}, pieces=pieces)


def completion(finish_reason="stop", **choice) -> dict[str, object]:
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "finish_reason": finish_reason, **choice}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}}  # fmt: skip


@CHAT
@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "text/event-stream"])
def test_an_answer_that_is_not_streamed_is_read(engine_of, content_type):
    message = {"role": "assistant", "content": "I look.", "reasoning_content": "Hm.",
               "tool_calls": [entry("weather", ROME, id="a"), entry("weather", OSLO, id="b")]}  # fmt: skip
    body = json.dumps(completion("tool_calls", message=message), indent=1).encode()
    with scripted_server(document(body[:7], body[7:50], body[50:], content_type=content_type)) as server:
        deltas = ask(engine_of(server.url))
    assert (text_of(deltas), deltas[0].thought, calls_of(deltas)) == ("I look.", "Hm.", IN_TWO_CITIES)
    assert deltas[-1].finish_reason is FinishReason.STOP
    assert deltas[-1].usage == Usage(prompt_tokens=10, completion_tokens=2)


def test_a_raw_completion_that_is_not_streamed_is_read():
    logprobs = {"tokens": ["No", "on"], "token_logprobs": [-0.5, -0.25]}
    body = json.dumps(completion("length", text="Noon", logprobs=logprobs)).encode()
    with scripted_server(document(b"\n  ", body)) as server:
        deltas = ask(raw_engine(server.url))
    assert (text_of(deltas), deltas[-1].finish_reason) == ("Noon", FinishReason.LENGTH)
    assert deltas[0].tokens == (
        EmittedToken(id=-1, text="No", logprob=-0.5),
        EmittedToken(id=-1, text="on", logprob=-0.25),
    )


def problem_of(answer: Answer, engine_of=openai_engine) -> str:
    with scripted_server(answer) as server:
        with pytest.raises(RemoteFailed) as caught:
            ask(engine_of(server.url))
        assert len(server.requests) == 1
    return str(caught.value)


@CHAT
@pytest.mark.parametrize("pieces", [(), (b"\n\n",)], ids=["nothing", "blank lines"])
def test_an_empty_answer_is_not_reported_as_a_wrong_address(engine_of, pieces):
    problem = problem_of(document(*pieces), engine_of)
    assert "the answer is empty" in problem and "context" in problem
    assert "base URL" not in problem


def test_a_stream_without_a_completion_is_not_reported_as_a_wrong_address():
    problem = problem_of(stream(delta(), DONE))
    assert "without a completion" in problem and "base URL" not in problem


@pytest.mark.parametrize(
    "body",
    [{"error": {"message": "no room"}}, {"error": "no room"}, {"object": "error", "message": "no room"}],
)
def test_an_error_with_status_200_is_quoted(body):
    assert "no room" in problem_of(document(json.dumps(body).encode()))


def test_a_document_that_is_no_completion_is_reported_as_such():
    assert "base URL" in problem_of(document(b'{"status": "ok"}'))
    assert "not valid JSON" in problem_of(document(b'{"choices": ['))


def test_a_refusal_counts_its_attempts_and_says_when_to_try_again():
    problem = problem_of(refused(429, "slow down", **{"Retry-After": "120"}))
    assert "attempts" not in problem
    assert "try again in 120 s" in problem
    with scripted_server(refused(503, "busy")) as server, pytest.raises(RemoteFailed, match="4 attempts"):
        ask(openai_engine(server.url))


@CHAT
def test_counts_that_a_server_does_not_report_are_unknown(engine_of):
    with scripted_server(
        stream(delta(content="It is "), delta(content="21°."), delta("stop"), DONE)
    ) as server:
        assert ask(engine_of(server.url))[-1].usage == Usage()

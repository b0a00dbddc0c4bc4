"""Answers of servers that bend the protocol: finish reasons, and calls without index or id."""

import pytest

from tests.engines.remote.asking import ask, hf_engine, openai_engine
from tests.engines.remote.scripted_server import DONE, delta, scripted_server, stream
from workbench.rollout.completion_writer import CompletionWriter
from workbench.rollout.ports import FinishReason

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

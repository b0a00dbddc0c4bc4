"""Requests to servers, and reading their valid answers."""

from dataclasses import replace

import pytest

from tests.engines.remote.asking import KEY, REQUEST, ask, hf_engine, openai_engine, raw_engine, text_of
from tests.engines.remote.scripted_server import (
    DONE,
    delta,
    event,
    piece,
    said,
    scripted_server,
    stream,
    usage,
)
from workbench.engines.remote.server import Server, ServerKind, ToolsBy
from workbench.errors import RemoteFailed
from workbench.rollout.ports import (
    ChoiceKind,
    EmittedToken,
    FinishReason,
    LikelyToken,
    StructuredCallPiece,
    ToolChoice,
    Usage,
)
from workbench.rollout.sampling import Sampling

CHAT = pytest.mark.parametrize("engine_of", [openai_engine, hf_engine], ids=["openai", "hf-inference"])


def call(index, **function):
    fields = {"index": index, "function": function}
    return {**fields, "id": f"c{index}", "type": "function"} if "name" in function else fields


@CHAT
def test_messages_tools_and_choice_are_sent(engine_of):
    with scripted_server(said("hello")) as server:
        ask(engine_of(server.url))
    body = server.requests[0].body
    assert server.requests[0].path == "/v1/chat/completions"
    assert body["messages"] == [{"role": "user", "content": "What time is it?"}]
    assert body["tools"] == [spec.document for spec in REQUEST.tools.specs]
    assert (body["tool_choice"], body["stream"], body["max_tokens"], body["seed"]) == ("auto", True, 32, 0)
    headers = {name.lower(): value for name, value in server.requests[0].headers.items()}
    assert headers["authorization"] == f"Bearer {KEY}"


@CHAT
@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        (ToolChoice(kind=ChoiceKind.NONE), "none"),
        (ToolChoice(kind=ChoiceKind.REQUIRED), "required"),
        (
            ToolChoice(kind=ChoiceKind.NAMED, tool="now"),
            {"type": "function", "function": {"name": "now"}},
        ),
    ],
)
def test_the_tool_choice_is_written_as_in_the_protocol(engine_of, choice, sent):
    with scripted_server(said("hello")) as server:
        ask(engine_of(server.url), replace(REQUEST, tool_choice=choice))
    assert server.requests[0].body["tool_choice"] == sent


def test_if_the_contract_writes_the_tools_they_are_not_sent():
    with scripted_server(said("hello")) as server:
        engine = openai_engine(server.url, tools_by=ToolsBy.CONTRACT)
        assert not engine.capabilities.writes_tools
        ask(engine)
        assert "tools" not in server.requests[0].body
        with pytest.raises(RemoteFailed, match="needs a server that gets the tools"):
            ask(engine, replace(REQUEST, tool_choice=ToolChoice(kind=ChoiceKind.REQUIRED)))


def test_raw_mode_sends_the_prompt_byte_for_byte():
    with scripted_server(stream(piece("It is"), piece(" noon.", "stop"), DONE)) as server:
        engine = raw_engine(server.url)
        assert engine.capabilities.has_exact_prompt
        assert not engine.capabilities.is_chat_only
        assert text_of(ask(engine)) == "It is noon."
    assert server.requests[0].path == "/v1/completions"
    assert server.requests[0].body["prompt"] == REQUEST.prompt
    assert server.requests[0].body["stop"] == ["<|im_end|>"]


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        (ServerKind.OPENAI, {}),
        (ServerKind.OLLAMA, {}),
        (
            ServerKind.VLLM,
            {"top_k": 7, "min_p": 0.05, "repetition_penalty": 1.0, "skip_special_tokens": False},
        ),
        (ServerKind.LM_STUDIO, {"top_k": 7, "min_p": 0.05, "repeat_penalty": 1.0}),
    ],
)
def test_each_software_gets_the_sampling_fields_that_it_supports(kind, sent):
    with scripted_server(stream(piece("a", "stop"), DONE)) as server:
        ask(raw_engine(server.url, kind=kind), replace(REQUEST, sampling=Sampling(top_k=7)))
    body = server.requests[0].body
    standard = {
        "model",
        "prompt",
        "stream",
        "stream_options",
        "max_tokens",
        "temperature",
        "top_p",
        "seed",
        "stop",
    }
    assert {name: value for name, value in body.items() if name not in standard} == sent


def test_without_a_key_no_credentials_are_sent(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-elsewhere")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-from-elsewhere")
    with scripted_server(said("hello")) as server:
        ask(openai_engine(server.url, key=None))
    assert "authorization" not in {name.lower() for name in server.requests[0].headers}
    assert "elsewhere" not in str(server.requests[0].headers)


@CHAT
def test_calls_arrive_piece_by_piece(engine_of):
    answer = stream(
        delta(role="assistant", content=None),
        delta(tool_calls=[call(0, name="now", arguments="")]),
        delta(tool_calls=[call(0, arguments='{"zone": ')]),
        delta(tool_calls=[call(0, arguments='"CET"}')]),
        delta(tool_calls=[call(1, name="now", arguments="{}")]),
        delta("tool_calls"),
        DONE,
    )
    with scripted_server(answer) as server:
        deltas = ask(engine_of(server.url))
    assert [entry for delta in deltas for entry in delta.call_pieces] == [
        StructuredCallPiece(index=0, name="now", arguments_text='{"zone": ', id="c0"),
        StructuredCallPiece(index=0, arguments_text='"CET"}'),
        StructuredCallPiece(index=1, name="now", arguments_text="{}", id="c1"),
    ]
    assert deltas[-1].finish_reason is FinishReason.STOP


def test_calls_that_all_have_index_0_are_distinguished_by_their_ids():
    calls = [
        {"index": 0, "id": "a", "type": "function", "function": {"name": "now", "arguments": "{}"}},
        {
            "index": 0,
            "id": "b",
            "type": "function",
            "function": {"name": "now", "arguments": '{"zone": "CET"}'},
        },
    ]
    with scripted_server(stream(delta(tool_calls=calls), delta("tool_calls"), DONE)) as server:
        deltas = ask(openai_engine(server.url))
    assert [entry.index for delta in deltas for entry in delta.call_pieces] == [0, 1]


@CHAT
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_separate_from_the_text(engine_of, field):
    with scripted_server(
        stream(delta(**{field: "Hm."}), delta(content="Noon."), delta("stop"), DONE)
    ) as server:
        deltas = ask(engine_of(server.url))
    assert [(entry.thought, entry.text) for entry in deltas[:-1]] == [("Hm.", ""), ("", "Noon.")]


def test_reasoning_in_both_fields_is_used_once():
    both = delta(reasoning="Hm.", reasoning_content="Hm.")
    with scripted_server(stream(both, delta("stop"), DONE)) as server:
        assert [entry.thought for entry in ask(openai_engine(server.url))] == ["Hm.", ""]


def test_a_complete_message_within_the_stream_is_read():
    whole = event(
        {
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": "Noon."}, "finish_reason": "stop"}
            ]
        }
    )
    with scripted_server(stream(whole, DONE)) as server:
        assert text_of(ask(openai_engine(server.url))) == "Noon."


@pytest.mark.parametrize(("reason", "finish"), [("length", FinishReason.LENGTH), ("stop", FinishReason.STOP)])
def test_the_finish_reason_is_that_of_the_server(reason, finish):
    with scripted_server(stream(piece("a", reason), usage(7, 3, 5), DONE)) as server:
        last = ask(raw_engine(server.url))[-1]
    assert last.finish_reason is finish
    assert last.usage == Usage(prompt_tokens=7, cached_tokens=5, completion_tokens=3)


def test_logprobs_are_requested_and_read():
    chunk = event({"choices": [{"index": 0, "text": "No", "finish_reason": "stop",
                                "logprobs": {"tokens": ["No"], "token_logprobs": [-0.5]}}]})  # fmt: skip
    with scripted_server(stream(chunk, DONE)) as server:
        deltas = ask(raw_engine(server.url), replace(REQUEST, wants_logprobs=True))
    assert server.requests[0].body["logprobs"] == 1
    assert deltas[0].tokens == (EmittedToken(id=-1, text="No", logprob=-0.5),)


def test_likely_tokens_are_requested_and_read():
    likely = (LikelyToken("No", -0.5), LikelyToken("Yes", -1.5))
    raw = {"tokens": ["No"], "token_logprobs": [-0.5], "top_logprobs": [{"Yes": -1.5, "No": -0.5}]}
    top = [
        {"token": "No", "logprob": -0.5},
        {"token": "Yes", "logprob": -1.5},
        {"token": "x", "logprob": None},
    ]
    chat = {"content": [{"token": "No", "logprob": -0.5, "top_logprobs": top}]}
    for engine_of, logprobs, expected in (
        (raw_engine, raw, {"logprobs": 2}),
        (openai_engine, chat, {"logprobs": True, "top_logprobs": 2}),
    ):
        choice = {"index": 0, "text": "", "delta": {"content": "No"}, "finish_reason": "stop"}
        chunk = event({"choices": [{**choice, "logprobs": logprobs}]})
        with scripted_server(stream(chunk, DONE)) as server:
            deltas = ask(engine_of(server.url), replace(REQUEST, wants_logprobs=True, top_logprobs=2))
        assert expected.items() <= server.requests[0].body.items()
        assert deltas[0].tokens == (EmittedToken(id=-1, text="No", logprob=-0.5, likely=likely),)


def test_user_and_password_of_an_address_are_not_shown():
    engine = openai_engine("http://me:hunter2@127.0.0.1:1/v1")
    assert engine.device == "http://127.0.0.1:1/v1"
    with pytest.raises(RemoteFailed) as caught:
        ask(engine)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("https://ada:hunter2@host:8000/v1?key=1", "https://host:8000/v1"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
        ('http://host/$(id)`id`"}/v1', "http://host/%24%28id%29%60id%60%22%7D/v1"),
    ],
)
def test_the_plain_url_has_no_secrets_and_nothing_that_a_shell_expands(url, plain):
    assert Server(name="", base_url=url).plain_url == plain

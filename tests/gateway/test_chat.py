"""`/v1/chat/completions`: answers, streams and parameters."""

import json

import pytest

from tests.gateway.serving import (
    ANSWER,
    CALL,
    QUESTION,
    WEATHER,
    gateway_over,
    message_of,
    same_message,
    writing,
)
from workbench.app.recording import Recorder

TOOLS = [WEATHER]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A gateway that several tests use, each with its own model."""
    with gateway_over(tmp_path_factory.mktemp("gateway"), ANSWER) as gateway:
        yield gateway


def test_a_call_its_result_and_the_answer(shared):
    with writing(shared, CALL, ANSWER) as gateway:
        first = gateway.chat(tools=TOOLS).json()
        choice = first["choices"][0]
        assert choice["finish_reason"] == "tool_calls"
        assert choice["message"]["content"] is None
        [call] = choice["message"]["tool_calls"]
        assert (call["type"], call["function"]) == (
            "function",
            {"name": "get_weather", "arguments": '{"city": "Rome"}'},
        )
        assert first["object"] == "chat.completion" and first["model"] == gateway.model
        assert (
            first["usage"]["total_tokens"]
            == first["usage"]["prompt_tokens"] + first["usage"]["completion_tokens"]
        )
        assert first["usage"]["prompt_tokens_details"] == {"cached_tokens": 0}
        assert first["hermes"] == {"fixes": [], "findings": [], "dropped": 0}
        result = {"role": "tool", "tool_call_id": call["id"], "content": '{"weather": "sunny"}'}
        second = gateway.chat([*QUESTION, choice["message"], result], tools=TOOLS).json()
        assert second["choices"][0]["message"]["content"] == ANSWER
        assert second["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        CALL,
        f"I look it up.\n{CALL}\n{CALL.replace('Rome', 'Oslo')}",
        "<think>\nRome is a city.\n</think>\n\nIt is sunny.",
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Rome", "days": "2",}}',
        "<tool_call>no json</tool_call>",
    ],
)
def test_a_stream_adds_up_to_the_plain_answer(shared, text):
    with writing(shared, text) as gateway:
        plain = gateway.chat(tools=TOOLS).json()
        chunks = gateway.stream(tools=TOOLS)
        same_message(chunks, plain["choices"][0])
        assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
        assert chunks[-1]["hermes"] == plain["hermes"]
        assert len({chunk["id"] for chunk in chunks}) == 1
        assert all(chunk["object"] == "chat.completion.chunk" for chunk in chunks)


def test_what_the_reader_did_is_reported(shared):
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome", "days": "2",}}\n</tool_call>'
    with writing(shared, text) as gateway:
        answer = gateway.chat(tools=TOOLS, headers={"X-Hermes-Raw": "1"}).json()
        [call] = answer["choices"][0]["message"]["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"city": "Rome", "days": 2}
        assert "trailing-comma" in answer["hermes"]["fixes"]
        assert answer["hermes"]["raw"] == text
        assert gateway.stream(tools=TOOLS, headers={"X-Hermes-Raw": "1"})[-1]["hermes"] == answer["hermes"]


def test_arguments_are_sent_as_they_form(shared):
    text = CALL.replace("Rome", "a long name of a city somewhere")
    with writing(shared, text) as gateway:
        chunks = gateway.stream(tools=TOOLS)
    pieces = [call["function"]["arguments"] for chunk in chunks for choice in chunk["choices"] for call in choice["delta"].get("tool_calls", ())]  # fmt: skip
    assert pieces[0] == "" and len(pieces) > 5
    assert "".join(pieces) == '{"city": "a long name of a city somewhere"}'


def test_usage_is_the_last_chunk_if_requested(shared):
    with writing(shared, ANSWER) as gateway:
        plain = gateway.chat().json()
        chunks = gateway.stream(stream_options={"include_usage": True})
        assert chunks[-1]["choices"] == [] and chunks[-1]["usage"] == plain["usage"]
        assert chunks[-1]["hermes"] == chunks[-2]["hermes"] == plain["hermes"]
        assert all(chunk["usage"] is None for chunk in chunks[:-1])
        assert all("usage" not in chunk for chunk in gateway.stream())


def test_a_completion_that_is_cut_off_has_no_call_that_can_be_run(shared):
    with writing(shared, CALL) as gateway:
        plain = gateway.chat(tools=TOOLS, max_completion_tokens=15).json()
        assert plain["choices"][0]["finish_reason"] == "length"
        assert "tool_calls" not in plain["choices"][0]["message"]
        streamed = message_of(gateway.stream(tools=TOOLS, max_tokens=15))
        assert streamed["finish_reason"] == "length"
        for call in streamed["tool_calls"]:
            with pytest.raises(ValueError):
                json.loads(call["function"]["arguments"])


def test_only_the_first_call_is_sent_without_parallel_calls(shared):
    with writing(shared, f"{CALL}\n{CALL.replace('Rome', 'Oslo')}") as gateway:
        plain = gateway.chat(tools=TOOLS, parallel_tool_calls=False).json()
        assert len(plain["choices"][0]["message"]["tool_calls"]) == 1
        assert plain["hermes"]["findings"] == ["parallel-call-left-out"] and plain["hermes"]["dropped"] == 1
        same_message(gateway.stream(tools=TOOLS, parallel_tool_calls=False), plain["choices"][0])


def test_no_call_is_sent_with_the_tool_choice_none(shared):
    with writing(shared, f"Hm. {CALL}") as gateway:
        plain = gateway.chat(tools=TOOLS, tool_choice="none").json()
        assert "tool_calls" not in plain["choices"][0]["message"]
        assert plain["choices"][0]["message"]["content"] == f"Hm. {CALL}"
        assert plain["choices"][0]["finish_reason"] == "stop"
        assert plain["hermes"]["findings"] == ["call-not-run"]
        same_message(gateway.stream(tools=TOOLS, tool_choice="none"), plain["choices"][0])


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "get_weather"}}])
def test_a_forced_call_begins_with_our_prefill(shared, choice):
    rest = '{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
    with writing(shared, rest) as gateway:
        plain = gateway.chat(tools=TOOLS, tool_choice=choice, headers={"X-Hermes-Raw": "1"}).json()
        assert plain["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"city": "Rome"}'
        assert plain["hermes"]["raw"] == CALL
        same_message(gateway.stream(tools=TOOLS, tool_choice=choice), plain["choices"][0])


def test_several_answers_are_numbered(shared):
    with writing(shared, "One.", "Two.", "Three.") as gateway:
        plain = gateway.chat(n=3).json()
        assert [choice["message"]["content"] for choice in plain["choices"]] == ["One.", "Two.", "Three."]
        assert [choice["index"] for choice in plain["choices"]] == [0, 1, 2]
        chunks = gateway.stream(n=3)
        assert [message_of(chunks, index)["content"] for index in range(3)] == ["One.", "Two.", "Three."]


def test_the_ids_of_calls_are_the_same_when_a_request_is_repeated(shared):
    two = f"{CALL}\n{CALL.replace('Rome', 'Oslo')}"
    with writing(shared, two) as gateway:
        ids = [[call["id"] for call in gateway.chat(tools=TOOLS).json()["choices"][0]["message"]["tool_calls"]] for _ in range(2)]  # fmt: skip
        other = gateway.chat([{"role": "user", "content": "And in Oslo?"}], tools=TOOLS).json()
    assert ids[0] == ids[1] and len(set(ids[0])) == 2
    assert other["choices"][0]["message"]["tool_calls"][0]["id"] not in ids[0]


class Seen(Recorder):
    """Remembers the conversations besides."""

    def __init__(self):
        super().__init__()
        self.conversations = []

    def begin(self, services, request):
        self.conversations.append(request.messages)
        return super().begin(services, request)


def test_a_contract_renders_the_prompt_and_takes_the_clients_system_text(tmp_path):
    messages = [{"role": "system", "content": "Be kind."}, *QUESTION]
    recorder = Recorder()
    with gateway_over(tmp_path, CALL, recorder=recorder) as gateway:
        prompts = []
        for model in (f"minimal/{gateway.model}", gateway.model):
            answer = gateway.chat(messages, tools=TOOLS, model=model)
            assert answer.status_code == 200
            recorder.flush()
            [*_, stored] = gateway.services.sessions.path(answer.headers["x-hermes-session"])
            assert stored.message.text == CALL
            prompts.append(stored.generation.prompt_text)
    assert prompts[0].startswith("<|im_start|>system\nYou can call tools.")
    assert "\n\nBe kind.<|im_end|>\n<|im_start|>user\nWhat is the weather" in prompts[0]
    # Without a contract, the family's own template writes the tools.
    assert prompts[1].startswith("<|im_start|>system\nBe kind.")
    assert "Their signatures stand within <tools></tools> tags" in prompts[1]


OWN = """---
name: own
title: Own
family: hermes-lines
variables:
  system: Nobody spoke.
---
First: {{ system }} Tools: {{ tools }}
"""


def test_a_contract_says_where_the_clients_system_text_goes(tmp_path):
    home, seen = tmp_path / "home", Seen()
    (home / "prompts/contracts").mkdir(parents=True)
    (home / "prompts/contracts/own.md").write_text(OWN)
    (home / "tools_catalog").mkdir()
    variables = {"WORKBENCH_HOME": str(home), "WORKBENCH_CONTRACT": "own"}
    with gateway_over(tmp_path, ANSWER, variables=variables, recorder=seen) as gateway:
        for messages in ([{"role": "developer", "content": "Be kind."}, *QUESTION], QUESTION):
            assert gateway.chat(messages, model=f"own@1/{gateway.model}").status_code == 200
        names = [model["id"] for model in gateway.client.get("/v1/models").json()["data"]]
        assert gateway.model in names and f"own/{gateway.model}" in names
    systems = [messages[0].text for messages in seen.conversations]
    assert systems == ["First: Be kind. Tools: ", "First: Nobody spoke. Tools: "]


def test_results_are_put_into_the_order_of_their_calls(tmp_path):
    seen = Seen()
    calls = [{"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}} for name in "ab"]
    messages = [
        *QUESTION,
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "b", "content": "second"},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "first"}]},
    ]
    with gateway_over(tmp_path, ANSWER, recorder=seen) as gateway:
        assert gateway.chat(messages).status_code == 200
    assert [(message.name, message.text) for message in seen.conversations[0][2:]] == [
        ("a", "first"),
        ("b", "second"),
    ]


def test_an_answer_of_a_schema_is_checked(shared):
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    formats = {"type": "json_schema", "json_schema": {"name": "place", "schema": schema, "strict": True}}
    with writing(shared, '{"city": "Rome"}', '{"town": 1}') as gateway:
        good, bad = (gateway.chat(response_format=formats).json() for _ in range(2))
        assert good["hermes"]["findings"] == []
        assert "schema-missing-required" in bad["hermes"]["findings"]


def test_models_are_listed_one_by_one(shared):
    with writing(shared, ANSWER) as gateway:
        models = gateway.client.get("/v1/models").json()
        assert models["object"] == "list"
        assert {
            "id": "scripted:demo",
            "object": "model",
            "created": 0,
            "owned_by": "hermes-workbench",
        } in models["data"]
        assert (
            gateway.client.get(f"/v1/models/minimal/{gateway.model}").json()["id"]
            == f"minimal/{gateway.model}"
        )
        assert gateway.client.get("/v1/models/nothing").json()["error"]["code"] == "model_not_found"
        assert gateway.client.get("/health").json()["status"] == "ok"


def test_the_tags_of_contracts_are_listed_and_can_be_used(tmp_path):
    with gateway_over(tmp_path, ANSWER) as gateway:
        services = gateway.services
        version = services.contract_version("minimal")
        services.versions.tag(version.id, "production")
        name = f"minimal@production/{gateway.model}"
        assert name in [model["id"] for model in gateway.client.get("/v1/models").json()["data"]]
        assert gateway.client.get(f"/v1/models/{name}").json()["id"] == name
        assert gateway.chat(model=name).json()["model"] == name


def test_a_prompt_is_continued(shared):
    with writing(shared, "Once upon a time.") as gateway:
        body = {"model": gateway.model, "prompt": "Tell me", "max_tokens": 2}
        plain = gateway.client.post("/v1/completions", json=body).json()
        assert plain["object"] == "text_completion"
        assert plain["choices"] == [
            {"index": 0, "text": "Once upo", "logprobs": None, "finish_reason": "length"}
        ]
        assert plain["usage"]["completion_tokens"] == 2
        streamed = gateway.client.post("/v1/completions", json={**body, "stream": True, "n": 2}).text
        assert streamed.count('"finish_reason":"length"') == 2 and streamed.endswith("data: [DONE]\n\n")


def test_a_text_is_parsed(shared):
    with writing(shared, ANSWER) as gateway:
        read = gateway.client.post("/v1/parse", json={"text": f"Hm. {CALL[:-13]}", "tools": TOOLS}).json()
        assert read["calls"][0]["arguments"] == {"city": "Rome"} and read["prose"] == ["Hm."]
        assert [fix["code"] for fix in read["fixes"]]

"""`/v1/messages`: Anthropic's shape for requests, answers, streams and errors."""

import json

import pytest

from tests.engines.remote.scripted_server import delta, said, scripted_server, stream
from tests.gateway.responding import CASES, TWO_CALLS
from tests.gateway.serving import ANSWER, CALL, QUESTION, WEATHER, gateway_over, message_of, writing
from tests.gateway.test_access import keys
from tests.gateway.upstream import answered, in_front_of, more, opened
from workbench.app.recording import Recorder

FUNCTION = WEATHER["function"]
TOOL = {
    "name": FUNCTION["name"],
    "description": FUNCTION["description"],
    "input_schema": FUNCTION["parameters"],
}
HEADERS = {"anthropic-version": "2023-06-01"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with gateway_over(tmp_path_factory.mktemp("gateway"), ANSWER) as gateway:
        yield gateway


def ask(gateway, messages=None, headers=None, path="/v1/messages", **fields):
    body = {"model": gateway.model, "max_tokens": 200, "messages": messages or QUESTION, **fields}
    return gateway.client.post(path, json=body, headers={**HEADERS, **(headers or {})})


def typed_events(text):
    """Return the events of a stream, each of which is named by its type."""
    documents = []
    for event in text.removesuffix("\n\n").split("\n\n"):
        name, data = event.split("\n")
        documents.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {documents[-1]['type']}"
    return documents


def replayed(events):
    """Return the message that a client puts together from the events."""
    first, *events, last = events
    assert (first["type"], last) == ("message_start", {"type": "message_stop"})
    message, is_open = first["message"], False
    for event in events:
        match event["type"]:
            case "content_block_start":
                assert event["index"] == len(message["content"]) and not is_open
                message["content"].append({**event["content_block"]})
                is_open, arguments = True, ""
            case "content_block_delta":
                assert is_open and event["index"] == len(message["content"]) - 1
                kind, text = list(event["delta"].values())
                name = kind.removesuffix("_delta")
                if name == "input_json":
                    arguments += text
                else:
                    message["content"][-1][name] += text
            case "content_block_stop":
                assert is_open and event["index"] == len(message["content"]) - 1
                is_open = False
                if message["content"][-1]["type"] == "tool_use":
                    message["content"][-1]["input"] = json.loads(arguments)
            case "message_delta":
                assert not is_open
                message |= event["delta"] | {"usage": event["usage"], "hermes": event["hermes"]}
    return message


@pytest.mark.parametrize("name", CASES)
def test_a_stream_adds_up_to_the_plain_answer_and_says_the_same_as_a_chat_completion(shared, name):
    with writing(shared, CASES[name]) as gateway:
        chat = gateway.chat(tools=[WEATHER]).json()
        plain = ask(gateway, tools=[TOOL]).json()
        streamed = replayed(typed_events(ask(gateway, tools=[TOOL], stream=True).text))
    assert {**streamed, "id": ""} == {**plain, "id": ""}
    message = chat["choices"][0]["message"]
    texts = {
        kind: "".join(block.get(kind, "") for block in plain["content"]) for kind in ("text", "thinking")
    }
    assert texts == {"text": message["content"] or "", "thinking": message.get("reasoning_content", "")}
    calls = [(block["name"], block["input"]) for block in plain["content"] if block["type"] == "tool_use"]
    assert calls == [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in message.get("tool_calls", ())]  # fmt: skip
    assert plain["stop_reason"] == ("tool_use" if calls else "end_turn") and plain["stop_sequence"] is None
    assert plain["hermes"] == chat["hermes"]
    usage = plain["usage"]
    assert usage["input_tokens"] + usage["cache_read_input_tokens"] == chat["usage"]["prompt_tokens"]
    assert usage["output_tokens"] == chat["usage"]["completion_tokens"]


def test_the_exact_events(shared):
    with writing(shared, "<think>\nHm.\n</think>\n\nI look.\n" + CALL) as gateway:
        response = ask(gateway, tools=[TOOL], stream=True)
        events = typed_events(response.text)
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    call_id = next(event["content_block"]["id"] for event in events if event.get("index") == 2)
    usage = events[-2]["usage"]
    assert events[0]["message"] == {
        "id": events[0]["message"]["id"], "type": "message", "role": "assistant", "model": gateway.model, "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 0, "output_tokens": 0},
    }  # fmt: skip
    texts = [event["delta"]["text"] for event in events if event.get("delta", {}).get("type") == "text_delta"]
    assert "".join(texts) == "I look."
    assert [event for event in events[1:] if event.get("delta", {}).get("type") != "text_delta"] == [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": call_id, "name": "get_weather", "input": {}}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"city": "Rome"}'}},
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": usage, "hermes": {"fixes": [], "findings": [], "dropped": 0}},
        {"type": "message_stop"},
    ]  # fmt: skip


def test_a_call_that_is_cut_off_never_reaches_the_client(shared):
    with writing(shared, f"I look.\n{CALL}") as gateway:
        plain = ask(gateway, tools=[TOOL], max_tokens=19).json()
        events = typed_events(ask(gateway, tools=[TOOL], max_tokens=19, stream=True).text)
    assert plain["stop_reason"] == "max_tokens"
    assert {block["type"] for block in plain["content"]} == {"text"}
    assert "".join(block["text"] for block in plain["content"]).startswith("I look.")
    assert replayed(events)["content"] == plain["content"]


def test_a_call_without_arguments(tmp_path):
    odd = answered(
        opened("get_weather"), delta(content="Wait."), opened("get_weather", 1, '{"city": "Oslo"}')
    )
    with scripted_server(odd, odd) as server, in_front_of(tmp_path, server) as gateway:
        events = typed_events(ask(gateway, model="hermes", tools=[TOOL], stream=True).text)
        plain = ask(gateway, model="hermes", tools=[TOOL]).json()
    kinds = [(block["type"], block.get("input", block.get("text"))) for block in plain["content"]]
    assert kinds == [("text", "Wait."), ("tool_use", {}), ("tool_use", {"city": "Oslo"})]
    assert replayed(events)["content"] == plain["content"]


def test_a_call_that_turns_out_to_be_in_a_thought_is_not_in_a_plain_answer(shared):
    with writing(shared, f"A{CALL}\nB\n{CALL.replace('Rome', 'Oslo')}</think>C") as gateway:
        plain = ask(gateway, tools=[TOOL]).json()
    assert {block["type"] for block in plain["content"]} == {"text"} and plain["stop_reason"] == "end_turn"
    assert "".join(block["text"] for block in plain["content"]).count("<tool_call>") == 2


@pytest.mark.parametrize(
    "arguments",
    ['{"city": 123456789012345678901234567890}', '{"city": "a", "city": "b"}', '{"city": 0.1000000000000000055}'],
)  # fmt: skip
def test_arguments_stay_as_they_were_written(tmp_path, arguments):
    with scripted_server(answered(opened("get_weather", 0, arguments))) as server, in_front_of(tmp_path, server) as gateway:  # fmt: skip
        plain = ask(gateway, model="hermes", tools=[TOOL])
        streamed = typed_events(ask(gateway, model="hermes", tools=[TOOL], stream=True).text)
    assert plain.status_code == 200 and f'"input":{arguments}' in plain.text
    assert [event["delta"]["partial_json"] for event in streamed if "partial_json" in event.get("delta", {})] == [arguments]  # fmt: skip


@pytest.mark.parametrize("arguments", ["nope", "[1]", '{"city": NaN}', '{"city": "\\ud800"}', '{"city": "Ro'])
def test_a_call_whose_arguments_are_not_an_object_is_a_text(tmp_path, arguments):
    with scripted_server(answered(opened("get_weather", 0, arguments))) as server, in_front_of(tmp_path, server) as gateway:  # fmt: skip
        plain = ask(gateway, model="hermes", tools=[TOOL]).json()
        streamed = replayed(typed_events(ask(gateway, model="hermes", tools=[TOOL], stream=True).text))
    text = f'<tool_call>\n{{"name": "get_weather", "arguments": {arguments}}}\n</tool_call>'
    assert streamed["content"] == plain["content"] == [{"type": "text", "text": text}]
    assert plain["stop_reason"] == "end_turn" and plain["hermes"]["findings"]


def test_results_thoughts_and_images_of_the_history_are_translated(tmp_path):
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Look:", "cache_control": {"type": "ephemeral"}}, image]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": ""},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "a", "name": "get_weather", "input": {"city": "Rome"}},
            {"type": "tool_use", "id": "b", "name": "get_weather", "input": {"city": "Oslo"}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "rain"}], "is_error": True},
            {"type": "tool_result", "tool_use_id": "a", "content": "sunny"},
            {"type": "text", "text": "And?"},
        ]},
    ]  # fmt: skip
    system = [{"type": "text", "text": "Be kind."}, {"type": "text", "text": " Be short."}]
    with scripted_server(said(ANSWER)) as server, in_front_of(tmp_path, server) as gateway:
        answer = ask(gateway, messages, model="hermes", tools=[TOOL], system=system)
        assert answer.status_code == 200, answer.text
        [body] = [request.body for request in server.requests]
    calls = [
        {"id": call_id, "type": "function", "function": {"name": "get_weather", "arguments": f'{{"city": "{city}"}}'}}
        for call_id, city in (("a", "Rome"), ("b", "Oslo"))
    ]  # fmt: skip
    url = {"url": "data:image/png;base64,iVBORw0KGgo="}
    assert body["messages"] == [
        {"role": "system", "content": "Be kind. Be short."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": url}],
        },
        {"role": "assistant", "content": "I look.", "reasoning_content": "Hm.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "b", "content": "rain"},
        {"role": "tool", "tool_call_id": "a", "content": "sunny"},
        {"role": "user", "content": "And?"},
    ]
    assert answer.json()["hermes"]["ignored"] == ["cache_control", "is_error"]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"type": "auto"}, "auto"),
        ({"type": "any"}, "required"),
        ({"type": "none"}, "none"),
        ({"type": "tool", "name": "get_weather"}, {"type": "function", "function": {"name": "get_weather"}}),
    ],
)
def test_parameters_are_translated_and_what_cannot_be_used_is_named(choice, expected, tmp_path):
    fields = {
        "tools": [TOOL, {"type": "web_search_20250305", "name": "web_search"}],
        "tool_choice": {**choice, "disable_parallel_tool_use": True},
        "max_tokens": 99,
        "temperature": 0.5,
        "stop_sequences": ["END"],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "metadata": {"user_id": "ann"},
        "output_config": {"effort": "low"},
        "priority": 1,
    }
    with scripted_server(answered(opened("get_weather"), more("{}"), finish="tool_calls")) as server, in_front_of(tmp_path, server) as gateway:  # fmt: skip
        answer = ask(gateway, model="hermes", **fields).json()
        body = server.requests[-1].body
    wanted = {"temperature": 0.5, "reasoning_effort": "low", "priority": 1}
    assert {name: body.get(name) for name in wanted} == wanted
    assert body.get("tool_choice", "auto") == expected and body["stop"] == ["END"]
    assert 99 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert [tool["function"]["name"] for tool in body["tools"]] == ["get_weather"]
    assert not {"thinking", "stop_sequences", "output_config", "system"} & body.keys()
    assert answer["hermes"]["ignored"] == ["thinking", "tools.web_search_20250305"]


@pytest.mark.parametrize(
    ("fields", "ignored"),
    [
        ({"tools": [{**TOOL, "cache_control": {"type": "ephemeral"}}]}, ["tools.cache_control"]),
        ({"output_config": {"task_budget": {"total": 1}}}, ["output_config.task_budget"]),
        ({"output_config": {"format": {"type": "json_schema", "schema": {}, "name": "x"}}}, ["output_config.format.name"]),
        ({"reasoning_effort": "low"}, None),
    ],
)  # fmt: skip
def test_nothing_is_left_out_without_being_named(tmp_path, fields, ignored):
    with scripted_server(said("{}")) as server, in_front_of(tmp_path, server) as gateway:
        answer = ask(gateway, model="hermes", **fields).json()
        [body] = [request.body for request in server.requests]
    assert answer["hermes"].get("ignored") == ignored
    if not ignored:
        assert fields.items() <= body.items()
    assert all(tool.keys() == {"type", "function"} for tool in body.get("tools", ()))


def test_an_image_that_is_a_file_of_another_server_is_not_replaced(tmp_path):
    image = {"type": "image", "source": {"type": "file", "file_id": "file_1"}}
    with scripted_server(said(ANSWER)) as server, in_front_of(tmp_path, server) as gateway:
        ask(gateway, [{"role": "user", "content": [image]}], model="hermes")
        [body] = [request.body for request in server.requests]
    assert body["messages"][0]["content"] == [image]


def test_a_schema_constrains_the_answer(tmp_path):
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    config = {"format": {"type": "json_schema", "schema": schema}}
    with scripted_server(said("{}")) as server, in_front_of(tmp_path, server) as gateway:
        ask(gateway, model="hermes", output_config=config)
        assert server.requests[-1].body["response_format"]["json_schema"]["schema"] == schema


def test_tokens_are_counted_as_an_answer_counts_them(shared):
    with writing(shared, ANSWER) as gateway:
        counted = ask(gateway, path="/v1/messages/count_tokens", tools=[TOOL], system="Be kind.")
        usage = ask(gateway, tools=[TOOL], system="Be kind.").json()["usage"]
        wrong = ask(gateway, [{"role": "robot", "content": "x"}], path="/v1/messages/count_tokens")
    assert counted.json() == {"input_tokens": usage["input_tokens"] + usage["cache_read_input_tokens"]}
    assert (wrong.status_code, wrong.json()["error"]["type"]) == (400, "invalid_request_error")


FAULTS = {
    "no limit": ({"max_tokens": None}, 400, "invalid_request_error", "max_tokens"),
    "unknown model": ({"model": "nothing"}, 404, "not_found_error", "There is no model 'nothing'"),
    "a system message": ({"messages": [{"role": "system", "content": "x"}]}, 400, "invalid_request_error", "messages[0].role"),
    "a result without call": ({"system": "Hi", "messages": [*QUESTION, {"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "tool_result", "tool_use_id": "a", "content": "1"}]}]}, 400, "invalid_request_error", "messages[1].content[1]: 'a' is not the id of a call"),
    "an image": ({"messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "x"}}]}]}, 400, "invalid_request_error", "messages[0]: parts of type 'image_url' are not supported"),
    "an unknown tool": ({"tools": [TOOL], "tool_choice": {"type": "tool", "name": "x"}}, 400, "invalid_request_error", "tool_choice: there is no tool 'x'"),
    "a tool choice without name": ({"tools": [TOOL], "tool_choice": {"type": "tool"}}, 400, "invalid_request_error", "tool_choice"),
    "a reference in the format": ({"output_config": {"format": {"type": "json_schema", "schema": {"$ref": "https://example.org/x"}}}}, 400, "invalid_request_error", "output_config.format.schema: "),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults_have_the_shape_of_the_api_and_name_the_place(shared, name):
    fields, status, kind, start = FAULTS[name]
    response = ask(shared, **fields)
    document = response.json()
    assert (response.status_code, document["type"], document["error"]["type"]) == (status, "error", kind)
    assert document["error"]["message"].startswith(start), document


def test_paths_and_methods_that_are_not_there(shared):
    for path, status in (("/v1/messages/batches", 404), ("/v1/messages", 405)):
        response = shared.client.get(path)
        assert (response.status_code, response.json()["type"]) == (status, "error")


def test_a_stream_that_breaks_off_ends_with_an_error(tmp_path):
    pieces = delta(role="assistant", content=""), delta(content="It is ")
    broken = stream(*pieces, b'data: {"error": {"message": "out of memory"}}\n\n')
    with scripted_server(broken) as server, in_front_of(tmp_path, server) as gateway:
        last = typed_events(ask(gateway, model="hermes", stream=True).text)[-1]
    assert (last["type"], last["error"]["type"]) == ("error", "api_error")
    assert "out of memory" in last["error"]["message"]


def test_the_key_may_be_sent_as_anthropic_clients_do(tmp_path):
    with gateway_over(tmp_path, ANSWER, gateway_keys=keys(ann="secret-a")) as gateway:
        assert ask(gateway, headers={"x-api-key": "secret-a"}).status_code == 200
        assert ask(gateway, headers={"Authorization": "Bearer secret-a"}).status_code == 200
        refused = ask(gateway, headers={"x-api-key": "wrong"})
        assert (refused.status_code, refused.json()["error"]["type"]) == (401, "authentication_error")


def test_a_recorded_conversation_looks_like_one_of_chat_completions(tmp_path_factory):
    sessions = []
    for kind in ("chat", "messages"):
        recorder = Recorder("agent")
        with gateway_over(tmp_path_factory.mktemp(kind), TWO_CALLS, ANSWER, recorder=recorder) as gateway:
            if kind == "chat":
                message = {"role": "assistant", **message_of(gateway.stream(tools=[WEATHER]))}
                results = [{"role": "tool", "tool_call_id": call["id"], "content": "sunny"} for call in message["tool_calls"]]  # fmt: skip
                answer = gateway.chat([*QUESTION, message, *results], tools=[WEATHER])
            else:
                first = ask(gateway, tools=[TOOL])
                blocks = first.json()["content"]
                results = [{"type": "tool_result", "tool_use_id": block["id"], "content": "sunny"} for block in blocks if block["type"] == "tool_use"]  # fmt: skip
                history = [*QUESTION, {"role": "assistant", "content": blocks}, {"role": "user", "content": results}]  # fmt: skip
                answer = ask(gateway, history, tools=[TOOL])
                assert first.headers["x-hermes-session"] == answer.headers["x-hermes-session"]
            recorder.flush()
            path = gateway.services.sessions.path(answer.headers["x-hermes-session"])
            sessions.append([(stored.message.role, stored.message.text, stored.message.calls, stored.message.thought, stored.message.name) for stored in path])  # fmt: skip
        recorder.close()
    assert sessions[0] == sessions[1] and len(sessions[0]) == 5

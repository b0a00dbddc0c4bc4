"""`/v1/responses`: parameters of requests are translated or named as ignored, and faults name their place."""

import pytest

from tests.engines.remote.scripted_server import refused, said, scripted_server
from tests.gateway.responding import TOOL, respond
from tests.gateway.serving import ANSWER, CALL, gateway_over, writing
from tests.gateway.upstream import in_front_of


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with gateway_over(tmp_path_factory.mktemp("gateway"), ANSWER) as gateway:
        yield gateway


def test_parameters_are_translated_and_what_cannot_be_used_is_named(tmp_path):
    fields = {
        "instructions": "Be kind.",
        "tools": [TOOL, {"type": "web_search"}, {"type": "custom", "name": "free"}],
        "tool_choice": {"type": "function", "name": "get_weather"},
        "parallel_tool_calls": False,
        "max_output_tokens": 99,
        "temperature": 0.5,
        "top_p": 0.9,
        "reasoning": {"effort": "low", "summary": "auto"},
        "text": {"format": {"type": "json_schema", "name": "place", "schema": {"type": "object"}}, "verbosity": "low"},
        "truncation": "auto",
        "include": ["reasoning.encrypted_content"],
        "metadata": {"topic": "x"},
        "chat_template_kwargs": {"enable_thinking": False},
        "seed": 7,
        "n": 2,
        "messages": [{"role": "user", "content": "x"}],
    }  # fmt: skip
    with scripted_server(said("{}")) as server, in_front_of(tmp_path, server) as gateway:
        answer = respond(gateway, model="hermes", **fields).json()
        body = server.requests[-1].body
    expected = {
        "tool_choice": {"type": "function", "function": {"name": "get_weather"}},
        "temperature": 0.5,
        "top_p": 0.9,
        "reasoning_effort": "low",
        "verbosity": "low",
        "chat_template_kwargs": {"enable_thinking": False},
        "seed": 7,
    }
    assert {name: body.get(name) for name in expected} == expected
    assert body["response_format"]["json_schema"] == {"name": "place", "schema": {"type": "object"}}
    assert [tool["function"]["name"] for tool in body["tools"]] == ["get_weather"]
    assert 99 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert not {"store", "include", "truncation", "input", "instructions"} & body.keys()
    assert answer["hermes"]["ignored"] == [
        "include.reasoning.encrypted_content",
        "messages",
        "n",
        "reasoning.summary",
        "tools.custom",
        "tools.web_search",
        "truncation",
    ]


IMAGE = {"type": "input_image", "image_url": "https://example.org/x.png"}


@pytest.mark.parametrize(
    ("fields", "ignored"),
    [
        ({"text": {"verbosity": "low", "tone": "x"}}, ["text.tone"]),
        ({"top_logprobs": 3}, ["top_logprobs"]),
        ({"tools": [{**TOOL, "defer_loading": True, "cache_control": None}]}, ["tools.defer_loading"]),
        ({"input": [{"role": "user", "content": [{**IMAGE, "mark": {"x": 1}}]}]}, ["mark"]),
        ({"reasoning_effort": "low", "verbosity": "high"}, None),
    ],
)
def test_nothing_is_left_out_without_being_named(tmp_path, fields, ignored):
    with scripted_server(said(ANSWER)) as server, in_front_of(tmp_path, server) as gateway:
        answer = gateway.client.post("/v1/responses", json={"model": "hermes", "input": "Hi", **fields})
        [body] = [request.body for request in server.requests]
    assert answer.json()["hermes"].get("ignored") == ignored
    if not ignored:
        assert fields.items() <= body.items()
    assert all(tool.keys() == {"type", "function"} for tool in body.get("tools", ()))


def test_an_image_that_is_a_file_of_another_server_is_not_replaced(tmp_path):
    image = {"type": "input_image", "file_id": "file_1"}
    with scripted_server(said(ANSWER)) as server, in_front_of(tmp_path, server) as gateway:
        respond(gateway, [{"role": "user", "content": [image]}], model="hermes")
        [body] = [request.body for request in server.requests]
    assert body["messages"][0]["content"] == [image]


def test_fields_that_are_null_are_not_set(shared):
    names = "instructions", "tools", "tool_choice", "text", "reasoning", "include", "metadata", "stream", "store", "top_logprobs"  # fmt: skip
    with writing(shared, ANSWER) as gateway:
        answer = respond(gateway, **dict.fromkeys(names), previous_response_id=None)
        assert answer.json()["hermes"] == {"fixes": [], "findings": [], "dropped": 0}
        assert gateway.client.head(f"/v1/responses/{answer.json()['id']}").status_code == 200
        assert gateway.client.get(f"/v1/responses/{answer.json()['id']}").json() == answer.json()


def test_allowed_tools(shared):
    other = {**TOOL, "name": "other"}
    choice = {
        "type": "allowed_tools",
        "mode": "required",
        "tools": [{"type": "function", "name": "get_weather"}],
    }
    with writing(shared, CALL) as gateway:
        answer = respond(gateway, tools=[TOOL, other], tool_choice=choice).json()
    assert answer["output"][0]["name"] == "get_weather" and answer["tool_choice"] == choice


def test_images_are_spelled_as_chat_requests_have_them(tmp_path):
    image = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "low"}
    asked = [{"role": "user", "content": [{"type": "input_text", "text": "Here:"}, image]}]
    with scripted_server(said(ANSWER)) as server, in_front_of(tmp_path, server) as gateway:
        assert respond(gateway, asked, model="hermes").status_code == 200
        [body] = [request.body for request in server.requests]
    url = {"url": image["image_url"], "detail": "low"}
    assert body["messages"][0]["content"] == [{"type": "text", "text": "Here:"}, {"type": "image_url", "image_url": url}]  # fmt: skip


FAULTS = {
    "no input": ({"input": []}, "missing_required_parameter", "input"),
    "a wrong input": ({"input": 3}, "invalid_value", "input"),
    "an unknown item": ({"input": [{"type": "web_search_call", "id": "x"}]}, "unsupported_value", "input[0]"),
    "an unknown role": ({"input": [{"role": "user", "content": "x"}, {"role": "robot", "content": "x"}]}, "invalid_value", "input[1]"),
    "a result without call": ({"input": [{"role": "user", "content": "x"}, {"type": "function_call_output", "call_id": "c", "output": "1"}]}, "tool_result_without_call", "input[1]"),
    "a call without name": ({"input": [{"role": "user", "content": "x"}, {"type": "function_call", "call_id": "c", "arguments": "{}"}]}, "invalid_value", "input[1]"),
    "an image": ({"instructions": "Hi", "input": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}]}, "unsupported_value", "input[0]"),
    "background": ({"background": True}, "unsupported_value", "background"),
    "a stored conversation": ({"conversation": "conv_1"}, "unsupported_value", "conversation"),
    "too many tokens": ({"max_output_tokens": 0}, "invalid_value", "max_output_tokens"),
    "a format without schema": ({"text": {"format": {"type": "json_schema", "name": "x"}}}, "invalid_value", "text.format"),
    "a reference in the format": ({"text": {"format": {"type": "json_schema", "name": "x", "schema": {"$ref": "https://example.org/x"}}}}, "invalid_schema", "text.format.schema"),
    "an unknown tool choice": ({"tools": [TOOL], "tool_choice": {"type": "function", "name": "x"}}, "invalid_value", "tool_choice"),
    "a tool choice of another kind": ({"tools": [TOOL], "tool_choice": {"type": "mcp", "server_label": "x"}}, "invalid_value", "tool_choice.type"),
    "required without tools": ({"tool_choice": "required", "tools": [{"type": "web_search"}]}, "invalid_value", "tool_choice"),
    "an unknown response": ({"previous_response_id": "resp_1"}, "previous_response_not_found", "previous_response_id"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults_name_the_place_in_the_request(shared, name):
    fields, code, param = FAULTS[name]
    response = shared.client.post("/v1/responses", json={"model": shared.model, "input": "Hi", **fields})
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["param"]) == (400, code, param), error
    assert error["message"].startswith(param.partition("[")[0]) and error["type"] == "invalid_request_error"


def test_a_prompt_that_is_too_long_is_a_fault_of_the_input(tmp_path):
    with scripted_server(refused(400, "too many tokens")) as server, in_front_of(tmp_path, server) as gateway:
        error = respond(gateway, model="hermes").json()["error"]
    assert (error["code"], error["param"]) == ("context_length_exceeded", "input")

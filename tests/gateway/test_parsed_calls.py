"""Calls that a server parsed are passed on as they are, and checked."""

import json

import pytest

from tests.engines.remote.scripted_server import delta, scripted_server
from tests.gateway.serving import QUESTION, WEATHER, message_of
from tests.gateway.upstream import answered, in_front_of, more, opened

TOOLS = [WEATHER]


@pytest.mark.parametrize(
    ("name", "arguments", "codes"),
    [
        ("get_weather", '{"city": "Rome"}', []),
        ("get_wether", '{"city": "Rome"}', ["unknown-tool"]),
        ("get_weather", '{"town": "Rome"}', ["schema-missing-required"]),
        ("get_weather", "{'city': 'Oslo',}", ["python-literal", "trailing-comma"]),
        ("get_weather", '{"city": "Oslo"}{"city": "Oslo"}', ["invalid-json"]),
        ("get_weather", '{"city": "Os', ["invalid-json"]),
    ],
)
def test_what_is_wrong_with_a_parsed_call_is_reported(tmp_path, name, arguments, codes):
    answer = answered(opened(name), more(arguments), finish="tool_calls")
    with scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat(model="hermes", tools=TOOLS).json()
        chunks = gateway.stream(model="hermes", tools=TOOLS)
    [call] = plain["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": name, "arguments": arguments}
    assert sorted(plain["hermes"]["findings"]) == codes
    assert chunks[-1]["hermes"] == plain["hermes"]


def test_the_ids_and_the_raw_text_are_those_of_the_server(tmp_path):
    arguments = '{ "city" :"Rome" }'
    answer = answered(opened("get_weather", 0), more(arguments), opened("get_weather", 1, arguments))
    with scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat(model="hermes", tools=TOOLS, headers={"X-Hermes-Raw": "1"}).json()
        streamed = message_of(gateway.stream(model="hermes", tools=TOOLS))
    calls = plain["choices"][0]["message"]["tool_calls"]
    assert [call["id"] for call in calls] == ["chatcmpl-tool-0", "chatcmpl-tool-1"]
    assert [call["id"] for call in streamed["tool_calls"]] == ["chatcmpl-tool-0", "chatcmpl-tool-1"]
    assert plain["hermes"]["raw"].count(arguments) == 2


def test_a_parsed_call_that_is_cut_off_counts_as_dropped(tmp_path):
    answer = answered(opened("get_weather"), more('{"city": "Os'), finish="length")
    with scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat(model="hermes", tools=TOOLS).json()
    assert plain["hermes"] == {"fixes": [], "findings": ["truncated"], "dropped": 1}
    assert plain["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize("later_id", [{}, {"id": None}])
def test_a_name_in_pieces_is_one_name(tmp_path, later_id):
    second = delta(tool_calls=[{"index": 0, **later_id, "function": {"name": "weather", "arguments": ""}}])
    answer = answered(opened("get_"), second, more('{"city": "Rome"}'), finish="tool_calls")
    with scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat(model="hermes", tools=TOOLS).json()["choices"][0]["message"]
        streamed = message_of(gateway.stream(model="hermes", tools=TOOLS))
    for message in (plain, streamed):
        [call] = message["tool_calls"]
        assert call["function"] == {"name": "get_weather", "arguments": '{"city": "Rome"}'}


def called(**call):
    function = {"name": "get_weather", "arguments": '{"city": "Rome"}'}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"type": "function", "function": function, **call}],
    }


@pytest.mark.parametrize(
    ("history", "codes"),
    [
        ([called(id="a"), {"role": "tool", "id": "a", "content": "18"}], []),
        ([called(), {"role": "tool", "name": "get_weather", "content": "18"}], ["result-without-id"]),
        ([called(id="a"), {"role": "tool", "content": "18"}], ["result-without-id"]),
        (
            [
                {
                    "role": "assistant",
                    "content": None,
                    "function_call": called()["tool_calls"][0]["function"],
                },
                {"role": "function", "name": "get_weather", "content": "18"},
            ],
            ["result-without-id"],
        ),
    ],
)
def test_results_without_an_id_are_matched(tmp_path, history, codes):
    answer = answered(delta(content="18 degrees."))
    with scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat([*QUESTION, *history], model="hermes", tools=TOOLS)
        assert plain.status_code == 200, plain.text
        [request] = server.requests
    assert plain.json()["hermes"]["findings"] == codes
    result = request.body["messages"][-1]
    assert (result["role"], result["content"]) == ("tool", "18")
    assert result["tool_call_id"] == request.body["messages"][-2]["tool_calls"][0]["id"]


def test_arguments_in_the_history_that_are_not_json_are_reported(tmp_path):
    history = [
        {"role": "assistant", "content": [], "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Os'}}]},
        {"role": "tool", "tool_call_id": "a", "content": "18"},
    ]  # fmt: skip
    answer = answered(delta(content="18 degrees."))
    with scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat([*QUESTION, *history], model="hermes", tools=TOOLS).json()
        [request] = server.requests
    assert plain["hermes"]["findings"] == ["arguments-not-object"]
    assert '{\\"city\\": \\"Os' in json.dumps(request.body["messages"])


def test_allowed_tools_are_the_offered_ones(tmp_path):
    other = {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}
    choice = {
        "type": "allowed_tools",
        "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "now"}}]},
    }
    with (
        scripted_server(answered(opened("get_weather"), more('{"city": "Rome"}'))) as server,
        in_front_of(tmp_path, server) as gateway,
    ):
        plain = gateway.chat(model="hermes", tools=[WEATHER, other], tool_choice=choice).json()
        [request] = server.requests
    assert [tool["function"]["name"] for tool in request.body["tools"]] == ["now"]
    assert plain["hermes"]["findings"] == ["unknown-tool"]


def test_the_older_spelling_of_tools_is_answered_in_it(tmp_path):
    answer = answered(opened("get_weather"), more('{"city": "Rome"}'), finish="tool_calls")
    with scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        request = {"model": "hermes", "functions": [WEATHER["function"]], "function_call": "auto"}
        plain = gateway.chat(**request).json()["choices"][0]
        chunks = gateway.stream(**request)
    expected = {"name": "get_weather", "arguments": '{"city": "Rome"}'}
    assert plain["message"]["function_call"] == expected and plain["finish_reason"] == "function_call"
    pieces = [chunk["choices"][0]["delta"].get("function_call") or {} for chunk in chunks]
    assert "".join(piece.get("name", "") for piece in pieces) == "get_weather"
    assert "".join(piece.get("arguments", "") for piece in pieces) == expected["arguments"]
    assert chunks[-1]["choices"][0]["finish_reason"] == "function_call"

"""The plugin for vLLM reads as the workbench does, whole and in pieces, against a stand-in for vLLM's interface."""

import json
from pathlib import Path

import pytest

import workbench.gateway
from tests.gateway import vllm_stand_in as vllm
from workbench import parse, parse_tools

PLUGIN = Path(workbench.gateway.__file__).with_name("vllm_plugin.py")
SPEC = {
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
REQUEST = vllm.ChatCompletionRequest(tools=[{"function": SPEC}])


def call(arguments, name="get_weather"):
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


TEXTS = [
    "It is sunny. 3 < 4.",
    call('{"city": "Paris", "days": 10}'),
    "I look.\n" + call('{"city": "Paris"}') + "\n" + call('{"city": "Rome", "days": 2}'),
    call('{"city":"Paris","days":10}'),
    call("{'city': 'Paris', 'days': '3',}"),
    call('{"city": "Zürich \\u2603"}'),
    "<think>Which city?</think>" + call('{"city": "Paris"}'),
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>",
    call('{"city": "Paris"}', name="get_wether"),
    call("{}"),
]


@pytest.fixture(params=[True, False], ids=["old layout", "new layout"])
def parser(request):
    with vllm.installed(is_old=request.param):
        vllm.import_tool_parser(PLUGIN)
        yield vllm.ToolParserManager.tool_parsers.pop("hermes_workbench")(object())


def expected(text):
    reading = parse(text, tools=parse_tools([SPEC]))
    return [(call.name, dict(call.arguments)) for call in reading.calls]


@pytest.mark.parametrize("text", TEXTS)
def test_a_whole_completion_has_the_calls_that_the_reader_finds(parser, text):
    found = parser.extract_tool_calls(text, REQUEST)
    assert [
        (call.function.name, json.loads(call.function.arguments)) for call in found.tool_calls
    ] == expected(text)
    assert found.tools_called == bool(found.tool_calls)
    assert "tool_call" not in (found.content or "")
    assert len({call.id for call in found.tool_calls}) == len(found.tool_calls)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("size", [1, 3, 10])
def test_a_streamed_completion_adds_up_to_the_same(parser, text, size):
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    content, calls, reason = vllm.serve(parser, pieces, REQUEST)
    assert [(call["name"], json.loads(call["arguments"])) for call in calls] == expected(text)
    assert content.strip() == (parser.extract_tool_calls(text, REQUEST).content or "").strip()
    assert reason == ("tool_calls" if calls else "stop")


def test_arguments_arrive_while_the_model_writes_them(parser):
    text = call('{"city": "a very long name of a city"}')
    streamed = [
        delta.tool_calls[0].function.arguments
        for end in range(1, len(text) + 1)
        if (
            delta := parser.extract_tool_calls_streaming(
                text[: end - 1], text[:end], text[end - 1], [], [], [], REQUEST
            )
        )
    ]
    assert len(streamed) > 20


@pytest.mark.parametrize("cut", range(60, 100))
def test_a_call_that_is_cut_off_never_becomes_valid_arguments(parser, cut):
    text = call('{"city": "Paris", "days": 10, "city2": "Rome", "city3": "Berlin"}')[:cut]
    _, calls, _ = vllm.serve(parser, [text[:50], *text[50:]], REQUEST)
    with pytest.raises(json.JSONDecodeError):
        json.loads(calls[0]["arguments"])


def test_the_next_completion_begins_from_the_start(parser):
    for _ in range(2):
        _, calls, _ = vllm.serve(parser, list(TEXTS[1]), REQUEST)
        assert [json.loads(call["arguments"]) for call in calls] == [{"city": "Paris", "days": 10}]


def test_a_client_that_allows_one_call_gets_one(parser):
    request = REQUEST.model_copy(update={"parallel_tool_calls": False})
    assert len(parser.extract_tool_calls(TEXTS[2], request).tool_calls) == 1


def test_special_tokens_stay_in_the_text_if_there_are_tools(parser):
    assert parser.adjust_request(REQUEST.model_copy()).skip_special_tokens is False
    assert parser.adjust_request(vllm.ChatCompletionRequest()).skip_special_tokens is True


def test_a_schema_that_cannot_be_used_does_not_lose_calls(parser):
    broken = {"name": "get_weather", "parameters": {"type": "objekt"}}
    request = vllm.ChatCompletionRequest(tools=[{"function": broken}])
    assert len(parser.extract_tool_calls(TEXTS[1], request).tool_calls) == 1

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


@pytest.fixture(params=vllm.LAYOUTS.values(), ids=list(vllm.LAYOUTS))
def parser(request):
    with vllm.installed(request.param):
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


def test_a_default_that_allows_one_call_is_not_the_wish_of_a_client(parser):
    class Request(vllm.ChatCompletionRequest):
        parallel_tool_calls: bool | None = False

    request = Request(tools=REQUEST.tools)
    assert len(parser.extract_tool_calls(TEXTS[2], request).tool_calls) == 2


def test_special_tokens_stay_in_the_text_if_there_are_tools(parser):
    assert parser.adjust_request(REQUEST.model_copy()).skip_special_tokens is False
    assert parser.adjust_request(vllm.ChatCompletionRequest()).skip_special_tokens is True


XML = "<tool_call>\n<function=get_weather>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"
ODD = [
    ("a type that JSON Schema does not have", {"type": "objekt"}),
    ("a parameter of an unknown type", {"properties": {"a": {"type": "zahl"}}}),
    ("a pattern with look-ahead", {"type": "object", "properties": {"a": {"pattern": "^(?!x)"}}}),
    ("no schema", None),
    ("a text in place of a schema", "none"),
]


def found(parser, text, *tools):
    request = vllm.ChatCompletionRequest.model_construct(
        tools=[Bare(function=Bare(**tool)) if "name" in tool else Bare(**tool) for tool in tools],
        parallel_tool_calls=True,
    )
    calls = parser.extract_tool_calls(text, request).tool_calls
    return [(call.function.name, json.loads(call.function.arguments)) for call in calls]


class Bare:
    """A tool as a server holds it. Its schema is not checked."""

    def __init__(self, **fields):
        vars(self).update(fields)


@pytest.mark.parametrize("schema", [row[1] for row in ODD], ids=[row[0] for row in ODD])
def test_an_odd_schema_costs_neither_its_calls_nor_the_types_of_other_tools(parser, schema):
    odd = {"name": "odd", "parameters": schema}
    typed = [("get_weather", {"days": 3})]
    assert found(parser, XML, SPEC, odd) == typed
    assert found(parser, XML, odd, SPEC) == typed
    assert found(parser, call('{"a": 1}', name="odd"), SPEC, odd) == [("odd", {"a": 1})]


def test_a_null_in_a_schema_is_part_of_it(parser):
    properties = {"days": {"enum": [None, 3]}, "city": {"const": None}}
    text = XML.replace("\n3\n", "\nnull\n")
    tool = {"name": "get_weather", "parameters": {"type": "object", "properties": properties}}
    assert found(parser, text, tool) == [("get_weather", {"days": None})]


def test_the_tools_of_the_responses_api_have_their_name_and_schema_at_the_top(parser):
    function = Bare(type="function", **SPEC)
    search = Bare(type="web_search")
    request = vllm.ChatCompletionRequest.model_construct(tools=[search, function])
    (call,) = parser.extract_tool_calls(XML, request).tool_calls
    assert json.loads(call.function.arguments) == {"days": 3}

"""Rows of other APIs, trainers and logs are read in each form that these allow."""

import json

import pytest

from tests.trajectory.formats.shapes import (
    ANSWER,
    ANTHROPIC,
    BERGEN,
    CHAT,
    COMPLETION,
    OSLO,
    QUESTION,
    SHAPES,
    SYSTEM,
    TOOL,
)
from workbench.trajectory.formats.known import FORMATS, detect_format
from workbench.trajectory.row_pointer import value_in_row
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.validate.check import check_completely


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        ('{"name": "get_weather", "parameters": {"city": "Oslo"}}', {"city": "Oslo"}),
        ('{"name": "get_weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}', {"city": "Oslo"}),
        ({"name": "get_weather", "arguments": {"city": "Oslo"}}, {"city": "Oslo"}),
        ("{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}", {"city": "Oslo"}),
    ],
    ids=["parameters", "text", "object", "python"],
)
def test_ms_swift_s_calls_are_read_as_its_trainer_reads_them(content, arguments):
    messages = [{"role": "user", "content": "q"}, {"role": "tool_call", "content": content}]
    reading = read_trajectory(FORMATS["ms-swift"].read({"messages": messages}))
    assert reading.problems == ()
    (call,) = reading.trajectory.messages[1].calls
    assert (call.name, call.arguments) == ("get_weather", arguments)


def test_a_tool_of_the_api_s_own_servers_stays_in_the_column():
    search = {"type": "web_search_20250305", "name": "web_search"}
    row = {**ANTHROPIC, "tools": [*ANTHROPIC["tools"], search]}
    read = FORMATS["anthropic-messages"].read(row)
    assert read.tools.names == ("get_weather",)
    assert read.columns["tools"] == [search]
    block = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
    row = {"messages": [{"role": "assistant", "content": [block]}]}
    assert [finding.pointer for finding in FORMATS["anthropic-messages"].read(row).findings] == [
        "/messages/0/content/0"
    ]
    row = {"input": [{"role": "user", "content": "q"}, {"type": "web_search_call", "id": "ws_1"}]}
    assert [
        (finding.code, finding.pointer) for finding in FORMATS["openai-responses"].read(row).findings
    ] == [("unknown-role", "/input/1")]


def test_a_custom_tool_takes_one_text():
    row = {
        "input": [
            {"role": "user", "content": "Fix it."},
            {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": "*** Begin"},
            {"type": "custom_tool_call_output", "call_id": "c", "output": "Done"},
        ],
        "output": "Fixed.",
        "tools": [{"type": "custom", "name": "apply_patch", "description": "Patch."}],
    }
    trajectory = read_trajectory(detect_format(row).read(row)).trajectory
    assert trajectory.messages[1].calls[0].arguments == {"input": "*** Begin"}
    assert trajectory.messages[1].others == {"custom": True}
    assert trajectory.messages[3].prose[0].text == "Fixed."
    assert check_completely(detect_format(row).read(row)).findings == ()


@pytest.mark.parametrize(
    ("row", "texts", "pointers_of_texts", "columns"),
    [
        (
            {"input": CHAT[:2], "ideal": ANSWER},
            [SYSTEM, QUESTION, ANSWER],
            ["/input/0/content", "/input/1/content", "/ideal"],
            {},
        ),
        (
            {"input": QUESTION, "ideal": [ANSWER, "Oslo"], "id": 3},
            [QUESTION, ANSWER],
            ["/input", "/ideal/0"],
            {"ideal": [ANSWER, "Oslo"], "id": 3},
        ),
    ],
    ids=["messages", "text"],
)
def test_samples_of_evals_end_with_the_ideal_answer(row, texts, pointers_of_texts, columns):
    read = detect_format(row).read(row)
    assert read.format == "openai-evals"
    assert [entry.text for entry in read.entries] == texts
    assert [entry.text_pointer for entry in read.entries] == pointers_of_texts
    assert read.columns == columns
    assert check_completely(read).findings == ()


def test_rows_inside_of_rows_may_be_of_any_format():
    inside = {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]}
    text = {"conversations": json.dumps(inside["conversations"])}
    pair = {
        "chosen": json.dumps([CHAT[1], CHAT[-1]]),
        "rejected": json.dumps([CHAT[1], {**CHAT[-1], "content": "no"}]),
    }
    for row, pointer in (
        ({"row_idx": 0, "row": inside}, "/row/conversations/0/value"),
        (text, "/conversations/0/value"),
        ({"row_idx": 0, "row": text}, "/row/conversations/0/value"),
        (pair, "/chosen/0/content"),
    ):
        read = detect_format(row).read(row)
        assert read.entries[0].text_pointer == pointer
        assert value_in_row(row, pointer) == read.entries[0].text
        assert check_completely(read).findings == ()
    # A text answer that looks like a list is not a conversation.
    assert detect_format({"prompt": "q", "chosen": '[{"a": 1}]', "rejected": "[]"}).name == "dpo"


@pytest.mark.parametrize(
    ("row", "pointer"),
    [
        ({"request": {"messages": CHAT[:-1]}, "response": ANSWER}, "/response"),
        ({"request": {"messages": CHAT[:-1]}, "response": CHAT[-1]}, "/response/content"),
        (
            {"request_body": {"messages": CHAT[:-1]}, "response_body": {"choices": [{"text": ANSWER}]}},
            "/response_body/choices/0/text",
        ),
        ({"messages": CHAT[:-1], "choices": [{"message": CHAT[-1]}]}, "/choices/0/message/content"),
    ],
    ids=["text", "message", "completion", "beside"],
)
def test_the_answer_of_a_log_may_be_a_message_or_a_text(row, pointer):
    read = detect_format(row).read(row)
    assert (read.format, read.entries[-1].text) == ("request-log", ANSWER)
    assert read.entries[-1].text_pointer == pointer
    assert read.columns == {}


def test_a_logged_answer_with_calls_and_further_choices_is_kept():
    choices = [{"index": 0, "message": {**CHAT[2], "annotations": []}}, {"index": 1, "message": CHAT[-1]}]
    row = {"request": {"messages": CHAT[:2], "tools": [TOOL]}, "response": {"choices": choices}}
    read = detect_format(row).read(row)
    assert [call.arguments for call in read.entries[-1].calls] == [OSLO, BERGEN]
    assert read.entries[-1].others == {}
    assert read.columns == {"response": {"choices": [{"index": 0}, choices[1]]}}
    assert check_completely(read).findings == ()
    failed = {"request": {"messages": CHAT[:2]}, "response": None, "error": {"code": 429}}
    assert [finding.code for finding in check_completely(detect_format(failed).read(failed)).findings] == [
        "last-not-assistant"
    ]


def test_two_members_of_the_same_name_are_both_kept():
    block = {"type": "text", "text": "a", "status": "x"}
    row = {"messages": [{"role": "assistant", "content": [block], "status": "y"}], "system": "s"}
    assert FORMATS["anthropic-messages"].read(row).entries[-1].others == {"status": ["y", "x"]}


def test_a_log_decodes_only_the_texts_that_hold_the_conversation():
    note = '{"a":1}'
    row = {"request": json.dumps({"messages": CHAT[:-1]}), "response": ANSWER, "note": note}
    assert detect_format(row).read(row).columns == {"note": note}
    spend = {
        "messages": "{}",
        "proxy_server_request": json.dumps({"messages": CHAT[:-1], "tools": [TOOL], "model": "m"}),
        "response": json.dumps(COMPLETION),
    }
    read = detect_format(spend).read(spend)
    assert (read.format, len(read.entries), read.tools.names) == ("request-log", 6, ("get_weather",))
    assert read.columns["proxy_server_request"] == {"model": "m"}


def test_a_log_of_a_server_without_a_parser_has_calls_in_its_texts():
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    row = {
        "request": {"messages": CHAT[:2], "tools": [TOOL]},
        "response": {"choices": [{"message": {"role": "assistant", "content": text}}]},
    }
    trajectory = read_trajectory(detect_format(row).read(row)).trajectory
    assert [call.arguments for call in trajectory.messages[-1].calls] == [{"city": "Oslo"}]


@pytest.mark.parametrize("name", ["anthropic", "responses"])
def test_tools_may_be_a_text_of_json(name):
    row = SHAPES[name][1]
    row = {**row, "tools": json.dumps(row["tools"])}
    (spec,) = detect_format(row).read(row).tools.specs
    assert spec.name == "get_weather"
    assert spec.parameters == TOOL["function"]["parameters"]


@pytest.mark.parametrize("value", [{"t": 4}, 4, {"text": "warm"}])
def test_a_result_that_is_a_json_value_stays_one(value):
    call = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
    swift = {
        "messages": [{"role": "tool_call", "content": call}, {"role": "tool_response", "content": value}]
    }
    responses = {"input": [{"type": "function_call_output", "call_id": "c", "output": value}]}
    for row in (swift, responses):
        entry = detect_format(row).read(row).entries[-1]
        assert [result.text for result in entry.results] == [json.dumps(value)]
        assert entry.others == {}

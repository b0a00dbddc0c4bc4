"""Rows of other APIs, libraries and servers are read completely, with pointers into the row itself."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trajectory.formats.shapes import (
    ANSWER,
    ANTHROPIC,
    BERGEN,
    CACHE,
    CHAT,
    COMPLETION,
    OSLO,
    QUESTION,
    RESPONSES,
    RESULTS,
    SHAPES,
    SWIFT,
    SYSTEM,
    THOUGHT,
    TOOL,
    V1,
    talk,
)
from workbench.chat.json_value import pointer_parts
from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.row_pointer import leads_somewhere, value_in_row, with_value
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import Call, is_same_trajectory
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.repair import repair_row
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions

rows = pytest.mark.parametrize(("name", "row"), SHAPES.values(), ids=SHAPES)


def without_others(messages):
    """Return messages without the members that only some shapes have."""
    return tuple(
        replace(
            message,
            others={},
            parts=tuple(
                replace(part, others={}) if isinstance(part, Call) else part for part in message.parts
            ),
        )
        for message in messages
    )


def pointers(row):
    """Yield all pointers of a row that was read."""
    for entry in row.all_entries:
        yield entry.pointer
        yield entry.text_pointer
        for call in entry.calls:
            yield call.pointer
            yield call.arguments_pointer
        for result in entry.results:
            yield result.pointer
    for declaration in row.declarations:
        yield declaration.pointer
    for finding in row.findings:
        yield finding.pointer


@rows
def test_each_shape_is_recognised_and_means_the_same(name, row):
    assert detect_format(row).name == name
    reading = read_trajectory(FORMATS[name].read(row))
    assert reading.problems == ()
    assert reading.changes == ()
    has_ids = name not in ("ms-swift", "llamafactory-v1")
    assert without_others(reading.trajectory.messages) == talk(has_ids=has_ids)
    (spec,) = reading.trajectory.tools.specs
    assert spec.function == {**TOOL["function"], **({"strict": True} if "strict" in spec.function else {})}


@rows
def test_each_shape_is_checked_without_a_finding(name, row):
    assert check_completely(FORMATS[name].read(row)).findings == ()


@rows
@pytest.mark.parametrize("to", [to for to in WRITTEN if FORMATS[to].content is RowContent.CONVERSATION])
def test_each_shape_can_be_converted(name, row, to):
    done = convert_row(row, FORMATS[name], FORMATS[to], RowOptions())
    back = read_trajectory(FORMATS[to].read(done.row)).trajectory
    # What is left of the shape in the columns does not make it look like one.
    assert is_same_trajectory(read_trajectory(detect_format(done.row).read(done.row)).trajectory, back)
    assert [prose.text for message in back.messages for prose in message.prose][-1] == ANSWER
    assert [call.arguments for message in back.messages for call in message.calls] == [OSLO, BERGEN]


@rows
def test_pointers_lead_into_the_row_itself(name, row):
    read = FORMATS[name].read(row)
    assert all(leads_somewhere(row, pointer) for pointer in pointers(read))
    system, question, call, *results, _answer = read.entries
    assert SYSTEM in json.dumps(value_in_row(row, system.pointer))
    assert value_in_row(row, question.text_pointer) == QUESTION
    for given_call, arguments in zip(call.calls, (OSLO, BERGEN), strict=True):
        written = value_in_row(row, given_call.arguments_pointer)
        written = json.loads(written) if isinstance(written, str) else written
        assert written.get("arguments", written) == arguments
    for entry, text in zip(results, RESULTS, strict=True):
        assert value_in_row(row, entry.results[0].pointer) == text


def others_of(row):
    """Return the other members of the row's messages by index; no call has any."""
    messages = read_trajectory(detect_format(row).read(row)).trajectory.messages
    assert not any(call.others for message in messages for call in message.calls)
    return {index: message.others for index, message in enumerate(messages) if message.others}


def test_what_only_anthropic_has_is_kept():
    assert others_of(ANTHROPIC) == {
        0: {"cache_control": CACHE},
        2: {"signature": "EqoBCkgIBRABGAIiQ", "cache_control": CACHE},
        4: {"is_error": True},
    }
    assert detect_format(ANTHROPIC).read(ANTHROPIC).columns == {
        "model": "claude-opus-4-6",
        "max_tokens": 2048,
    }


def test_what_only_responses_have_is_kept():
    assert others_of(RESPONSES) == {
        2: {
            "reasoning.id": "rs_1",
            "encrypted_content": "gAAAAABo",
            "message.id": "msg_1",
            "status": ["completed", "completed"],
            "function_call.id": ["fc_1", "fc_2"],
        },
        5: {"message.id": "msg_2", "status": "completed"},
    }
    assert detect_format(RESPONSES).read(RESPONSES).columns == {"model": "gpt-5.1"}


@pytest.mark.parametrize("name", ["langchain-dump", "langchain-dicts", "langchain-lc"])
def test_what_only_langchain_has_is_kept(name):
    row = SHAPES[name][1]
    assert others_of(row) == {
        1: {"name": "ana"},
        2: {
            "response_metadata": {"model_name": "gpt-4o", "finish_reason": "tool_calls"},
            "id": "run-1",
            "usage_metadata": {"input_tokens": 90, "output_tokens": 31, "total_tokens": 121},
        },
        4: {"artifact": {"code": 404}, "status": "error"},
    }
    assert detect_format(row).read(row).columns == {"thread": "t1"}


def test_a_log_keeps_all_but_the_conversation_in_its_columns():
    rest = {key: value for key, value in COMPLETION.items() if key != "choices"}
    choice = {"index": 0, "logprobs": None, "finish_reason": "stop"}
    columns = {name: detect_format(row).read(row).columns for name, (_format, row) in SHAPES.items()}
    assert columns["log"] == {
        "timestamp": "2026-11-27T10:00:00Z",
        "request": {"model": "gpt-4o", "temperature": 0.2},
        "response": {**rest, "choices": [choice]},
    }
    assert columns["log-text"] == {key: columns["log"][key] for key in ("request", "response")}
    assert columns["log-batch"]["request"] == {
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"model": "gpt-4o", "temperature": 0.2},
    }
    assert columns["log-litellm"]["model_parameters"] == {"temperature": 0.2}
    assert columns["log-stored"] == {**rest, "choices": [choice], "metadata": {"suite": "weather"}}
    assert columns["log-anthropic"]["response"]["stop_reason"] == "end_turn"
    assert columns["log-responses"]["response"] == {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
    }
    assert columns["server"] == {"source": "x", "row_idx": 17}
    assert columns["text"] == {"source": "x"}


MARK = "4711"


SAY_NOTHING = ("/tool_calls/-/type", "/messages/-/lc", "/messages/-/type", "/messages/-/id/-")
"""Places whose value says nothing beside what is read: the type of a function call, and LangChain's class path."""


def places(value, pointer=""):
    """Yield the pointer to each value inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        here = f"{pointer}/{key}"
        yield here
        yield from places(inner, here)


def damaged(row, value):
    """Yield the row with the value at each place, once, with the pointer to it."""
    for pointer in places(row):
        yield pointer, with_value(row, pointer_parts(pointer), value)


@rows
@pytest.mark.parametrize("value", [None, int(MARK), True, MARK, [], [MARK], {}, {"x": MARK}], ids=repr)
def test_a_wrong_type_anywhere_is_found_or_kept(name, row, value):
    form = FORMATS[name]
    vanished = []
    for pointer, wrong in damaged(row, value):
        read = form.read(wrong)
        assert read.fields is wrong
        if name != "openai":
            assert [there for there in pointers(read) if not leads_somewhere(wrong, there)] == [], pointer
        reading = read_trajectory(read)
        # What is not in the trajectory is reported.
        if MARK in str(value) and not read.findings and MARK not in str(reading.trajectory):
            vanished.append(re.sub(r"/\d+", "/-", pointer))
        check_completely(read)
    assert [pointer for pointer in vanished if not pointer.endswith(SAY_NOTHING)] == []


VALUES = st.sampled_from(sorted(set(re.findall(r'"([^"\\]+)"', json.dumps(list(SHAPES.values()))))))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(VALUES, inner, max_size=5),
    max_leaves=25,
)
NAMES = sorted({name for name, _row in SHAPES.values()} - {"openai"})


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(row=st.dictionaries(VALUES, JSON, max_size=5))
def test_no_row_with_these_keys_raises(row):
    before = json.dumps(row)
    for name in NAMES:
        read = FORMATS[name].read(row)
        assert all(leads_somewhere(row, pointer) for pointer in pointers(read))
        assert [entry.place for entry in read.entries if entry.place >= 0] == [
            *range(sum(entry.place >= 0 for entry in read.entries))
        ]
        check_completely(read)
        done = convert_row(row, FORMATS[name], FORMATS["trl"], RowOptions())
        assert (done.row is None) == bool(done.problems)
    assert json.dumps(row) == before


def written(to, row=SHAPES["log"][1], **options):
    """Return a row converted to a format, without the columns that only it has."""
    done = convert_row(row, detect_format(row), FORMATS[to], RowOptions(**options))
    assert done.problems == ()
    return {key: done.row[key] for key in done.row if key in ("messages", "tools")}, done.changes


def test_ms_swift_is_written_as_its_documentation_shows_it():
    row, changes = written("ms-swift")
    assert row == {key: SWIFT[key] for key in ("messages", "tools")}
    assert {change.code for change in changes} == {"ids"}
    done = convert_row(SWIFT, FORMATS["ms-swift"], FORMATS["ms-swift"], RowOptions())
    assert (done.row, done.changes) == (SWIFT, ())


def test_llamafactory_s_version_1_is_written_as_its_demo_shows_it():
    row, changes = written("llamafactory-v1")
    assert row == V1
    assert {change.code for change in changes} == {"ids"}
    done = convert_row(V1, FORMATS["llamafactory-v1"], FORMATS["llamafactory-v1"], RowOptions())
    assert (done.row, done.changes) == (V1, ())


def test_a_mask_is_written_in_the_trainer_s_own_convention():
    masked = [*CHAT[:2], {**CHAT[2], "weight": 0}, *CHAT[3:]]
    swift, _changes = written("ms-swift", {"messages": masked, "tools": [TOOL]})
    assert [message.get("loss") for message in swift["messages"]] == [None, None, False, *[None] * 5]
    v1, changes = written("llamafactory-v1", {"messages": masked, "tools": [TOOL]})
    assert [message["loss_weight"] for message in v1["messages"]] == [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert {change.code for change in changes} == {"ids"}
    for row in (swift, v1):
        assert written("openai", row)[0]["messages"][2]["weight"] == 0
    trained = [CHAT[0], {**CHAT[1], "weight": 1}, *CHAT[2:]]
    v1, changes = written("llamafactory-v1", {"messages": trained, "tools": [TOOL]})
    assert v1["messages"][1]["loss_weight"] == 1.0
    assert {change.code for change in changes} == {"ids"}


def test_a_thought_before_calls_only_is_a_message_of_its_own_in_ms_swift():
    bare = [*CHAT[:2], {**CHAT[2], "content": None}, *CHAT[3:]]
    row, _changes = written("ms-swift", {"messages": bare, "tools": [TOOL]})
    assert row["messages"][2] == {"role": "assistant", "content": f"<think>\n{THOUGHT}\n</think>\n"}
    reading = read_trajectory(FORMATS["ms-swift"].read(row)).trajectory
    assert [type(part).__name__ for part in reading.messages[2].parts] == ["Thought", "Call", "Call"]


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


@pytest.mark.parametrize(
    ("name", "row", "pointer"),
    [
        ("ms-swift", {"messages": [{"role": "tool_call", "content": "call f"}]}, "/messages/0/content"),
        ("ms-swift", {"messages": [{"role": "tool_call", "content": "[]"}]}, "/messages/0/content"),
        (
            "llamafactory-v1",
            {
                "messages": [
                    {"role": "assistant", "content": [{"type": "tool_call", "value": '[{"name": "f"}]'}]}
                ]
            },
            "/messages/0/content/0/value",
        ),
        (
            "anthropic-messages",
            {
                "messages": [
                    {"role": "assistant", "content": [{"type": "tool_use", "name": "f", "input": "x"}]}
                ]
            },
            "/messages/0/content/0/input",
        ),
        (
            "openai-responses",
            {"input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{a"}]},
            "/input/0/arguments",
        ),
        (
            "langchain",
            {
                "messages": [
                    {
                        "type": "ai",
                        "content": "",
                        "invalid_tool_calls": [{"name": "f", "args": "{a", "id": "c", "error": "bad"}],
                    }
                ]
            },
            "/messages/0/invalid_tool_calls/0/args",
        ),
    ],
)
def test_a_call_that_cannot_be_read_is_found_at_its_place(name, row, pointer):
    assert detect_format(row).name == name
    read = FORMATS[name].read(row)
    assert [(finding.code, finding.pointer) for finding in read.findings] == [("call-unreadable", pointer)]
    assert read.entries[0].tagged_text is None or "<tool_call>" in read.entries[0].tagged_text


def test_parts_in_another_order_are_reported():
    content = [
        {"type": "tool_use", "id": "a", "name": "f", "input": {}},
        {"type": "text", "text": "I asked f."},
    ]
    row = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": content}]}
    reading = read_trajectory(FORMATS["anthropic-messages"].read(row))
    assert [(change.code, change.entry) for change in reading.changes] == [("part-order", 1)]
    items = [{"role": "user", "content": "q"}, *({"role": "assistant", "content": text} for text in "ab")]
    reading = read_trajectory(FORMATS["openai-responses"].read({"input": items}))
    assert [message.prose[0].text for message in reading.trajectory.messages] == ["q", "a\n\nb"]
    assert [(change.code, change.entry) for change in reading.changes] == [("part-order", 1)]


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


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"input": QUESTION, "ideal": 5}, [("missing-field", "/ideal")]),
        ({"input": QUESTION, "ideal": []}, [("missing-field", "/ideal")]),
        ({"row_idx": 1, "row": {"x": 1}}, [("unknown-format", "")]),
        (
            {"row_idx": 1, "row": {"messages": CHAT[:2]}, "truncated_cells": ["messages"]},
            [("missing-field", "/truncated_cells")],
        ),
        ({"messages": "[{'role': 'user'}]"}, [("missing-field", "/messages")]),
        ({"request": {"messages": 5}, "response": {"choices": []}}, [("missing-field", "/request/messages")]),
        (
            {"input": {}, "preferred_output": "x", "non_preferred_output": None},
            [
                ("missing-field", "/input/messages"),
                ("missing-field", "/preferred_output"),
                ("missing-field", "/non_preferred_output"),
            ],
        ),
    ],
)
def test_what_is_missing_is_found(row, found):
    read = detect_format(row).read(row)
    assert [(finding.code, finding.pointer) for finding in read.findings] == found


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


def test_a_repair_changes_the_row_where_the_shape_has_it():
    null = {**BERGEN, "days": None}
    calls = ANTHROPIC["messages"][1]["content"]
    wrong = with_value(ANTHROPIC, pointer_parts("/messages/1/content/3/input"), null)
    repaired = repair_row(parse_texts(FORMATS["anthropic-messages"].read(wrong)))
    assert [(repair.code, repair.pointer) for repair in repaired.repairs] == [
        ("none-filled", "/messages/1/content/3/input")
    ]
    assert repaired.fields == ANTHROPIC
    assert calls == ANTHROPIC["messages"][1]["content"]
    text = {"messages": json.dumps(CHAT), "tools": [TOOL]}
    wrong = with_value(text, pointer_parts("/messages/2/tool_calls/1/function/arguments"), json.dumps(null))
    repaired = repair_row(parse_texts(FORMATS["json-texts"].read(wrong)))
    assert json.loads(repaired.fields["messages"]) == CHAT
    # Tools in another form are not written in the form of chat APIs.
    python = with_value(ANTHROPIC, pointer_parts("/tools/0/input_schema/properties/days/type"), "int")
    assert repair_row(parse_texts(FORMATS["anthropic-messages"].read(python))).fields is python
    texts = {"messages": CHAT, "tools": [json.dumps(TOOL).replace('"integer"', '"int"')]}
    assert repair_row(parse_texts(FORMATS["openai"].read(texts))).fields["tools"] == [json.dumps(TOOL)]


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

"""Rows are read with the position of every part, whatever is wrong with them."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.properties import examples
from tests.trajectory.validate.rows import findings_of
from workbench.chat.message import Role
from workbench.trajectory.formats.known import FORMATS, detect_format, format_named
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions

CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
SHAREGPT = {
    "id": 7,
    "conversations": [
        {"from": "system", "value": "Tools: <tools>\n{'name': 'f', 'parameters': None}\n</tools>"},
        {"from": "human", "value": " q\r\n"},
        {"from": "gpt", "value": CALL + CALL, "weight": 0},
        {
            "from": "tool",
            "value": "<tool_response>\n{}\n</tool_response>\n<tool_response>\n\nx\n</tool_response>\n",
        },
        {"from": "gpt", "value": "done"},
    ],
    "tools": '[{"type": "function", "function": {"name": "f"}}]',
    "source": "here",
}
OPENAI = {
    "messages": [
        {
            "role": "developer",
            "content": [{"type": "text", "text": "be"}, {"type": "text", "text": " brief"}],
        },
        {"role": "user", "content": "q"},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "hm",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
                {"id": "c2", "type": "function", "function": {"name": "f", "arguments": "{a"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
    ],
    "tools": [{"type": "function", "function": {"name": "f"}}],
    "parallel_tool_calls": True,
}


def read(row, name=None):
    form = format_named(name) if name else detect_format(row)
    return form.read(row)


def at(row, pointer):
    """Return the value at a JSON pointer."""
    for part in pointer.split("/")[1:]:
        row = row[int(part)] if isinstance(row, list) else row[part.replace("~1", "/").replace("~0", "~")]
    return row


def test_a_sharegpt_row_preserves_its_bytes_and_columns():
    row = read(SHAREGPT)
    assert row.format == "sharegpt"
    assert [entry.role for entry in row.entries] == ["system", "user", "assistant", "tool", "assistant"]
    assert [entry.text for entry in row.entries] == [entry["value"] for entry in SHAREGPT["conversations"]]
    assert [result.text for result in row.entries[3].results] == ["{}", "\nx"]
    assert row.entries[2].is_trained is False
    assert row.entries[4].is_trained is None
    assert row.columns == {"id": 7, "source": "here"}
    column, system = row.declarations
    assert (column.place, column.is_text, column.is_bare) == ("column", True, False)
    assert (system.place, system.pointer, system.is_bare) == ("system", "/conversations/0/value", True)
    assert row.tools.names == ("f",)
    assert row.findings == ()


def test_an_openai_row_gives_calls_outside_the_text():
    row = read(OPENAI)
    assert row.format == "openai"
    assert row.entries[0].text == "be brief"
    good, bad = row.entries[2].calls
    assert (good.name, good.arguments, good.arguments_text, good.id) == ("f", {"a": 1}, '{"a": 1}', "c1")
    assert bad.arguments is None
    assert at(OPENAI, bad.arguments_pointer) == "{a"
    assert row.entries[2].thought == "hm"
    assert row.entries[3].results[0].id == "c1"
    assert row.columns == {"parallel_tool_calls": True}
    assert [(finding.code, finding.entry, finding.pointer) for finding in row.findings] == [
        ("call-unreadable", 2, "/messages/2/tool_calls/1/function/arguments")
    ]


def test_an_empty_list_of_content_is_no_content():
    calls = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    row = read(
        {
            "messages": [
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": [], "tool_calls": calls},
                {"role": "tool", "content": [], "tool_call_id": "c1"},
                {"role": "assistant", "content": "Done."},
            ]
        }
    )
    assert row.findings == ()
    assert [entry.text for entry in row.entries] == ["Hi", "", "", "Done."]


def test_hermes_agent_results_are_records():
    value = '<tool_response>\n{"tool_call_id": "c", "name": "f", "content": {"t": 1}}\n</tool_response>'
    row = read({"conversations": [{"from": "tool", "value": value}], "completed": True})
    assert row.format == "hermes-agent"
    (result,) = row.entries[0].results
    assert (result.id, result.name, result.text) == ("c", "f", '{"t": 1}')


def test_a_user_entry_with_only_results_becomes_a_tool_entry():
    row = read({"conversations": [{"from": "human", "value": "<tool_response>1</tool_response>"}]})
    assert row.entries[0].role is Role.TOOL
    assert row.entries[0].speaker == "human"


@pytest.mark.parametrize(
    ("row", "code", "pointer"),
    [
        ({"conversations": [{"from": "robot", "value": ""}]}, "unknown-role", "/conversations/0/from"),
        ({"conversations": [{"from": "gpt"}]}, "missing-field", "/conversations/0/value"),
        ({"conversations": [{"from": "gpt", "value": ""}], "tools": "[{"}, "tools-unreadable", "/tools"),
        ({"conversations": [{"from": "gpt", "value": ""}], "tools": "[1]"}, "tools-unreadable", "/tools"),
        (
            {"conversations": [{"from": "system", "value": "<tools>{oops</tools>"}]},
            "tools-unreadable",
            "/conversations/0/value",
        ),
        ({"messages": [{"role": "assistant"}]}, "missing-field", "/messages/0/content"),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}]},
            "call-unreadable",
            "/messages/0/tool_calls/0/function/arguments",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"arguments": {}}}]}]},
            "call-unreadable",
            "/messages/0/tool_calls/0/function",
        ),
    ],
)
def test_unreadable_parts_are_findings_with_their_place(row, code, pointer):
    assert [(finding.code, finding.pointer) for finding in read(row).findings] == [(code, pointer)]


KEYS = st.sampled_from(
    [
        "conversations",
        "messages",
        "from",
        "value",
        "role",
        "content",
        "tools",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "prompt",
        "chosen",
        "rejected",
        "completion",
        "label",
        "system",
        "chat",
        "query",
        "answers",
        "text",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | KEYS, inner, max_size=4),
    max_leaves=20,
)


ENTRIES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "from": st.sampled_from(
                ["system", "human", "gpt", "tool", "function_call", "observation", "user", "assistant"]
            ),
            "value": JSON
            | st.sampled_from(["<tool_call>{}</tool_call>", "[f(a=1)]", '{"name": "f", "arguments": {}}']),
            "role": st.sampled_from(["system", "user", "assistant", "tool"]),
            "content": JSON,
            "tool_calls": st.lists(
                st.fixed_dictionaries({"function": JSON}, optional={"id": JSON}), max_size=2
            )
            | JSON,
        },
    ),
    max_size=4,
)
ROWS = st.dictionaries(KEYS, JSON | ENTRIES, max_size=6)
relaxed = settings(
    max_examples=examples(1000, few=30), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.mark.parametrize("name", FORMATS)
@relaxed
@given(row=ROWS)
def test_no_row_raises_when_it_is_read_or_written(name, row):
    read_row = format_named(name).read(row)
    assert json.dumps(read_row.fields) == json.dumps(row)
    places = [entry.place for entry in read_row.all_entries if entry.place >= 0]
    assert places == list(range(len(places)))
    for target in ("sharegpt", "openai", "llamafactory", "dpo"):
        done = convert_row(row, detect_format(row) or format_named(name), format_named(target), RowOptions())
        assert (done.row is None) == bool(done.problems)


@pytest.mark.parametrize("before", ["I look it up.\n", "<tool>hm</tool>", "Sure: ```json\n"])
@pytest.mark.parametrize("after", ["", "\nDone."])
def test_text_beside_a_call_of_llamafactory_is_not_cut_away(before, after):
    row = llamafactory_call(before + '{"name": "f", "arguments": {"a": 1}}' + after)
    assert [finding.code for finding in read(row).findings] == ["call-unreadable"]
    assert convert_row(row, FORMATS["llamafactory"], FORMATS["trl"], RowOptions()).row is None


def llamafactory_call(value):
    return {
        "conversations": [
            {"from": "human", "value": "a"},
            {"from": "function_call", "value": value},
            {"from": "observation", "value": "1"},
            {"from": "gpt", "value": "b"},
        ],
        "tools": json.dumps([{"name": "f", "parameters": {"type": "object"}}]),
    }


@pytest.mark.parametrize("weight", [{}, {"weight": 0}, {"rating": 5}])
@pytest.mark.parametrize("text", ["S", [{"type": "text", "text": "S"}]])
def test_a_system_text_beside_messages_is_the_system_message(weight, text):
    row = {
        "system": text,
        "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "x", **weight}],
    }
    entries = read(row).entries
    assert [(entry.role.value, entry.text) for entry in entries] == [
        ("system", "S"),
        ("user", "a"),
        ("assistant", "x"),
    ]
    assert entries[2].is_trained is (False if "weight" in weight else None)


@pytest.mark.parametrize(
    "call",
    [
        {"name": "f", "parameters": {"a": 1}},
        {"name": "f", "arguments": '{"a": 1}'},
        [{"name": "f", "arguments": '{"a": 1}'}, {"name": "f", "arguments": {"a": 1}}],
    ],
)
def test_a_call_of_llamafactory_with_another_spelling_of_its_arguments_is_fixed(call):
    calls = read(llamafactory_call(json.dumps(call))).entries[1].calls
    assert all((one.name, one.arguments, one.problem) == ("f", {"a": 1}, "") and one.fixes for one in calls)
    assert len(calls) == (2 if isinstance(call, list) else 1)


@pytest.mark.parametrize(
    "call", [{"name": "f", "arguments": '{"a": 1, "a": 2}'}, {"name": "f", "arguments": "[1]"}, {"name": "f"}]
)
def test_a_call_of_llamafactory_with_two_meanings_or_none_is_not_fixed(call):
    assert [finding.code for finding in read(llamafactory_call(json.dumps(call))).findings] == [
        "call-unreadable"
    ]


def test_a_refusal_that_is_the_only_part_of_a_content_is_the_text():
    parts = [{"type": "refusal", "refusal": "No"}]
    row = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": parts}]}
    reading = read(row)
    assert reading.findings == ()
    assert (reading.entries[1].text, reading.entries[1].others) == ("No", {})
    assert at(row, reading.entries[1].text_pointer) == "No"
    done = convert_row(row, FORMATS["openai"], FORMATS["trl"], RowOptions())
    assert done.row["messages"][1]["content"] == "No"
    assert [change.code for change in done.changes] == ["refusal-as-text"]


def test_a_call_of_ms_swift_without_a_name_is_refused():
    messages = [
        {"role": "user", "content": "a"},
        {"role": "tool_call", "content": '{"arguments": {"a": 1}}'},
        {"role": "tool_response", "content": "1"},
        {"role": "assistant", "content": "b"},
    ]
    done = convert_row({"messages": messages}, FORMATS["ms-swift"], FORMATS["trl"], RowOptions())
    assert (done.row, [problem.message for problem in done.problems]) == (None, ["the call has no name"])


@pytest.mark.parametrize("role", ["user", "human"])
@pytest.mark.parametrize(
    "wrap", [lambda data: {"type": "chat", "data": data}, lambda data: {"type": "chat", **data}]
)
def test_a_chat_message_of_langchain_has_its_own_role(wrap, role):
    ai = {"type": "ai", "content": "b"}
    entries = read({"messages": [wrap({"role": role, "content": "a"}), ai]}).entries
    assert [(entry.role, entry.text) for entry in entries] == [(Role.USER, "a"), (Role.ASSISTANT, "b")]


@pytest.mark.parametrize(("tools", "codes"), [('[{"name": "f"}]', []), ([{"name": "g"}], ["tools-mismatch"])])
def test_tools_of_a_part_that_the_column_contradicts_are_found(tools, codes):
    part = {"type": "tools", "value": '[{"name": "f"}]'}
    messages = [
        {"role": "system", "content": [part, {"type": "text", "value": "S"}]},
        {"role": "user", "content": [{"type": "text", "value": "a"}]},
        {"role": "assistant", "content": [{"type": "text", "value": "b"}]},
    ]
    assert [finding.code for finding in read({"messages": messages, "tools": tools}).findings] == codes


@pytest.mark.parametrize(
    "keys", [{"name": "bob", "zz": 1}, {"zz": 1, "name": "bob"}, {"id": "i", "zz": 1, "type": "t"}]
)
@pytest.mark.parametrize("to", ["ms-swift", "llamafactory-v1"])
def test_the_order_of_a_message_s_keys_is_kept(to, keys):
    row = {"messages": [{"role": "user", "content": "a", **keys}, {"role": "assistant", "content": "b"}]}
    done = convert_row(row, FORMATS["openai"], FORMATS[to], RowOptions())
    assert done.problems == ()
    assert list(read(done.row).entries[0].others.items()) == list(keys.items())


@pytest.mark.parametrize("name", ["sharegpt", "llamafactory"])
def test_a_system_text_in_a_column_is_the_system_message_unless_the_conversation_has_one(name):
    row = llamafactory_call('{"name": "f", "arguments": {"a": 1}}')
    if name == "sharegpt":
        words = {"human": "human", "function_call": "gpt", "observation": "tool", "gpt": "gpt"}
        for entry in row["conversations"]:
            tag = {"function_call": "tool_call", "observation": "tool_response"}.get(entry["from"])
            value = f"<{tag}>\n{entry['value']}\n</{tag}>" if tag else entry["value"]
            entry |= {"from": words[entry["from"]], "value": value}
    in_column = {**row, "system": "Be brief."}
    own = {"from": "system", "value": "Be kind."}
    in_both = {**in_column, "conversations": [own, *row["conversations"]]}
    assert detect_format(in_column) is detect_format(in_both) is FORMATS[name]
    assert findings_of(in_column) == findings_of(in_both) == []
    done = convert_row(in_column, FORMATS[name], FORMATS["trl"], RowOptions())
    assert done.row["messages"][0] == {"role": "system", "content": "Be brief."} and "system" not in done.row
    done = convert_row(in_both, FORMATS[name], FORMATS["trl"], RowOptions())
    assert done.row["messages"][0] == {"role": "system", "content": "Be kind."}
    assert [message["role"] for message in done.row["messages"]].count("system") == 1
    assert done.row["system"] == "Be brief."
    done = convert_row(in_both, FORMATS[name], FORMATS["llamafactory"], RowOptions())
    assert done.row["system"] == "Be kind." and [loss.code for loss in done.losses] == ["column"]
    done = convert_row(in_column, FORMATS[name], FORMATS["sharegpt"], RowOptions())
    assert [entry["from"] for entry in done.row["conversations"]].count("system") == 1
    assert "system" not in done.row


@pytest.mark.parametrize("end", ["</think>", "\n</think>\n\n"])
def test_a_thought_of_llamafactory_without_its_opening_tag_is_read_with_a_finding(end):
    row = llamafactory_call(f'hm{end}{{"name": "f", "arguments": {{"a": 1}}}}')
    found = [(finding.code, finding.entry, finding.pointer) for finding in findings_of(row)]
    assert found == [("call-not-strict", 1, "/conversations/1/value")]
    done = convert_row(row, FORMATS["llamafactory"], FORMATS["trl"], RowOptions())
    assert done.row["messages"][1]["reasoning_content"] == "hm" and not done.losses
    assert done.row["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"a": 1}
    done = convert_row(row, FORMATS["llamafactory"], FORMATS["llamafactory"], RowOptions())
    assert findings_of(done.row) == []
    assert findings_of(llamafactory_call('{"name": "f", "arguments": {"a": "</think>"}}')) == []

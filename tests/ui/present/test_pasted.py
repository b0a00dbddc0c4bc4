"""The views of the Inspect tab."""

import json

import pytest

from workbench.hermes.server_releases import SGLANG, VLLM
from workbench.ui.present.examples import EXAMPLES
from workbench.ui.present.parsers import MAX_CALLS
from workbench.ui.present.pasted import NOTHING, PastedFields, show_pasted
from workbench.ui.present.tool_import import import_in_place

TOOLS = json.dumps(
    [
        {
            "name": "f",
            "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        }
    ]
)


def show(text, tools="", **changes):
    fields = PastedFields(
        text=text,
        tools_text=tools,
        dialect="auto",
        level="tolerant",
        finish_reason="stop",
        starts_in_thought=False,
    )
    return show_pasted(fields._replace(**changes))


def call(name="f", **arguments):
    return "<tool_call>\n" + json.dumps({"name": name, "arguments": arguments}) + "\n</tool_call>"


def test_an_empty_editor_shows_the_empty_state():
    assert show("").read == NOTHING.read
    assert show("").differ.rows == ()


def test_without_tools_names_are_not_checked():
    view = show(call("nobody"))
    assert view.calls.calls[0].status == "ready"
    assert "not checked" in view.tools.lines[0].text


def test_an_empty_list_of_tools_makes_every_name_unknown():
    view = show(call("f"), "[]")
    assert view.calls.calls[0].status == "unknown tool"
    assert "every tool name is unknown" in view.tools.lines[0].text


def test_arguments_are_checked_against_the_schema():
    view = show(call(a="x"), TOOLS)
    assert view.calls.calls[0].status == "invalid arguments"
    assert view.tools.lines == ()


def test_invalid_tools_are_reported_and_the_text_is_parsed_without_them():
    view = show(call(a=1), '[\n{"name": }]')
    assert view.tools.lines[0].word == "line 2"
    assert "not checked" in view.tools.lines[-1].text
    assert view.calls.calls[0].status == "ready"


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


def written(key, *names, schema=SCHEMA):
    return [{"name": name, key: schema} for name in names]


OTHER_FORMS = {
    "mcp": json.dumps({"tools": written("inputSchema", "f", "g")}),
    "mcp array": json.dumps(written("inputSchema", "f", "g")),
    "anthropic": json.dumps(written("input_schema", "f", "g")),
    "gemini": json.dumps([{"functionDeclarations": written("parameters", "f", "g")}]),
    "request": json.dumps({"model": "m", "tools": written("parameters", "f", "g")}),
    "python": "def f(a: int):\n    pass\n\n\ndef g(a: int):\n    pass\n",
    "yaml": "- name: f\n  parameters: {type: object}\n- name: g\n",
    "wrapped": json.dumps(
        [{"type": "function", "function": tool} for tool in written("input_schema", "f", "g")]
    ),
}


@pytest.mark.parametrize("text", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_tools_in_another_form_are_offered_for_import(text):
    assert [line.offer for line in show(call(a=1), text).tools.lines if line.offer] == [
        "Import these 2 tools"
    ]
    assert not any(line.offer for line in show(call(a=1), import_in_place(text).text).tools.lines)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(written("input_schema", "f")),
        json.dumps([{"functionDeclarations": written("parameters", "f")}]),
        json.dumps({"tools": written("inputSchema", "f")}),
    ],
)
def test_one_tool_in_another_form_is_offered_for_import(text):
    assert show("", text).tools.lines[0].offer == "Import this tool"


def test_an_offer_hides_no_mistake_in_a_json_array():
    first, second, *_ = show("", '[{"name": "f",\n"parameters": {},}]').tools.lines
    assert (first.offer, second.word, "not JSON" in second.text) == ("Import this tool", "line 2", True)


def test_an_offer_names_the_tools_in_another_form_and_hides_no_error():
    broken = {"type": "function", "function": {"name": "g", "parameters": {"type": "objekt"}}}
    first, *others = show("", json.dumps([*written("inputSchema", "f"), broken])).tools.lines
    assert "parameters of f are not read" in first.text and first.offer
    assert any("g" in line.text and line.tone == "error" for line in others)


def test_tools_of_which_an_import_leaves_some_out_are_offered_with_their_number():
    text = json.dumps({"tools": [*written("inputSchema", "f"), *written("inputSchema", "")]})
    assert show("", text).tools.lines[0].offer == "Import 1 of 2 tools"


@pytest.mark.parametrize(
    "tools",
    [
        [],
        [{"name": "now"}, {"type": "function", "name": "f", "parameters": SCHEMA}],
        [{"name": ""}, {"name": "f"}],
    ],
)
def test_tools_that_need_no_import_are_not_offered_for_one(tools):
    assert not any(line.offer for line in show("", json.dumps(tools)).tools.lines)


def test_calls_have_no_result():
    (row,) = show(call(a=1)).calls.calls
    assert (row.result, row.no_result) == (None, "")


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"level": "strict"}, []), ({"finish_reason": "length"}, []), ({"starts_in_thought": True}, [])],
)
def test_level_finish_reason_and_start_change_the_reading(changes, status):
    text = call(a=1).replace("}}", "},}") if "level" in changes else call(a=1)
    if "finish_reason" in changes:
        text = text.removesuffix("}\n</tool_call>")
    assert [shown_call.status for shown_call in show(text, **changes).calls.calls] == status


def test_the_comparison_has_a_row_for_each_parser():
    rows = show(EXAMPLES[1].text).differ.rows
    assert [row.rule for row in rows] == [
        "strict", "vLLM hermes", "SGLang hermes", "l3m-backend", "Hermes-FC", "Stella guide",
    ]  # fmt: skip
    origins = ["", f"replica of {VLLM}", f"replica of {SGLANG}", "replica", "replica", "replica"]
    assert [row.origin for row in rows] == origins
    assert (rows[1].got, rows[1].tone, rows[1].calls[0].word) == ("0 of 1", "error", "loses")
    assert (rows[3].got, rows[3].tone, rows[3].why) == ("1 of 1", "clean", "no difference")


def test_an_extra_call_is_reported():
    rows = {row.rule: row for row in show(EXAMPLES[4].text).differ.rows}
    assert rows["Hermes-FC"].got == "1 of 1 + 1"
    assert [lost_call.word for lost_call in rows["Hermes-FC"].calls] == ["runs"]
    assert "lima" in rows["Hermes-FC"].calls[0].arguments


def test_a_row_lists_a_few_calls_and_the_number_of_others():
    text = "\n".join(call(a=number).replace("}}", "},}") for number in range(MAX_CALLS + 3))
    (strict, *_) = show(text).differ.rows
    assert len(strict.calls) == MAX_CALLS
    assert strict.why.endswith("3 more calls")


def test_a_long_call_is_cut():
    (strict, *_) = show(call(a="x" * 5000).replace("}}", "},}")).differ.rows
    assert len(strict.calls[0].arguments) == 400


def test_each_example_has_its_own_summary():
    summaries = [show(example.text, finish_reason=example.finish_reason).read.summary for example in EXAMPLES]
    assert summaries == [
        "1 call",
        "1 call · 2 fixes",
        "2 calls · 1 fix",
        "1 call · 2 fixes · 1 finding",
        "1 call · 1 finding",
        "0 calls · 1 finding · 1 dropped",
    ]


LOST = {
    'Sure!\n```json\n{"name": "f", "arguments": {"a": 1}}\n```': "fenced-json",
    '<tool_cal>{"name": "f", "arguments": {"a": 1}}</tool_cal>': "near-miss-tag",
    '[TOOL_CALLS] [{"name": "f", "arguments": {"a": 1}}]': "mistral",
    '<|python_tag|>{"name": "f", "parameters": {"a": 1}}': "llama-python-tag",
    "f(a=1)": "pythonic",
    '<function_calls><invoke name="f"><parameter name="a">1</parameter></invoke></function_calls>': "invoke",
}


@pytest.mark.parametrize("text", LOST, ids=LOST.values())
def test_a_lost_call_is_explained_and_never_called_a_completion_without_faults(text):
    view = show(text, TOOLS)
    (row,) = view.fixes.foreign
    assert row.dialect == LOST[text]
    assert "A call of f, written" in row.sentence and "Not read" in row.sentence
    assert row.contract
    assert view.fixes.calm == ""
    assert "Fixes" in view.calls.hint


@pytest.mark.parametrize("text", LOST, ids=LOST.values())
def test_a_lost_call_of_an_offered_tool_is_read_at_the_lenient_level(text):
    view = show(text, TOOLS, level="lenient")
    assert [row.name for row in view.calls.calls] == ["f"]
    assert "Read at the level lenient" in view.fixes.foreign[0].sentence


def test_only_what_was_read_needed_no_fix():
    assert show(call(a=1), TOOLS).fixes.calm == "No fixes were needed."
    assert "no tool calls" in show("Hello.", TOOLS).fixes.calm
    assert show("<tool_call>\n{", TOOLS).fixes.calm == ""

"""Whatever a conversion changes is reported, and what it need not change stays byte for byte."""

import json
from dataclasses import replace

import pytest

from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.spec_repairs import json_schema_of
from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.system_text import FRAMES, split_system
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.validate.repair import repair_row
from workbench.trajectory.writing.convert import convert_row, write_row
from workbench.trajectory.writing.row_draft import RowOptions

SPEC = {
    "type": "function",
    "function": {
        "name": "f",
        "description": "d",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
    },
}
RECORD = '{"name": "f", "content": {"t":1, "s": [1.50]}}'
V1 = {
    "conversations": [
        {"from": "human", "value": "q"},
        {"from": "gpt", "value": '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'},
        {"from": "tool", "value": f"<tool_response>\n{RECORD}\n</tool_response>"},
        {"from": "gpt", "value": "done"},
    ],
    "tools": json.dumps([SPEC]),
    "category": "c",
    "subcategory": "s",
    "task": "t",
}
TOOLACE = {
    "system": 'Functions:\n[{"name": "Get Weather", "description": "d", "parameters": {"type": "dict", "properties": '
    '{"city": {"type": "str"}, "days": {"type": "List[int]"}}, "required": ["city"]}, "required": null}]. \nReturn [f(a=b)].',
    "conversations": [
        {"from": "user", "value": "hi"},
        {"from": "assistant", "value": '[Get Weather(city="Rome", days=["x"])]'},
    ],
}


def openai(arguments, **more):
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": "1"},
            {"role": "assistant", "content": "done"},
        ],
        "tools": [SPEC],
        **more,
    }


def converted(row, to, **options):
    done = convert_row(row, detect_format(row), FORMATS[to], RowOptions(**options))
    assert done.problems == ()
    return done.row, {str(change.code) for change in done.changes}


@pytest.mark.parametrize("to", ["sharegpt", "raw", "openai", "trl", "llamafactory", "kto"])
def test_a_record_around_a_result_stays_byte_for_byte(to):
    new, changes = converted(V1, to, label=True)
    text = new["text"] if to == "raw" else json.dumps(new, ensure_ascii=False)
    assert (RECORD if to == "raw" else json.dumps(RECORD)[1:-1]) in text
    assert "envelope" not in changes


@pytest.mark.parametrize("to", ["sharegpt", "raw", "hermes-agent"])
def test_hermes_agent_s_records_stay_in_formats_with_hermes_texts(to):
    record = '{"tool_call_id":"c1", "name":"f","content": {"t":1}}'
    row = {**V1, "completed": True}
    row["conversations"] = [*row["conversations"]]
    row["conversations"][2] = {"from": "tool", "value": f"<tool_response>\n{record}\n</tool_response>"}
    new, changes = converted(row, to)
    assert (record if to == "raw" else json.dumps(record)[1:-1]) in json.dumps(new) or record in new["text"]
    assert "ids" not in changes


def test_hermes_agent_s_records_are_unwrapped_for_chat_formats_and_that_is_reported():
    row = {**V1, "completed": True}
    row["conversations"] = [*row["conversations"]]
    for record, code in (
        ('{"tool_call_id": "c1", "name": "f", "content": {"t": 1}}', "results-unwrapped"),
        ('{"tool_call_id":"c1","name":"f","content":{"t":1}}', "envelope"),
    ):
        row["conversations"][2] = {"from": "tool", "value": f"<tool_response>\n{record}\n</tool_response>"}
        new, changes = converted(row, "openai")
        assert (new["messages"][2]["content"], new["messages"][2]["tool_call_id"]) == ('{"t": 1}', "c1")
        assert code in changes


def test_toolace_s_schemas_become_sound_and_its_arguments_are_checked():
    new, changes = converted(TOOLACE, "openai")
    assert changes >= {"schema-types", "tool-names", "tool-prompt-removed"}
    assert new["tools"][0]["function"] == {
        "name": "Get_Weather",
        "description": "d",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "array", "items": {"type": "integer"}},
            },
            "required": ["city"],
        },
    }
    findings = check_completely(FORMATS["toolace"].read(TOOLACE)).findings
    assert [(finding.code, finding.pointer) for finding in findings] == [("schema-type", "/days/0")]


@pytest.mark.parametrize(
    ("written", "schema"),
    [
        ({"type": "dict", "properties": {}}, {"type": "object", "properties": {}}),
        ({"type": "float"}, {"type": "number"}),
        ({"type": "any", "description": "d"}, {"description": "d"}),
        ({"type": ["str", "None"]}, {"type": ["string", "null"]}),
        ({"type": ["int", "long", "null"]}, {"type": ["integer", "null"]}),
        ({"type": "tuple", "items": {"type": "int"}}, {"type": "array", "items": {"type": "integer"}}),
        (
            {"anyOf": [{"type": "bool"}, {"type": "string"}]},
            {"anyOf": [{"type": "boolean"}, {"type": "string"}]},
        ),
        ({"properties": {"type": {"type": "HashMap"}}}, {"properties": {"type": {"type": "object"}}}),
    ],
)
def test_type_names_of_other_languages_become_those_of_json_schema(written, schema):
    assert json_schema_of(written) == schema


def test_a_schema_without_other_type_names_is_the_same_object():
    schema = {"type": "object", "properties": {"a": {"type": ["string", "null"], "enum": ["int"]}}}
    assert json_schema_of(schema) is schema
    assert json_schema_of({"type": "Callable"}) == {"type": "Callable"}


def test_nulls_that_arrow_fills_into_specs_are_removed_and_reported():
    spec = json.loads(json.dumps(SPEC))
    spec["function"]["parameters"]["properties"]["a"] |= {"enum": None, "items": None}
    spec["origin"] = None
    new, changes = converted(openai('{"a": 1}', tools=[spec]), "trl")
    assert new["tools"] == [SPEC]
    assert "schema-nulls" in changes
    nullable = json.loads(json.dumps(SPEC))
    nullable["function"]["parameters"]["properties"]["a"] = {"type": "integer", "default": None}
    assert converted(openai('{"a": 1}', tools=[nullable]), "trl") == (
        {**converted(openai('{"a": 1}'), "trl")[0], "tools": [nullable]},
        set(),
    )


def test_a_trajectory_with_other_type_names_is_written_with_a_reported_change():
    """The tools of a session may have them too."""
    spec = json.loads(json.dumps(SPEC).replace("integer", "int").replace('"object"', '"dict"'))
    trajectory = read_trajectory(FORMATS["openai"].read(openai('{"a": 1}'))).trajectory
    tools = OfferedTools(specs=(ToolSpec(document=spec),))
    done = write_row(replace(trajectory, tools=tools), FORMATS["openai"], RowOptions())
    assert (done.row["tools"], [change.code for change in done.changes]) == ([SPEC], ["schema-types"])


@pytest.mark.parametrize("arguments", ["{'a': 1}", '{"a": 1,}', '{"a": 1'])
def test_arguments_that_need_a_safe_fix_are_fixed_and_reported(arguments):
    reading = read_trajectory(FORMATS["openai"].read(openai(arguments)))
    assert reading.problems == ()
    new, changes = converted(openai(arguments), "trl")
    assert new["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"a": 1}
    assert changes == {"fixed"}


@pytest.mark.parametrize("arguments", ["a: 1 b", "[1]"])
def test_arguments_that_would_need_a_guess_are_refused(arguments):
    row = openai(arguments)
    done = convert_row(row, FORMATS["openai"], FORMATS["trl"], RowOptions())
    assert [problem.code for problem in done.problems] == ["call-unreadable"]


@pytest.mark.parametrize("frame", ["hermes-array", "template-qwen2.5"])
def test_the_text_lists_the_tools_in_the_chosen_frame(frame):
    assert frame in FRAMES
    new, changes = converted(openai('{"a": 1}'), "sharegpt", frame=frame)
    assert new["conversations"][0]["from"] == "system"
    assert split_system(new["conversations"][0]["value"]).frame == frame
    assert "tools-told" in changes


def test_a_system_text_that_names_the_tools_in_quotes_is_left_alone():
    row = openai('{"a": 1}')
    row["messages"].insert(0, {"role": "system", "content": 'Call "f" with JSON.'})
    new, changes = converted(row, "sharegpt")
    assert new["conversations"][0]["value"] == 'Call "f" with JSON.'
    assert "tools-told" not in changes


def test_the_tool_prompt_can_be_stripped_from_formats_that_carry_tools():
    listed = json.dumps([SPEC])
    prompt = (
        f"You are a function calling AI model. Here are the available tools: <tools> {listed} </tools>Use this schema: "
        "{}\nFor each call return JSON within <tool_call></tool_call> tags:\n<tool_call>\n{}\n</tool_call>"
    )
    row = {**V1, "conversations": [{"from": "system", "value": prompt}, *V1["conversations"]]}
    new, changes = converted(row, "trl")
    assert (new["messages"][0]["role"], "tools-told-twice" in changes) == ("system", True)
    new, changes = converted(row, "trl", strips_tool_prompt=True)
    assert (new["messages"][0]["role"], "tool-prompt-removed" in changes) == ("user", True)
    row["conversations"][0] = {"from": "system", "value": f"Be brief.\n\n{prompt}\n\nThanks."}
    new, _ = converted(row, "trl", strips_tool_prompt=True)
    assert new["messages"][0] == {"role": "system", "content": "Be brief.\n\nThanks."}


def test_llamafactory_s_preference_rows_are_written_and_read_back():
    dpo = {
        "prompt": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}],
        "chosen": [
            {"role": "assistant", "content": None, "tool_calls": [
                {"type": "function", "function": {"name": "f", "arguments": {"a": 1}}}
            ]}
        ],
        "rejected": [{"role": "assistant", "content": "no"}],
        "tools": [SPEC],
        "id": 3,
    }  # fmt: skip
    new, _ = converted(dpo, "llamafactory-dpo")
    assert new == {
        "conversations": [{"from": "human", "value": "q"}],
        "system": "s",
        "tools": json.dumps([SPEC["function"]]),
        "chosen": {"from": "function_call", "value": '{"name": "f", "arguments": {"a": 1}}'},
        "rejected": {"from": "gpt", "value": "no"},
        "id": 3,
    }
    assert detect_format(new).name == "llamafactory-dpo"
    assert converted(new, "dpo")[0] == dpo
    kto = {"prompt": dpo["prompt"], "completion": dpo["rejected"], "label": False, "tools": [SPEC]}
    new, _ = converted(kto, "llamafactory-kto")
    assert (new["kto_tag"], new["conversations"][-1]) == (False, {"from": "gpt", "value": "no"})
    assert converted(new, "kto")[0] == kto


@pytest.mark.parametrize("target", WRITTEN)
@pytest.mark.parametrize("tag", ["think", "scratch_pad", "REASONING_SCRATCHPAD"])
def test_where_an_unclosed_thought_ends_is_not_guessed(target, tag):
    row = {
        "conversations": [
            {"from": "human", "value": "q"},
            {"from": "gpt", "value": f"<{tag}>\nThe tool says 18. It is 18 degrees."},
        ]
    }
    done = convert_row(row, FORMATS["sharegpt"], FORMATS[target], RowOptions(label=True))
    assert done.row is None
    assert [(problem.code, problem.entry) for problem in done.problems] == [("call-unreadable", 1)]
    assert "unclosed-think" in done.problems[0].message


@pytest.mark.parametrize("to", ["trl", "openai", "sharegpt", "llamafactory", "ms-swift"])
@pytest.mark.parametrize("value", [float("nan"), [{"a": float("-inf")}], "\ud83d", "a\0"], ids=ascii)
def test_what_loaders_refuse_is_not_written_wherever_it_is(value, to):
    places = [
        {"extra": value},
        {"tools": [{**SPEC, "function": {**SPEC["function"], "description": value}}]},
        {"messages": [*openai("{}")["messages"][:-1], {"role": "assistant", "content": "d", "zz": value}]},
        {"messages": openai(json.dumps({"a": value}))["messages"]},
    ]
    if isinstance(value, str):
        places += [
            {value: 1},
            {"extra": {value: 1}},
            {"messages": [*openai("{}")["messages"][:-1], {"role": "assistant", "content": "d", value: 1}]},
            {"messages": openai(json.dumps({value: 1}))["messages"]},
        ]
    for more in places:
        row = openai("{}", **more)
        done = convert_row(row, detect_format(row), FORMATS[to], RowOptions())
        assert done.row is None and [problem.code for problem in done.problems] == ["not-writable"], more


TWICE = ['{"a": 1, "a": 2}', '{"a": 1, "a": 2,}', '{"a": {"b": 1, "b": 2}}']


def spoken(*turns, **more):
    conversations = [{"from": speaker, "value": value} for speaker, value in turns]
    return {"conversations": conversations, "tools": json.dumps([SPEC]), **more}


def with_call(body):
    """Return rows of three formats whose call is this text."""
    tagged = f"<tool_call>\n{body}\n</tool_call>"
    result = ("tool", "<tool_response>\n1\n</tool_response>")
    turns = [("user", "q"), ("tool_call", body), ("tool_response", "1"), ("assistant", "d")]
    return [
        spoken(("human", "q"), ("gpt", tagged), result, ("gpt", "d")),
        spoken(("human", "q"), ("function_call", body), ("observation", "1"), ("gpt", "d")),
        {
            "messages": [{"role": role, "content": content} for role, content in turns],
            "tools": json.dumps([SPEC]),
        },
    ]


def assert_refused(rows, to):
    for row in rows:
        form = detect_format(row)
        done = convert_row(row, form, FORMATS[to], RowOptions())
        assert done.row is None and "twice" in " ".join(problem.message for problem in done.problems), row
        checked = check_completely(form.read(row))
        found = [
            finding for finding in checked.findings if finding.code in ("duplicate-key", "call-not-strict")
        ]
        assert found and not any("convert" in finding.message for finding in found), row
        if "<tool_call>" not in json.dumps(row):
            assert repair_row(checked.content).fields is row


TARGETS = ["trl", "openai", "sharegpt", "llamafactory", "ms-swift"]


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("arguments", TWICE)
def test_a_key_twice_in_a_text_of_json_is_refused_and_not_fixed(arguments, to):
    call = f'{{"name": "f", "arguments": {arguments}}}'
    quoted = f'{{"name": "f", "arguments": {json.dumps(arguments)}}}'
    tools = json.dumps([SPEC]).replace('"name": "f"', '"name": "g", "name": "f"')
    rows = [openai(arguments), {**openai("{}"), "tools": tools}, *with_call(call), with_call(quoted)[-1]]
    assert_refused(rows, to)


@pytest.mark.parametrize("to", TARGETS)
def test_a_parameter_twice_in_an_xml_call_is_refused_and_not_fixed(to):
    parameters = "".join(f"<parameter=a>\n{value}\n</parameter>\n" for value in (1, 2))
    assert_refused(with_call(f"<function=f>\n{parameters}</function>"), to)

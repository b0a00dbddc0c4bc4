"""Rows of published datasets are read into calls, results and schemas."""

import json

import pytest

from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.formats.toolace import read_pythonic
from workbench.trajectory.formats.xlam import schema_of
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions

XLAM = {
    "id": 4,
    "query": "q",
    "tools": json.dumps(
        [{"name": "f", "description": "d", "parameters": {"a": {"type": "int, optional", "default": "1"}}}]
    ),
    "answers": '[{"name": "f", "arguments": {"a": 1}}, {"name": "f", "arguments": {}}]',
}
TOOLACE = {
    "system": 'Functions you can invoke:\n[{"name": "Get Weather", "parameters": {"type": "dict"}}]. \nReturn [func(a=b)].',
    "conversations": [
        {"from": "user", "value": "hi"},
        {"from": "assistant", "value": '[Get Weather(city="it\'s"), Get Weather(days=[1, True])]'},
        {
            "from": "tool",
            "value": '[{"name": "Get Weather", "results": 1}, {"name": "Get Weather", "results": 2}]',
        },
        {"from": "assistant", "value": "done [1]"},
    ],
}
GLAIVE = {
    "system": 'SYSTEM: You may call functions. Use them if required -\n{\n    "name": "f",\n    "parameters": {}\n}\n\n{"name": "g"}\n',
    "chat": (
        'USER: hi there\n\n\nASSISTANT: Well. <functioncall> {"name": "f", "arguments": \'{"a": "it\'s"}\'} '
        '<|endoftext|>\n\n\nFUNCTION RESPONSE: {"x": 1}\n\n\nASSISTANT: done <|endoftext|>\n\n\n'
    ),
}


def openai(row):
    """Convert the row to OpenAI's format."""
    done = convert_row(row, detect_format(row), FORMATS["openai"], RowOptions())
    assert done.problems == ()
    return done.row


def calls(message):
    return [
        (call["function"]["name"], json.loads(call["function"]["arguments"]))
        for call in message["tool_calls"]
    ]


def test_xlam_answers_become_calls_and_its_types_a_schema():
    row = openai(XLAM)
    assert detect_format(XLAM).name == "xlam"
    assert row["messages"][0] == {"role": "user", "content": "q"}
    assert calls(row["messages"][1]) == [("f", {"a": 1}), ("f", {})]
    assert row["tools"][0]["function"]["parameters"] == {
        "type": "object",
        "properties": {"a": {"type": "integer", "default": 1}},
        "required": [],
    }
    assert row["id"] == 4


@pytest.mark.parametrize(
    ("written", "schema"),
    [
        ("str", {"type": "string"}),
        ("List[int]", {"type": "array", "items": {"type": "integer"}}),
        ("List[List[float]]", {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
        ("Tuple[int, str]", {"type": "array"}),
        ("Optional[bool]", {"type": "boolean"}),
        ("Callable", {"type": "Callable"}),
    ],
)
def test_a_python_type_name_becomes_a_schema(written, schema):
    assert schema_of({"a": {"type": written}})["properties"]["a"] == schema


def test_toolace_calls_and_results_are_parsed():
    row = openai(TOOLACE)
    assert detect_format(TOOLACE).name == "toolace"
    assert [message["role"] for message in row["messages"]] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert calls(row["messages"][1]) == [
        ("Get_Weather", {"city": "it's"}),
        ("Get_Weather", {"days": [1, True]}),
    ]
    assert row["messages"][3]["content"] == '{"name": "Get Weather", "results": 2}'
    assert row["tools"][0]["function"] == {"name": "Get_Weather", "parameters": {"type": "object"}}


def test_a_glaive_chat_is_split_into_messages():
    row = openai(GLAIVE)
    assert detect_format(GLAIVE).name == "glaive"
    assert [message["role"] for message in row["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert row["messages"][2]["content"] == "Well."
    assert calls(row["messages"][2]) == [("f", {"a": "it's"})]
    assert row["messages"][4]["content"] == "done"
    assert [tool["function"]["name"] for tool in row["tools"]] == ["f", "g"]


@pytest.mark.parametrize("row", [XLAM, TOOLACE, GLAIVE], ids=["xlam", "toolace", "glaive"])
@pytest.mark.parametrize("name", [name for name in WRITTEN if FORMATS[name].content is not RowContent.PAIR])
def test_imported_rows_can_be_written_in_every_format(row, name):
    done = convert_row(row, detect_format(row), FORMATS[name], RowOptions(label=True))
    assert done.row is not None, done.problems


@pytest.mark.parametrize(
    "text", ["", "[", "[f]", "[f(]", "[f(a)]", "[f(a=1)", "[f(a=1)] and more", "[1, 2]", "[(a=1)]"]
)
def test_a_text_that_is_not_a_list_of_calls_gives_none(text):
    assert read_pythonic(text) is None


def test_an_unreadable_toolace_call_is_a_finding():
    row = {**TOOLACE, "conversations": [{"from": "assistant", "value": "[f(a=]"}]}
    assert [(finding.code, finding.entry) for finding in FORMATS["toolace"].read(row).findings] == [
        ("call-unreadable", 0)
    ]


V1 = {
    "id": "x",
    "conversations": [
        {
            "from": "system",
            "value": "Tools: <tools>\n[{'type': 'function', 'function': {'name': 'f'}}]\n</tools>",
        },
        {"from": "human", "value": "q"},
        {"from": "gpt", "value": "<tool_call>\n{'arguments': {'a': None}, 'name': 'f'}\n</tool_call>\n"},
        {"from": "tool", "value": '<tool_response>\n{"name": "f", "content": {"t": 1}}\n</tool_response>\n'},
        {"from": "gpt", "value": "done"},
    ],
    "tools": "null",
    "category": "c",
    "subcategory": "s",
    "task": "t",
}


def test_python_calls_and_records_of_hermes_v1_are_read():
    row = openai(V1)
    assert detect_format(V1).name == "hermes-function-calling-v1"
    assert calls(row["messages"][2]) == [("f", {"a": None})]
    assert row["messages"][3]["content"] == '{"name": "f", "content": {"t": 1}}'
    assert row["tools"] == [{"type": "function", "function": {"name": "f"}}]
    assert row["category"] == "c"


def test_the_null_that_hermes_agent_adds_to_specs_is_removed():
    system_text = '<tools>\n[{"name": "f", "description": "", "parameters": {}, "required": null}]\n</tools>'
    row = openai(
        {
            "conversations": [
                {"from": "system", "value": system_text},
                {"from": "human", "value": "q"},
                {"from": "gpt", "value": "<think>\n</think>\ndone"},
            ],
            "completed": True,
        }
    )
    assert row["tools"] == [
        {"type": "function", "function": {"name": "f", "description": "", "parameters": {}}}
    ]
    assert row["messages"][-1] == {"role": "assistant", "content": "done"}

"""What loaders refuse and trainers learn wrongly, at every place of a row: the inputs that users reported, and more."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.library.datasets.checking import FilesCheck

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'


def sharegpt(answer: str = "18 degrees.", **columns: Any) -> dict[str, Any]:
    entries = [
        ("system", "Be brief."),
        ("human", "Weather in Paris?"),
        ("gpt", CALL),
        ("tool", '<tool_response>\n{"t": 18}\n</tool_response>'),
        ("gpt", answer),
    ]
    conversation = [{"from": speaker, "value": text} for speaker, text in entries]
    return {"conversations": conversation, "tools": json.dumps([TOOL]), "source": "made", **columns}


def openai(arguments: Any = '{"city": "Paris"}', **members: Any) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    messages = [
        {"role": "user", "content": "Weather in Paris?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"t": 18}'},
        {"role": "assistant", "content": "18 degrees.", **members},
    ]
    return {"messages": messages, "tools": [TOOL]}


def llamafactory(results: str, calls: int = 2) -> dict[str, Any]:
    asked = [{"name": "get_weather", "arguments": {"city": f"City {number}"}} for number in range(calls)]
    entries = [
        ("human", "Weather there?"),
        ("function_call", json.dumps(asked)),
        ("observation", results),
        ("gpt", "Fine."),
    ]
    conversation = [{"from": speaker, "value": text} for speaker, text in entries]
    return {"conversations": conversation, "tools": json.dumps([TOOL])}


def escaped(text: str) -> str:
    """The text as it is within a text of JSON in JSON."""
    return text.replace("\\", "\\\\")


def replaced(row: dict[str, Any], old: str, new: str) -> bytes:
    """The row's JSON with the first `old` replaced."""
    text = json.dumps(row)
    assert old in text
    return text.replace(old, new, 1).encode()


def codes(tmp_path: Path, *lines: bytes, read_as: str = "auto", name: str = "rows.jsonl") -> set[str]:
    path = tmp_path / name
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return {found.finding.code for found in FilesCheck(files=[str(path)], read_as=read_as).findings()}


BAD_CHARACTERS = {"lone-surrogate": r"\ud83d", "null-character": r"\u0000"}
PLACES: dict[str, Callable[[str], bytes]] = {
    "a question": lambda bad: replaced(sharegpt(), "Weather in Paris?", f"Weather{bad}"),
    "an answer": lambda bad: replaced(sharegpt(), "18 degrees.", f"18{bad} degrees."),
    "the system text": lambda bad: replaced(sharegpt(), "Be brief.", f"Be{bad} brief."),
    "a result": lambda bad: replaced(sharegpt(), "tool_response>\\n", f"tool_response>\\n{bad}"),
    "an argument": lambda bad: replaced(sharegpt(), '\\"Paris\\"', f'\\"Pa{bad}ris\\"'),
    "an escaped argument": lambda bad: replaced(sharegpt(), '\\"Paris\\"', f'\\"Pa{escaped(bad)}ris\\"'),
    "an escaped tool": lambda bad: replaced(sharegpt(), "Weather of", f"Weather{escaped(bad)} of"),
    "a column": lambda bad: replaced(sharegpt(), '"made"', f'"ma{bad}de"'),
    "a name of a column": lambda bad: replaced(sharegpt(), '"source"', f'"so{bad}urce"'),
    "a nested column": lambda bad: replaced(sharegpt(meta={"a": [{"b": "x"}]}), '"x"', f'"{bad}"'),
    "arguments as text": lambda bad: replaced(openai(), '\\"Paris\\"', f'\\"Pa{escaped(bad)}ris\\"'),
    "arguments as an object": lambda bad: replaced(openai({"city": "Par"}), '"Par"', f'"Pa{bad}r"'),
    "a member of a message": lambda bad: replaced(openai(rating="good"), '"good"', f'"go{bad}od"'),
    "an id": lambda bad: replaced(openai(), '"c1"', f'"c{bad}1"'),
}


@pytest.mark.parametrize("code", BAD_CHARACTERS)
@pytest.mark.parametrize("place", PLACES)
def test_a_character_that_loaders_refuse_is_found(tmp_path: Path, place: str, code: str) -> None:
    # In the JSON of a call within a text, the reader of calls refuses it.
    assert {code, "call-unreadable"} & codes(tmp_path, PLACES[place](BAD_CHARACTERS[code]))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("good", [r"\ud83d\ude00", r"\u00e9"])
def test_a_complete_character_is_not_accused(tmp_path: Path, place: str, good: str) -> None:
    assert codes(tmp_path, PLACES[place](good)).isdisjoint(BAD_CHARACTERS)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e400"])
@pytest.mark.parametrize(
    "row",
    [
        sharegpt(score=1234),
        sharegpt(score=[0, {"x": 1234}]),
        openai({"city": "Paris", "days": 1234}),
        openai(rating=1234),
        sharegpt(score=None, other=1234),
    ],
    ids=["a column", "a nested column", "an argument", "a member", "beside a null"],
)
def test_a_number_that_json_does_not_have_is_found(tmp_path: Path, row: dict, number: str) -> None:
    assert "non-finite-number" in codes(tmp_path, replaced(row, "1234", number))


@pytest.mark.parametrize(
    "line",
    [
        replaced(sharegpt(), '"source": "made"', '"source": "made", "source": "other"'),
        replaced(sharegpt(), '"from": "human"', '"from": "human", "from": "gpt"'),
        replaced(sharegpt(meta={"a": 1}), '"a": 1', '"a": 1, "a": 2'),
        replaced(sharegpt(), '\\"city\\": \\"Paris\\"', '\\"city\\": \\"Bern\\", \\"city\\": \\"Paris\\"'),
        replaced(sharegpt(), '\\"type\\": \\"function\\"', '\\"type\\": \\"a\\", \\"type\\": \\"function\\"'),
        replaced(openai(), '"role": "user"', '"role": "user", "role": "system"'),
        replaced(openai(), '\\"city\\": \\"Paris\\"', '\\"city\\": \\"Bern\\", \\"city\\": \\"Paris\\"'),
        replaced(openai({"city": "Paris"}), '"city": "Paris"', '"city": "Bern", "city": "Paris"'),
        replaced(openai(), '"type": "object"', '"type": "object", "type": "array"'),
        replaced(llamafactory("[1, 2]"), '\\"name\\": \\"get', '\\"name\\": \\"b\\", \\"name\\": \\"get'),
    ],
)
def test_a_key_twice_is_found(tmp_path: Path, line: bytes) -> None:
    # In a call within a text, it is a finding of the reader of calls.
    assert {"duplicate-key", "call-not-strict"} & codes(tmp_path, line)


def line_of(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"city": "Paris"}, "arguments-not-text"),
        ({}, "arguments-not-text"),
        ('{"city": "Paris"}', None),
        ('["Paris"]', "call-unreadable"),
        ('"{\\"city\\": \\"Paris\\"}"', "call-not-strict"),
        ("", "call-unreadable"),
        (None, "call-unreadable"),
        ("{", "call-not-strict"),
    ],
)
def test_arguments_that_openai_refuses_are_found(tmp_path: Path, arguments: Any, code: str | None) -> None:
    found = codes(tmp_path, line_of(openai(arguments)), read_as="openai")
    assert code in found if code else not found


def test_arguments_of_both_forms_in_one_file_are_named(tmp_path: Path) -> None:
    rows = [line_of(openai()), line_of(openai({"city": "Paris"}))]
    assert "mixed-arguments" in codes(tmp_path, *rows)
    assert "arguments-not-text" in codes(tmp_path, *rows, read_as="openai")


@pytest.mark.parametrize(
    "content", [b"", b"\n", b" \n\t\n", b"\xef\xbb\xbf", b"[]", b"[ ]\n", gzip.compress(b"", mtime=0)]
)
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json"])
def test_a_file_without_rows_is_an_error(tmp_path: Path, content: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert [found.finding.code for found in FilesCheck(files=[str(path)]).findings()] == ["empty-file"]
    assert not [*FilesCheck(files=[str(path)], allows_empty=True).findings()]


@pytest.mark.parametrize(
    "answer",
    [
        "<think>\nThe tool says 18. It is 18 degrees in Paris.",
        "<think>18",
        "<think>\n18\n</think>",
        "<think>\n18\n</think>\n\n",
        "<think>\nIs it 18?\n\nYes.\n</think >",
    ],
)
def test_a_final_thought_is_no_answer_and_no_fix_makes_it_one(tmp_path: Path, answer: str) -> None:
    found = codes(tmp_path, line_of(sharegpt(answer)))
    assert found & {"thought-only", "call-not-strict", "no-answer", "call-unreadable"}


@pytest.mark.parametrize(
    "results",
    [
        '[{"t": 18}, {"t": 19}]',
        '["sunny", "rainy"]',
        "[1.50, null]",
        ' [ [1], {"a": [2, 3]} ] ',
        '[{"t": "a, b]"}, {}]',
    ],
)
def test_a_list_of_the_results_of_parallel_calls_is_no_missing_result(tmp_path: Path, results: str) -> None:
    assert not codes(tmp_path, line_of(llamafactory(results)))


@pytest.mark.parametrize("results", ['[{"t": 18}]', "[1, 2, 3]", '{"t": 18}', "18"])
def test_a_list_of_another_length_is_one_result(tmp_path: Path, results: str) -> None:
    assert "call-without-result" in codes(tmp_path, line_of(llamafactory(results)))


@pytest.mark.parametrize(
    "call",
    [
        'get_weather(city="Paris")',
        "get_weather(city='Paris', days=2)",
        '```json\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n```',
        '{"name": "get_weather", "arguments": {"city": "Paris"}}',
        'I will call get_weather(city="Paris").',
        'result = get_weather(city="Paris")',
    ],
)
def test_a_call_as_prose_is_found(tmp_path: Path, call: str) -> None:
    assert codes(tmp_path, line_of(sharegpt(call))) & {"call-unreadable", "call-not-strict", "call-in-prose"}


@pytest.mark.parametrize(
    "twice",
    [CALL + "\n" + CALL, CALL + CALL, CALL + "\n" + CALL.replace('{"city": "Paris"}', '{"city":"Paris"}')],
)
def test_the_same_call_twice_is_found(tmp_path: Path, twice: str) -> None:
    row = sharegpt()
    row["conversations"][2]["value"] = twice
    row["conversations"][3]["value"] = "\n".join(['<tool_response>\n{"t": 18}\n</tool_response>'] * 2)
    assert "repeated-call" in codes(tmp_path, line_of(row))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("CafÃ© in Paris", "mojibake"),
        ("18 Â°C in Paris", "mojibake"),
        ("itâ€™s 18 degrees", "mojibake"),
        ("GrÃ¼ÃŸe aus Bern", "mojibake"),
        ("K\ufffdln am Rhein", "replacement-character"),
        ("\ufffd\ufffd", "replacement-character"),
    ],
)
def test_damaged_text_is_found(tmp_path: Path, text: str, code: str) -> None:
    assert code in codes(tmp_path, line_of(sharegpt(text)))


@pytest.mark.parametrize(
    "text", ["Café in Paris", "18 °C", "it’s 18", "SÃO PAULO", "Â", "Ça va ? Très bien."]
)
def test_text_with_accents_is_not_accused(tmp_path: Path, text: str) -> None:
    assert not codes(tmp_path, line_of(sharegpt(text)))


def test_one_pretty_printed_object_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "obj.json"
    path.write_text(json.dumps(sharegpt(), indent=2))
    assert not [*FilesCheck(files=[str(path)]).findings()]

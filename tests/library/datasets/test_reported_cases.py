"""The rows that users reported, each with what `check` and `convert` must say of it.

`test_row_cases.py` has more rows of each kind.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.library.datasets.test_row_cases import (
    CALL,
    TOOL,
    line_of,
    llamafactory,
    openai,
    replaced,
    sharegpt,
)
from workbench.library.datasets.checking import FilesCheck
from workbench.trajectory.formats.known import FORMATS, detect_format
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.repair import repair_row
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions


def repeated_call() -> dict[str, Any]:
    row = sharegpt()
    row["conversations"][2]["value"] = f"{CALL}\n{CALL}"
    row["conversations"][3]["value"] = "\n".join(['<tool_response>\n{"t": 18}\n</tool_response>'] * 2)
    return row


def call_as_answer() -> dict[str, Any]:
    row = sharegpt('get_weather(city="Bern")')
    del row["conversations"][2:4]
    return row


OTHER = line_of(
    {"conversations": [{"from": "human", "value": "Who are you?"}, {"from": "gpt", "value": "A model."}]}
)
FILES: dict[str, tuple[list[bytes], list[tuple[int | None, str]]]] = {
    "a column twice": (
        [OTHER, replaced(sharegpt(), '"source": "made"', '"source": "a", "source": "b"')],
        [(2, "duplicate-key")],
    ),
    "an empty file": ([], [(None, "empty-file")]),
    "a number beyond all bounds": (
        [OTHER, replaced(sharegpt(score=1234), "1234", "1e999")],
        [(2, "non-finite-number")],
    ),
    "NaN": ([replaced(sharegpt(score=1234), "1234", "NaN")], [(1, "non-finite-number")]),
    "half an emoji": (
        [OTHER, replaced(sharegpt(), "18 degrees.", r"18 \ud83d")],
        [(2, "lone-surrogate")],
    ),
    "NUL": ([replaced(sharegpt(), "18 degrees.", r"a\u0000b")], [(1, "null-character")]),
    "one list with the results of both calls": ([line_of(llamafactory('[{"t": 18}, {"t": 19}]'))], []),
    "the same call twice": ([line_of(repeated_call())], [(1, "repeated-call")]),
    "UTF-8 that was read as Latin-1": (
        [line_of(sharegpt("18 degrees in CafÃ© MÃ¼nchen."))],
        [(1, "mojibake")],
    ),
    "a call as an answer": ([line_of(call_as_answer())], [(1, "call-unreadable")]),
    "nothing wrong": ([line_of(sharegpt())], []),
    "arguments of both forms": (
        [line_of(openai()), line_of(openai({"city": "Bern"}))],
        [(2, "mixed-arguments")],
    ),
    "arguments as objects": ([line_of(openai({"city": "Bern"}))], []),
    "a thought without an end": (
        [line_of(sharegpt("<think>\nThe tool says 18. It is 18 degrees in Paris."))],
        [(1, "thought-only"), (1, "call-not-strict")],
    ),
}


def found_in(tmp_path: Path, lines: list[bytes], read_as: str = "auto") -> list[tuple[int | None, str]]:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    findings = FilesCheck(files=[str(path)], read_as=read_as).findings()
    return [(found.row, found.finding.code) for found in findings]


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_exactly_the_findings_that_it_should_have(tmp_path: Path, name: str) -> None:
    lines, expected = FILES[name]
    assert found_in(tmp_path, lines) == expected


def test_openai_needs_arguments_as_text(tmp_path: Path) -> None:
    for name in ("arguments of both forms", "arguments as objects"):
        lines, _ = FILES[name]
        assert found_in(tmp_path, lines, "openai") == [(len(lines), "arguments-not-text")]


def converted(row: dict[str, Any], to: str) -> tuple[Any, set[str]]:
    """Return the row in another format, or None, and what is reported."""
    row_format = detect_format(row)
    assert row_format is not None
    done = convert_row(row, row_format, FORMATS[to], RowOptions())
    changes = {change.detail if change.code == "entry-keys" else str(change.code) for change in done.changes}
    return done.row, changes | {problem.code for problem in done.problems}


def test_a_thought_without_an_end_is_never_fixed() -> None:
    row, reported = converted(sharegpt("<think>\nIt is 18 degrees."), "trl")
    assert (row, reported) == (None, {"call-unreadable"})


def test_a_call_in_xml_keeps_the_types_of_its_schema() -> None:
    row = sharegpt()
    xml = "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>"
    row["conversations"][2]["value"] = f"<tool_call>\n{xml}\n</tool_call>"
    written, _ = converted(row, "trl")
    assert written["messages"][2]["tool_calls"][0]["function"]["arguments"] == {"city": "Oslo", "days": 3}


NOW: dict[str, Any] = {
    "type": "function",
    "function": {"name": "now", "parameters": {"type": "object", "properties": {}}},
}


@pytest.mark.parametrize("arguments", ["  ", None, ""])
def test_no_arguments_of_a_tool_without_parameters_are_an_empty_object(arguments: str | None) -> None:
    row = openai(arguments)
    row["messages"][1]["tool_calls"][0]["function"]["name"] = "now"
    written, reported = converted({**row, "tools": [NOW]}, "trl")
    assert written["messages"][1]["tool_calls"][0]["function"]["arguments"] == {}
    assert reported == {"fixed"}


def test_nulls_that_arrow_filled_in_are_removed_at_every_depth() -> None:
    parameters = {
        "type": "object",
        "properties": {"city": {"type": "string", "enum": None}, "zone": None, "at": {"type": "object", "properties": {"x": {"type": "integer"}, "y": None}}},
    }  # fmt: skip
    tool = {
        "type": "function",
        "function": {"name": "get_weather", "description": None, "parameters": parameters},
    }
    row = {**openai({"city": "Paris", "zone": None, "at": {"x": 1, "y": None}}), "tools": [tool]}
    written, reported = converted(row, "trl")
    assert written["messages"][1]["tool_calls"][0]["function"]["arguments"] == {
        "city": "Paris",
        "at": {"x": 1},
    }
    assert reported == {"schema-nulls", "none-filled"}
    row_format = detect_format(row)
    assert row_format is not None
    repaired = repair_row(parse_texts(row_format.read(row)))
    for fields in (written, repaired.fields):
        again = detect_format(fields)
        assert again is not None
        assert check_completely(again.read(fields)).findings == ()
    assert repaired.repairs


@pytest.mark.parametrize("to", ["trl", "sharegpt", "raw", "llamafactory"])
def test_keys_of_calls_and_messages_are_kept_or_reported(to: str) -> None:
    row = openai(images=["a.png"], rating=4, metadata={"k": "v7"})
    signature = {"google": {"thought_signature": "s3cr"}}
    row["messages"][1]["tool_calls"][0]["extra_content"] = signature
    row["messages"][2]["is_error"] = True
    written, reported = converted(row, to)
    text = json.dumps(written)
    for key, value in (("images", "a.png"), ("metadata", "v7"), ("rating", "4"), ("is_error", "true")):
        assert (key in text and value in text) or key in reported
    assert "thought_signature" in text or "call-members" in reported


def test_the_prompt_of_two_whole_conversations_is_what_both_begin_with() -> None:
    question, good, bad = (
        {"role": role, "content": content}
        for role, content in (("user", "Hi"), ("assistant", "Hello"), ("assistant", "What?"))
    )
    written, reported = converted({"chosen": [question, good], "rejected": [question, bad]}, "dpo")
    assert (written, reported) == ({"prompt": [question], "chosen": [good], "rejected": [bad]}, set())


@pytest.mark.parametrize("role", ["tool", "user"])
def test_hermes_text_in_messages_has_calls_and_results(role: str) -> None:
    messages = [
        {"role": "user", "content": "Weather in Paris?"},
        {"role": "assistant", "content": CALL},
        {"role": role, "content": '<tool_response>\n{"t": 18}\n</tool_response>'},
        {"role": "assistant", "content": "<think>\nadd\n</think>\n\n18 degrees."},
    ]
    written, _ = converted({"tools": [TOOL], "messages": messages}, "openai")
    function = written["messages"][1]["tool_calls"][0]["function"]
    assert (function["name"], json.loads(function["arguments"])) == ("get_weather", {"city": "Paris"})
    assert (written["messages"][2]["role"], written["messages"][2]["content"]) == ("tool", '{"t": 18}')
    written, _ = converted({"tools": [TOOL], "messages": messages}, "sharegpt")
    assert written["conversations"][-1]["value"] == "<think>\nadd\n</think>\n\n18 degrees."


@pytest.mark.parametrize("weight", [-1, 0.5, 2, "0"])
def test_a_weight_that_no_convention_has_is_an_error(weight: Any) -> None:
    assert converted(openai(weight=weight), "sharegpt") == (None, {"mask-value"})


@pytest.mark.parametrize(("key", "value"), [("training", False), ("weight", 0.0), ("masked", True)])
def test_a_mask_is_written_as_openai_has_it(key: str, value: Any) -> None:
    row = sharegpt()
    row["conversations"][-1][key] = value
    written, reported = converted(row, "openai")
    assert written["messages"][-1]["weight"] == 0
    assert "loss-mask" not in reported

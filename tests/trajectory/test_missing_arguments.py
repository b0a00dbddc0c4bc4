"""A call without arguments is read as one with `{}` if its tool requires none; otherwise it is an error."""

import json
from typing import Any

import pytest

from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.repair import repair_row
from workbench.trajectory.writing.convert import Converted, convert_row
from workbench.trajectory.writing.row_draft import RowOptions

NOW = {
    "name": "now",
    "description": "Now.",
    "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}},
}
READ = {
    "name": "read",
    "description": "Read.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
}
MISSING = "missing"
"""Stands for no key `arguments`."""
NOTHING = [None, "", " \n", MISSING, "null", '""', "None", "''"]
"""Null and empty texts may also be written as JSON or Python inside the text of the arguments."""
TARGETS = [name for name in WRITTEN if FORMATS[name].content is RowContent.CONVERSATION]


def function(name: str, arguments: object) -> dict[str, Any]:
    return {"name": name} | ({} if arguments is MISSING else {"arguments": arguments})


def chat(*functions: dict[str, Any]) -> dict[str, Any]:
    calls = [{"id": f"c{place}", "type": "function", "function": one} for place, one in enumerate(functions)]
    return {
        "messages": [
            {"role": "user", "content": "now?"},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": call["id"], "content": "4"} for call in calls),
            {"role": "assistant", "content": "4"},
        ],
        "tools": [{"type": "function", "function": spec} for spec in (NOW, READ)],
    }


def llamafactory(*functions: dict[str, Any]) -> dict[str, Any]:
    return {
        "conversations": [
            {"from": "human", "value": "now?"},
            {"from": "function_call", "value": json.dumps(functions)},
            {"from": "observation", "value": "\n</tool_response>\n<tool_response>\n".join("4" for _ in functions)},
            {"from": "gpt", "value": "4"},
        ],
        "tools": json.dumps([NOW, READ]),
    }  # fmt: skip


def xlam(*functions: dict[str, Any]) -> dict[str, Any]:
    return {"query": "now?", "answers": json.dumps(functions), "tools": json.dumps([NOW, READ])}


ROWS = {"chat": chat, "llamafactory": llamafactory, "xlam": xlam}
GOOD = function("read", {"path": "a"})


def convert(row: dict[str, Any], target: str = "trl") -> Converted:
    form = detect_format(row)
    assert form is not None
    return convert_row(row, form, FORMATS[target], RowOptions())


def codes(row: dict[str, Any]) -> list[str]:
    form = detect_format(row)
    assert form is not None
    return [finding.code for finding in check_completely(form.read(row)).findings]


@pytest.mark.parametrize("nothing", NOTHING, ids=repr)
@pytest.mark.parametrize("name", ROWS)
def test_no_arguments_are_an_empty_object_if_the_tool_requires_none(name: str, nothing: object) -> None:
    row = ROWS[name](GOOD, function("now", nothing))
    assert codes(row) == ["call-not-strict"]
    for target in TARGETS:
        done = convert(row, target)
        assert done.row is not None, done.problems
        assert [change.detail for change in done.changes if change.code.value == "fixed"] == [
            "missing-arguments"
        ]
        back = read_trajectory(FORMATS[target].read(json.loads(json.dumps(done.row)))).trajectory
        calls = [call for message in back.messages for call in message.calls]
        assert [(call.name, call.arguments) for call in calls] == [("read", {"path": "a"}), ("now", {})]


@pytest.mark.parametrize("nothing", NOTHING, ids=repr)
@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("tool", ["read", "unknown"])
def test_it_is_an_error_if_the_tool_requires_some_or_is_not_known(
    tool: str, name: str, nothing: object
) -> None:
    for row in (
        ROWS[name](function(tool, nothing)),
        ROWS[name](function("now", nothing), function(tool, nothing)),
    ):
        assert "call-unreadable" in codes(row)
        done = convert(row)
        assert done.row is None
        assert {problem.code for problem in done.problems} == {"call-unreadable"}
        assert "the call has no arguments" in done.problems[0].message


@pytest.mark.parametrize("nothing", NOTHING, ids=repr)
@pytest.mark.parametrize("form", ["openai", "trl"])
def test_fix_out_writes_an_empty_object_in_the_form_of_the_row(form: str, nothing: object) -> None:
    is_text = form == "openai"
    other = function("read", '{"path": "a"}' if is_text else {"path": "a"})
    row = chat(other, function("now", nothing))
    assert detect_format(row) is FORMATS[form]
    repaired = repair_row(parse_texts(FORMATS[form].read(row)))
    assert repaired.fields == chat(other, function("now", "{}" if is_text else {}))
    assert codes(dict(repaired.fields)) == []

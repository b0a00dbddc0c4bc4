"""The values of XML calls have the types of their schemas in every format; the values of JSON calls stay as they are."""

import json
from typing import Any

import pytest

from workbench.hermes.spelling.families import FAMILIES
from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.writing.convert import Converted, convert_row
from workbench.trajectory.writing.row_draft import RowOptions

PARAMETERS = {
    "days": {"type": "integer"},
    "on": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "name": {"type": "string"},
}
SPEC = {
    "name": "set",
    "description": "Set it.",
    "parameters": {"type": "object", "properties": PARAMETERS, "required": ["days"]},
}
TOOLS = json.dumps([{"type": "function", "function": SPEC}])
ARGUMENTS = {"days": 3, "on": True, "tags": ["a", "b"], "name": "7"}
XML = (
    "<tool_call>\n<function=set>\n<parameter=days>\n3\n</parameter>\n<parameter=on>\ntrue\n</parameter>\n"
    '<parameter=tags>\n["a", "b"]\n</parameter>\n<parameter=name>\n7\n</parameter>\n</function>\n</tool_call>'
)
JSON = '<tool_call>\n{"name": "set", "arguments": {"days": "3", "on": "true"}}\n</tool_call>'
TARGETS = [name for name in WRITTEN if FORMATS[name].content is RowContent.CONVERSATION]


def row(*calls: str, system: str = "") -> dict[str, Any]:
    entries = [{"from": "system", "value": system}] if system else []
    entries.append({"from": "human", "value": "Go."})
    for call in calls:
        entries.append({"from": "gpt", "value": call})
        results = "\n".join(["<tool_response>\nok\n</tool_response>"] * call.count("<tool_call>"))
        entries.append({"from": "tool", "value": results})
    return {"conversations": [*entries, {"from": "gpt", "value": "Done."}], "tools": TOOLS}


def convert(given: dict[str, Any], target: str, options: RowOptions | None = None) -> Converted:
    form = detect_format(given)
    assert form is not None
    done = convert_row(given, form, FORMATS[target], options or RowOptions())
    assert done.row is not None, done.problems
    return done


def arguments_of(written: dict[str, Any], target: str) -> list[dict[str, Any]]:
    trajectory = read_trajectory(FORMATS[target].read(json.loads(json.dumps(written)))).trajectory
    return [dict(call.arguments) for message in trajectory.messages for call in message.calls]


@pytest.mark.parametrize("target", TARGETS)
def test_xml_values_are_typed_and_json_values_are_not(target: str) -> None:
    for given, expected in (
        (row(XML), [ARGUMENTS]),
        (row(JSON), [{"days": "3", "on": "true"}]),
        (row(XML, JSON), [ARGUMENTS, {"days": "3", "on": "true"}]),
        (row(XML.replace("3", "three")), [{**ARGUMENTS, "days": "three"}]),
        ({**row(XML), "tools": "[]"}, [{"days": "3", "on": "true", "tags": '["a", "b"]', "name": "7"}]),
    ):
        assert arguments_of(convert(given, target).row or {}, target) == expected


@pytest.mark.parametrize("target", TARGETS)
def test_a_converted_xml_call_has_no_new_findings(target: str) -> None:
    form = FORMATS[target]
    assert check_completely(form.read(convert(row(XML), target).row or {})).findings == ()


def test_a_value_that_only_the_schema_makes_wrong_is_fixed_and_reported() -> None:
    done = convert(row(XML.replace("\n3\n", "\n007\n").replace("true", "TRUE")), "trl")
    assert arguments_of(done.row or {}, "trl") == [{**ARGUMENTS, "days": 7}]
    assert [change.detail for change in done.changes] == ["constant-case, lenient-number"]


def changes_of(done: Converted, code: str) -> list[int | None]:
    return [change.entry for change in done.changes if change.code.value == code]


TEXTS = ("sharegpt", "hermes-agent", "raw")


@pytest.mark.parametrize("target", TEXTS)
def test_calls_get_the_form_that_the_system_text_asks_for(target: str) -> None:
    # The list of tools that is added asks for JSON, or for XML if the frame is one of Qwen3-Coder.
    done = convert(row(XML), target)
    assert "<function=" not in json.dumps(done.row)
    assert changes_of(done, "call-form") == [1]
    if target != "hermes-agent":
        coder = RowOptions(frame="template-qwen3-coder")
        assert changes_of(convert(row(XML), target, coder), "call-form") == []
        assert '"arguments"' not in json.dumps(convert(convert(row(XML), "trl").row or {}, target, coder).row)
        done = convert(row(JSON), target, coder)
        assert arguments_of(done.row or {}, target) == [{"days": "3", "on": "true"}]
        assert (
            changes_of(done, "call-form") == []
        )  # "3" cannot be written as XML where the schema has an integer


@pytest.mark.parametrize("family", [name for name, family in FAMILIES.items() if family.dialect == "xml"])
def test_each_family_with_xml_calls_has_a_frame_for_them(family: str) -> None:
    done = convert(convert(row(XML), "openai").row or {}, "sharegpt", RowOptions(frame=f"template-{family}"))
    assert changes_of(done, "call-form") == [1]
    assert arguments_of(done.row or {}, "sharegpt") == [ARGUMENTS]
    assert check_completely(FORMATS["sharegpt"].read(done.row or {})).findings == ()


def test_calls_stay_as_they_are_if_the_system_text_shows_no_example_or_both() -> None:
    example = '<tool_call>\n{"name": <name>, "arguments": <arguments>}\n</tool_call>'
    listed = f"<tools>\n{TOOLS}\n</tools>"
    for system in (f"Use {listed}.", f"Use {listed}: {example} or <tool_call>\n<function=name>."):
        done = convert(row(XML, JSON, system=system), "sharegpt")
        assert changes_of(done, "call-form") == []
        assert XML in [entry["value"] for entry in (done.row or {})["conversations"]]
    kept = RowOptions(keeps_call_form=True)
    assert changes_of(convert(row(XML, system=f"{listed} {example}"), "sharegpt", kept), "call-form") == []
    done = convert(row(XML, JSON, system=f"{listed} {example}"), "sharegpt")
    assert changes_of(done, "call-form") == [2]

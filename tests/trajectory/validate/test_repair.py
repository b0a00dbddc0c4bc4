"""Safe repairs are applied in the row's own format, guesses are not."""

import json
from typing import Any

import pytest

from tests.trajectory.validate.rows import OPENAI, SHAREGPT, SPEC, TRL, VALID, changed, findings_of
from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.repair import RepairedRow, repair_row

CALLING = SHAREGPT["conversations"][2]["value"]


def repaired(row: dict[str, Any]) -> RepairedRow:
    form = detect_format(row)
    assert form
    return repair_row(parse_texts(form.read(row)))


WITHOUT_OPEN_TAG = (
    "I look.\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>"
)


def speaking(text: str) -> dict[str, Any]:
    return changed(SHAREGPT, "conversations", 2, "value", to=text)


def given(arguments: object, row: dict[str, Any]) -> dict[str, Any]:
    return changed(row, "messages", 2, "tool_calls", 0, "function", "arguments", to=arguments)


@pytest.mark.parametrize("name", VALID)
def test_a_valid_row_is_returned_unchanged(name: str) -> None:
    assert repaired(VALID[name]) == RepairedRow(fields=VALID[name])


@pytest.mark.parametrize(
    ("row", "wanted", "codes"),
    [
        (speaking(CALLING.replace("2}", "2,}")), SHAREGPT, ["call-not-strict"]),
        (speaking(CALLING.replace("2}", '2, "unit": null}')), SHAREGPT, ["none-filled"]),
        (speaking(CALLING.replace("2}", '2, "unit": null,}')), SHAREGPT, ["call-not-strict", "none-filled"]),
        (given('{"city": "Paris", "days": 2,}', OPENAI), OPENAI, ["call-not-strict"]),
        (given('{"city": "Paris", "days": 2, "unit": null}', OPENAI), OPENAI, ["none-filled"]),
        (given({"city": "Paris", "days": 2, "zone": None}, TRL), TRL, ["none-filled"]),
    ],
)
def test_a_safe_repair_is_made(row: dict[str, Any], wanted: dict[str, Any], codes: list[str]) -> None:
    result = repaired(row)
    assert result.fields == wanted
    assert [repair.code for repair in result.repairs] == codes
    assert {repair.entry for repair in result.repairs} == {2}
    assert findings_of(dict(result.fields)) == []


@pytest.mark.parametrize(
    "text",
    [
        CALLING.replace('"Paris"', '"Pa"ris"'),
        CALLING.replace('"arguments": {"city": "Paris", "days": 2}', '"city": "Paris"'),
        CALLING.replace('{"city": "Paris", "days": 2}', "[1]"),
        WITHOUT_OPEN_TAG,
        "<think>\nI need the weather. It is 18 degrees.",
    ],
)
def test_guesses_and_lost_calls_are_not_repaired(text: str) -> None:
    assert repaired(speaking(text)) == RepairedRow(fields=speaking(text))


def test_the_original_row_is_not_modified() -> None:
    row = speaking(CALLING.replace("2}", "2,}"))
    repaired(row)
    assert row == speaking(CALLING.replace("2}", "2,}"))


def test_check_proposes_a_repair_only_where_it_is_made() -> None:
    broken = '{"name": "get_weather", "arguments": {"city": "Rome",}}'
    question: dict[str, Any] = {"role": "user", "content": "Weather?"}
    answer: dict[str, Any] = {"role": "assistant", "content": "Sun."}
    swift = [
        question,
        {"role": "tool_call", "content": broken},
        {"role": "tool_response", "content": "sun"},
        answer,
    ]
    parts = [{"type": "tool_call", "value": broken}]
    v1 = [
        {"role": "user", "content": [{"type": "text", "value": "Weather?"}]},
        {"role": "assistant", "content": parts},
        {"role": "tool", "content": [{"type": "text", "value": "sun"}]},
        {"role": "assistant", "content": [{"type": "text", "value": "Sun."}]},
    ]
    rows = [{"messages": messages, "tools": json.dumps([SPEC])} for messages in (swift, v1)]
    rows += [given('{"city": "Rome",}', OPENAI), speaking(f"<tool_call>\n{broken}\n</tool_call>")]
    for row in rows:
        [message] = {found.message for found in findings_of(row) if found.code == "call-not-strict"}
        assert ("--fix-out" in message) == bool(repaired(row).repairs)
    assert [bool(repaired(row).repairs) for row in rows] == [False, False, True, True]


def test_a_null_among_the_required_names_is_removed() -> None:
    tool = changed(SPEC, "function", "parameters", "required", to=["city", None])
    assert repaired(changed(TRL, "tools", 0, to=tool)).fields == TRL

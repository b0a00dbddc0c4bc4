"""Safe repairs are made in the row's own format; what is a guess is left."""

from typing import Any

import pytest

from tests.trajectory.validate.rows import OPENAI, SHAREGPT, SOUND, TRL, changed, said
from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.repair import RepairedRow, repair_row

CALLING = SHAREGPT["conversations"][2]["value"]


def mended(row: dict[str, Any]) -> RepairedRow:
    form = detect_format(row)
    assert form
    return repair_row(parse_texts(form.read(row)))


def speaking(text: str) -> dict[str, Any]:
    return changed(SHAREGPT, "conversations", 2, "value", to=text)


def given(arguments: object, row: dict[str, Any]) -> dict[str, Any]:
    return changed(row, "messages", 2, "tool_calls", 0, "function", "arguments", to=arguments)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_row_is_given_back_as_it_came(name: str) -> None:
    assert mended(SOUND[name]) == RepairedRow(fields=SOUND[name])


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
    result = mended(row)
    assert result.fields == wanted
    assert [one.code for one in result.repairs] == codes
    assert {one.entry for one in result.repairs} == {2}
    assert said(dict(result.fields)) == []


@pytest.mark.parametrize(
    "text",
    [
        CALLING.replace('"Paris"', '"Pa"ris"'),
        CALLING.replace('"arguments": {"city": "Paris", "days": 2}', '"city": "Paris"'),
        CALLING.replace('{"city": "Paris", "days": 2}', "[1]"),
    ],
)
def test_a_guess_and_a_lost_call_are_left(text: str) -> None:
    assert mended(speaking(text)) == RepairedRow(fields=speaking(text))


def test_the_row_that_came_is_not_changed() -> None:
    row = speaking(CALLING.replace("2}", "2,}"))
    mended(row)
    assert row == speaking(CALLING.replace("2}", "2,}"))

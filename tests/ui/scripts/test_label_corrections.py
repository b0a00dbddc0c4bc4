"""Corrections in the Label tab, and what is shown beside them."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from tests.ui.scripts.label_desk import ANSWER, CALL, Desk
from workbench.label.page.present.tab import ActionAnswer

pytestmark = pytest.mark.browser


# Corrections


def test_a_call_is_corrected_in_a_form_whose_draft_survives_a_reload(desk: Desk) -> None:
    desk.press("e")
    city = desk.panel.get_by_label("city", exact=True)
    expect(city).to_be_focused()
    expect(city).to_have_value("Cairo")
    desk.press(*"London")
    desk.component.reload()
    again = Desk(desk.component).begin()
    expect(again.panel.get_by_label("city", exact=True)).to_have_value("London")
    again.press("Control+Enter")
    expect(again.component.element.get_by_text('get_weather {"city":"London"}')).to_be_visible()
    [(message, call, fields)] = again.labels()
    assert (message, call, fields["verdict"]) == (*CALL, "bad-arguments")
    assert fields["correction"]["form"] == {"name": "get_weather", "texts": {"city": "London"}}
    assert again.panel.get_by_label("city", exact=True).count() == 0


def test_a_form_opens_at_the_parameter_that_has_an_error(component: Component) -> None:
    desk = Desk(component)
    desk.broken = "unit"
    desk.begin().press("e")
    expect(desk.panel.get_by_label("unit", exact=True)).to_be_focused()


def test_text_options_have_no_quotes_and_are_found_by_their_first_letter(desk: Desk) -> None:
    desk.press("e")
    unit = desk.panel.get_by_label("unit", exact=True)
    assert unit.locator("option").all_text_contents() == ["not set", "celsius", "fahrenheit"]
    unit.focus()
    desk.press("f", "Control+Enter")
    [(_, _, fields)] = desk.labels()
    assert fields["correction"]["form"]["texts"]["unit"] == '"fahrenheit"'


def test_a_refused_correction_stays_in_its_form_and_is_saved_when_it_is_confirmed(desk: Desk) -> None:
    desk.refusals["label"] = ActionAnswer(
        client="", number=0, session="", problem="It does not fit.", code="schema", can_confirm=True
    )
    desk.press("e", "Control+A", *"Rome", "Control+Enter")
    desk.answer()
    expect(desk.notice).to_have_text("It does not fit. Ctrl+Enter again saves it.")
    expect(desk.panel.get_by_label("city", exact=True)).to_have_value("Rome")
    desk.press("Enter")
    expect(desk.notice).to_contain_text("is not saved. Ctrl+Enter saves it. Enter again submits anyway.")
    desk.press("Control+Enter")
    [(_, _, fields)] = desk.labels()
    assert fields["correction"]["form"]["texts"] == {"city": "Rome"}


def test_an_open_correction_is_not_submitted_by_one_enter(desk: Desk) -> None:
    desk.press("j", "e", *"x", "Escape", "Enter")
    expect(desk.notice).to_contain_text("is not saved")
    assert desk.take() == []
    desk.press("Enter")
    assert [action["kind"] for action in desk.actions()] == ["submit"]
    desk.press("p")
    desk.answer()
    expect(desk.panel.get_by_label("Text", exact=True)).to_have_value("31 in one.x")


def answer_one(desk: Desk) -> None:
    """Answer the command in progress, and none of those that follow."""
    command = desk.take().pop(0)
    desk.component.update(desk.carry_out(command))


@pytest.mark.parametrize("answered_after", range(4))
def test_a_form_that_is_opened_again_while_it_is_saved_gets_the_keys(desk: Desk, answered_after: int) -> None:
    """Whenever the answer comes: letters that are typed into the form do not act as shortcuts."""
    desk.press("e", "Control+A", *"Rome", "Control+Enter")
    for place, key in enumerate(("e", "Control+A", "r", "a")):
        if place == answered_after:
            answer_one(desk)
        desk.press(key)
    expect(desk.panel.get_by_label("city", exact=True)).to_have_value("ra")
    desk.press("Control+Enter")
    desk.answer()
    assert desk.saved["one", *CALL].arguments == '{"city": "ra"}'
    assert {kind["kind"] for kind in desk.actions()} == {"label"}


@pytest.mark.parametrize("answered_after", range(4))
def test_a_correction_is_undone_and_made_again_while_it_is_saved(desk: Desk, answered_after: int) -> None:
    desk.press("e", "Control+A", *"Rome", "Control+Enter")
    for place, key in enumerate(("u", "e", "Control+A", "a")):
        if place == answered_after:
            answer_one(desk)
        desk.press(key)
    expect(desk.panel.get_by_label("city", exact=True)).to_have_value("a")
    desk.press("Escape", "Escape", "e")
    expect(desk.panel.get_by_label("city", exact=True)).to_have_value("Cairo")
    desk.answer()
    assert desk.saved == {}


def test_escape_discards_an_unfinished_correction(desk: Desk) -> None:
    desk.press("j", "e")
    desk.panel.get_by_label("Text", exact=True).fill("other")
    desk.press("Escape")
    expect(desk.panel.get_by_label("Text", exact=True)).to_have_value("other")
    desk.press("Escape")
    expect(desk.panel.get_by_label("Text", exact=True)).to_have_count(0)
    assert desk.take() == []


def test_the_text_of_any_message_is_corrected_beside_the_original(desk: Desk) -> None:
    desk.press("K", "e")
    expect(desk.panel.locator(".hw-original")).to_have_text("How warm is it?")
    desk.panel.get_by_label("Text", exact=True).fill("How cold is it?")
    desk.press("Control+Enter")
    [(message, call, fields)] = desk.labels()
    assert (message, call, fields["correction"]["text"]) == ("u1", None, "How cold is it?")
    assert "verdict" not in fields


def test_a_correction_that_equals_the_original_is_no_correction(desk: Desk) -> None:
    desk.press("j", "e", "Control+Enter")
    expect(desk.notice).to_have_text("This equals the original, so there is no correction.")
    assert desk.labels() == []


def test_a_stale_message_is_accepted_without_a_new_verdict_or_regenerated(component: Component) -> None:
    desk = Desk(component)
    desk.stale = ("m2",)
    desk.begin()
    desk.press("j", "7")
    desk.answer()
    desk.press("a")
    expect(component.element.locator(".is-stale")).to_have_count(0)
    [_, accepted] = desk.actions()
    assert (accepted["kind"], accepted["message"]) == ("accept", "m2")
    assert desk.saved["one", *ANSWER].verdict == "bad-answer"
    desk.press("g")
    [command] = desk.take()
    assert (command["is_again"], command["message"]) == (True, "m2")
    expect(component.element.get_by_text("regenerating · Esc stops")).to_be_visible()
    desk.press("Escape")
    assert component.events == [("label_stop", {})]
    desk.answer()
    expect(component.element.get_by_text("regenerating")).to_have_count(0)


def test_a_second_enter_submits_in_spite_of_a_stale_message(component: Component) -> None:
    desk = Desk(component)
    desk.stale = ("m2",)
    desk.begin()
    desk.press("Enter")
    expect(desk.notice).to_have_text(
        "1 message follows a correction. Accept (A) or regenerate (g). Enter again submits anyway."
    )
    assert desk.take() == []
    desk.press("Enter")
    [action] = desk.actions()
    assert (action["kind"], action["is_confirmed"]) == ("submit", True)


def test_verdicts_that_the_project_requires_cannot_be_left_out(component: Component) -> None:
    desk = Desk(component)
    desk.project = replace(desk.project, requires_verdicts=True)
    desk.begin()
    desk.press("1", "Enter", "Enter")
    expect(desk.notice).to_have_text("“m2 itself” has no verdict. A accepts the rest.")
    assert [action["kind"] for action in desk.actions()] == ["label"]
    desk.press("A", "Enter")
    assert [action["kind"] for action in desk.actions()] == ["accept-rest", "submit"]


# What is shown beside the call


def test_the_schema_of_the_called_tool_is_shown_and_stays_folded(desk: Desk) -> None:
    schema = desk.panel.locator("details.hw-schema").first
    expect(schema).to_contain_text("The weather of a city.")
    expect(schema).to_contain_text("celsius | fahrenheit")
    schema.locator("summary").click()
    desk.press("j", "k")
    expect(desk.panel.locator("details.hw-schema").first).not_to_have_attribute("open", "")
    expect(desk.panel).to_contain_text("Other tools (1)")

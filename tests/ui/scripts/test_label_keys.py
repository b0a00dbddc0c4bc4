"""The keys of the Label tab: the cursor, and the change that each key makes."""

from dataclasses import replace
from typing import Any, cast

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from tests.ui.scripts.label_desk import ANSWER, CALL, Desk
from workbench.label.page.present.tab import QuestionView

pytestmark = pytest.mark.browser


# The cursor


def test_j_and_k_move_between_calls_and_answers(desk: Desk) -> None:
    heading = desk.panel.get_by_role("heading").first
    expect(heading).to_have_text("m1 call 0")
    desk.press("k")
    expect(heading).to_have_text("m1 call 0")
    desk.press("j")
    expect(heading).to_have_text("m2 itself")
    desk.press("j")
    expect(heading).to_have_text("m2 itself")
    expect(desk.here).to_have_attribute("data-id", "m2")


def test_keys_do_nothing_while_the_tab_is_hidden(desk: Desk) -> None:
    """Otherwise `c` opens a field that cannot take the focus, and the letters of the comment are pressed as keys."""
    desk.component.page.evaluate("document.body.style.visibility = 'hidden'")
    desk.press("c", "a", "1")
    assert desk.labels() == []
    desk.component.page.evaluate("document.body.style.visibility = ''")
    desk.press("c")
    expect(desk.component.page.get_by_label("Comment")).to_be_focused()


def test_a_click_selects_a_message_that_the_keys_skip(desk: Desk) -> None:
    desk.component.element.get_by_text("How warm is it?").click()
    expect(desk.panel.get_by_role("heading").first).to_have_text("u1 itself")
    desk.press("1", "6")
    assert desk.labels() == []
    desk.press("j")
    expect(desk.panel.get_by_role("heading").first).to_have_text("m1 call 0")


def test_the_cursor_returns_to_its_place_in_a_conversation(desk: Desk) -> None:
    desk.press("j", "n")
    desk.answer()
    assert desk.open_session == "two"
    desk.press("p")
    desk.answer()
    assert desk.open_session == "one"
    expect(desk.panel.get_by_role("heading").first).to_have_text("m2 itself")


# Verdicts


@pytest.mark.parametrize(
    ("keys", "target", "fields"),
    [
        (["1"], CALL, {"verdict": "right"}),
        (["2"], CALL, {"verdict": "wrong-tool"}),
        (["3"], CALL, {"verdict": "bad-arguments"}),
        (["4"], CALL, {"verdict": "needless"}),
        (["5"], CALL, {"verdict": "should-ask"}),
        (["6"], ("m1", None), {"verdict": "missing-call"}),
        (["7"], ("m1", None), {"verdict": "bad-answer"}),
        (["j", "1"], ANSWER, {"verdict": "good"}),
        (["j", "6"], ANSWER, {"verdict": "missing-call"}),
        (["Shift+Digit1"], CALL, {"rating": 1}),
        (["Shift+Digit5"], CALL, {"rating": 5}),
    ],
    ids=lambda value: " ".join(cast("list[str]", value)) if isinstance(value, list) else None,
)
def test_a_key_sets_one_field_of_one_target(
    desk: Desk, keys: list[str], target: tuple[str, int | None], fields: dict[str, Any]
) -> None:
    desk.press(*keys)
    assert desk.labels() == [(*target, fields)]


@pytest.mark.parametrize(
    "keys",
    [["j", "2"], ["j", "5"], ["8"], ["Shift+Digit6"], ["Control+1"], ["Alt+1"], ["x"]],
    ids=lambda keys: " ".join(keys),
)
def test_other_keys_do_nothing(desk: Desk, keys: list[str]) -> None:
    desk.press(*keys)
    assert desk.take() == []


def test_the_same_key_again_undoes_it_before_the_server_has_answered(desk: Desk) -> None:
    desk.press("3")
    pressed = desk.panel.get_by_role("button", name="bad arguments")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    desk.press("3", "Shift+Digit4")
    expect(pressed).to_have_attribute("aria-pressed", "false")
    desk.press("Shift+Digit4")
    desk.answer()
    assert (desk.saved["one", *CALL].verdict, desk.saved["one", *CALL].rating) == ("", 0)


def test_the_verdict_on_the_message_of_a_call_is_shown_at_once(desk: Desk) -> None:
    pressed = desk.panel.get_by_role("button", name="missing call")
    desk.press("6")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    desk.press("6")
    expect(pressed).to_have_attribute("aria-pressed", "false")


def test_a_accepts_one_target_and_shift_a_the_rest(desk: Desk) -> None:
    desk.press("a", "A")
    expect(desk.panel.get_by_role("heading").first).to_have_text("m2 itself")
    expect(desk.panel.get_by_role("button", name="good")).to_have_attribute("aria-pressed", "true")
    one, rest = desk.actions()
    assert (one["kind"], one["message"], one["call"]) == ("accept", *CALL)
    assert (rest["kind"], rest["session"]) == ("accept-rest", "one")


def test_u_undoes_one_action_after_the_other_in_any_conversation(desk: Desk) -> None:
    desk.press("1", "j", "1", "Enter")
    desk.answer()
    assert desk.open_session == "two"
    desk.press("2", "u", "u")
    assert desk.open_session == "one"
    desk.press("u", "u")
    expect(desk.panel.get_by_role("heading").first).to_have_text("m1 call 0")
    actions = desk.actions()
    done = [(action["client"], action["number"]) for action in actions if action["kind"] != "undo"]
    undone = [
        (action["undoes"]["client"], action["undoes"]["number"]) for action in actions if "undoes" in action
    ]
    assert len(undone) == 4
    assert undone[0] == done[-1]
    assert (desk.saved, desk.closed) == ({}, {})
    desk.press("u")
    expect(desk.notice).to_have_text("Nothing to undo.")


def test_undo_goes_on_after_a_reload(desk: Desk) -> None:
    desk.press("1", "j", "1")
    desk.answer()
    saved, before = desk.saved, desk.before
    desk.component.reload()
    again = Desk(desk.component)
    again.saved, again.before = saved, before
    again.begin()
    again.press("u", "u")
    again.answer()
    assert again.saved == {}


def test_letters_in_a_tag_or_comment_are_not_shortcuts(desk: Desk) -> None:
    desk.press("t", "j", "k", "r", "Enter", "Escape", "c", *"a 1 u", "Escape")
    assert [fields for _, _, fields in desk.labels()] == [{"tag:jkr": True}, {"comment": "a 1 u"}]
    expect(desk.panel.get_by_role("button", name="Remove tag jkr")).to_be_visible()


def test_the_key_of_a_question_takes_the_next_choice_or_goes_to_its_field(component: Component) -> None:
    desk = Desk(component)
    choice = QuestionView(name="polite", text="Polite?", choices=("yes", "no"), key="q", is_required=True)
    text = QuestionView(name="why", text="Why?", choices=(), key="w", is_required=False)
    desk.project = replace(desk.project, questions=(choice, text))
    desk.begin()
    desk.press("Enter")
    expect(desk.notice).to_have_text("The question “Polite?” has no answer. q answers it.")
    desk.press("q", "q", "w", *"so", "Escape")
    fields = [found for _, _, found in desk.labels()]
    assert fields == [{"answer:polite": "yes"}, {"answer:polite": "no"}, {"answer:why": "so"}]
    desk.press("Enter")
    assert [action["kind"] for action in desk.actions()] == ["submit"]


# Elsewhere


def test_escape_and_a_click_elsewhere_close_the_filters_and_enter_does_not_open_them(desk: Desk) -> None:
    fold = desk.component.element.locator("details.hw-filter-fold")
    for close in (lambda: desk.press("Escape"), lambda: desk.here.click()):
        desk.component.element.get_by_text("Filter", exact=True).click()
        expect(fold).to_have_attribute("open", "")
        close()
        expect(fold).not_to_have_attribute("open", "")
    desk.component.element.get_by_text("Filter", exact=True).click()
    desk.component.element.get_by_text("Filter", exact=True).click()
    desk.press("Enter")
    expect(fold).not_to_have_attribute("open", "")
    assert [action["kind"] for action in desk.actions()] == ["submit"]


def test_the_fields_of_dates_have_visible_labels(desk: Desk) -> None:
    fold = desk.component.element.locator("details.hw-filter-fold")
    fold.get_by_text("Filter", exact=True).click()
    for text in ("Used since", "Used before"):
        expect(fold.get_by_text(text, exact=True)).to_be_visible()
        expect(fold.get_by_label(text)).to_have_attribute("type", "date")


def test_keys_do_nothing_below_the_help_and_on_another_tab(desk: Desk) -> None:
    desk.press("?")
    expect(desk.component.page.get_by_role("dialog")).to_contain_text("wrong tool")
    desk.press("1", "r", "Escape")
    expect(desk.component.page.get_by_role("dialog")).to_be_hidden()
    desk.component.page.evaluate("document.querySelector('#component').style.display = 'none'")
    desk.press("1", "r")
    assert desk.take() == []


def test_the_router_knows_the_open_conversation(desk: Desk) -> None:
    assert desk.component.page.evaluate("hermesWorkbench.router.valuesOf('label')") == {"item": "one"}

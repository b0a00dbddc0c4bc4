"""The Label tab: calls that a message lacks, what is skipped or stale, and what the queue shows of a row."""

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.scripts.component import Component
from tests.ui.scripts.label_desk import ANSWER, CALL, Desk
from workbench.ui.present.blocks import ResultRow

pytestmark = pytest.mark.browser

RESULT = ResultRow(id="r1", text='{"degrees": 31}', is_error=False, note="")


def tool(desk: Desk) -> Locator:
    return desk.panel.get_by_role("combobox", name="Tool")


def form_of(desk: Desk, *, call: int, message: str = "m2") -> dict[str, object]:
    """Return the form of the added call, and check that its message is labelled in the same action."""
    [action] = [action for action in desk.actions() if action["kind"] == "label"]
    correction, *others = action["changes"]
    assert (correction["message"], correction["call"], correction["field"]) == (message, call, "correction")
    assert [(change["message"], change["call"], change["value"]) for change in others] == [
        (message, None, "missing-call")
    ]
    return correction["value"]["form"]


# Missing calls


@pytest.mark.parametrize("keys", [["j", "+"], ["j", "6", "e"]], ids=["plus", "after the verdict"])
def test_a_missing_call_is_added_with_keys_only(desk: Desk, keys: list[str]) -> None:
    desk.press(*keys)
    desk.actions()
    expect(tool(desk)).to_be_focused()
    desk.press(*"weath", "Enter")
    expect(desk.panel.get_by_label("city", exact=True)).to_be_focused()
    desk.press(*"Cairo", "Tab")
    expect(desk.panel.get_by_role("combobox", name="unit")).to_be_focused()
    desk.press("f", "Tab")
    expect(desk.panel.get_by_label("Result")).to_be_focused()
    desk.press(*"31", "Control+Enter")
    added = desk.component.element.locator("li[data-id=m2] .hw-added:not(.is-free)")
    expect(added).to_contain_text("get_weather")
    expect(added).to_contain_text("31")
    expect(desk.panel.get_by_role("heading").first).to_have_text("Added call · get_weather")
    [action] = [action for action in desk.actions() if action["kind"] == "label"]
    [correction] = [change for change in action["changes"] if change["field"] == "correction"]
    assert (correction["message"], correction["call"]) == ("m2", 0)
    assert correction["value"]["form"] == {
        "name": "get_weather",
        "texts": {"city": "Cairo", "unit": '"fahrenheit"'},
        "result": "31",
    }


def test_the_call_is_drawn_before_the_answer_and_after_other_calls(desk: Desk) -> None:
    for place, message in ((0, "m1"), (1, "m2")):
        if place:
            desk.press("j", "j")
        desk.press("+", *"get_time", "Enter", *"noon", "Control+Enter")
        desk.actions()
        entry = desk.component.element.locator(f"li[data-id={message}] .hw-body")
        kinds = entry.evaluate(
            "body => [...body.children].filter((one) => one.offsetParent).map((one) => one.classList[0] +"
            "(one.classList.contains('hw-added') ? ' added' : ''))"
        )
        shown = [kind for kind in kinds if kind.startswith(("hw-call", "hw-prose"))]
        assert shown == (
            ["hw-prose", "hw-call", "hw-call added"] if message == "m1" else ["hw-call added", "hw-prose"]
        )


def test_one_undo_takes_back_the_call_and_the_verdict(desk: Desk) -> None:
    desk.press("j", "+", *"get_time", "Enter", *"noon", "Control+Enter")
    assert form_of(desk, call=0) == {"name": "get_time", "texts": {}, "result": "noon"}
    expect(desk.panel.get_by_role("heading").first).to_have_text("Added call · get_time")
    desk.press("u")
    expect(desk.component.element.locator(".hw-added:not(.is-free)")).to_have_count(0)
    desk.answer()
    assert desk.saved == {}
    expect(desk.component.element.locator(".hw-added:not(.is-free)")).to_have_count(0)


def test_a_second_call_is_added_and_each_can_be_edited_and_removed(desk: Desk) -> None:
    desk.press("j", "+", *"get_time", "Enter", *"noon", "Control+Enter")
    form_of(desk, call=0)
    desk.press("+", *"get_time", "Enter", *"one", "Control+Enter")
    [(message, call, fields)] = desk.labels()
    assert (message, call, fields["correction"]["form"]["result"]) == ("m2", 1, "one")
    desk.press("K", "e")
    expect(desk.panel.get_by_label("Result")).to_have_value("noon")
    desk.panel.get_by_label("Result").fill("twelve")
    desk.press("Control+Enter")
    [(_, call, fields)] = desk.labels()
    assert (call, fields["correction"]["form"]["result"]) == (0, "twelve")
    desk.panel.get_by_role("button", name="Remove call").click()
    assert desk.labels() == [("m2", 0, {"correction": None})]
    expect(desk.component.element.locator(".hw-added:not(.is-free)")).to_have_count(1)


def test_the_draft_of_a_missing_call_survives_a_reload_and_keeps_the_conversation_open(desk: Desk) -> None:
    desk.press("j", "+", *"get_time", "Enter", *"no")
    desk.component.reload()
    again = Desk(desk.component).begin()
    expect(again.panel.get_by_label("Result")).to_have_value("no")
    expect(tool(again)).to_have_value("get_time")
    again.press("Enter")
    expect(again.notice).to_contain_text("The correction of “Missing call” is not saved.")
    again.panel.get_by_label("Result").focus()
    again.press("Escape", "Escape")
    expect(again.panel.get_by_role("heading").first).to_have_text("m2 itself")
    again.press("Enter")
    assert [action["kind"] for action in again.actions()] == ["submit"]


def test_a_call_needs_a_tool(desk: Desk) -> None:
    desk.press("j", "+", "Control+Enter")
    expect(desk.notice).to_have_text("Choose the tool of the call.")
    expect(tool(desk)).to_be_focused()
    assert desk.take() == []
    desk.press("Escape", "Escape", "K", "K", "K", "+")
    expect(desk.notice).to_have_text("Only messages of a model can get a call.")


def test_the_mock_of_the_tool_writes_the_result(component: Component) -> None:
    desk = Desk(component)
    desk.mocks = {"get_weather": '{"degrees": 31}'}
    desk.begin().press("j", "+", *"get_time", "Enter")
    mock = desk.panel.get_by_role("button", name="Use the mock")
    expect(mock).to_have_count(0)
    tool(desk).fill("weather")
    desk.press("Enter", *"Cairo")
    mock.focus()
    desk.press("Enter")
    desk.answer()
    expect(desk.panel.get_by_label("Result")).to_have_value('{"degrees": 31}')
    expect(desk.panel.get_by_label("Result")).to_be_focused()
    assert [trial["texts"] for trial in desk.trials] == [{"city": "Cairo"}]
    desk.press("Control+Enter")
    assert form_of(desk, call=0)["result"] == '{"degrees": 31}'


def test_verdicts_and_ratings_on_an_added_call_are_those_of_its_message(desk: Desk) -> None:
    desk.press("j", "+", *"get_time", "Enter", *"noon", "Control+Enter")
    desk.actions()
    desk.press("1", "Shift+Digit4", "t", "c")
    assert desk.labels() == [("m2", None, {"rating": 4})]


# The list of tools


def test_the_list_of_tools_is_filtered_and_walked_with_arrows(desk: Desk) -> None:
    desk.press("j", "+", "ArrowDown")
    options = desk.panel.get_by_role("option")
    expect(options).to_have_text(["get_weather", "get_time"])
    desk.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    desk.press("ArrowDown")
    expect(options.nth(0)).to_have_attribute("aria-selected", "true")
    desk.press(*"TIM")
    expect(options).to_have_text(["get_time"])
    desk.press("Tab")
    expect(tool(desk)).to_have_value("get_time")
    expect(desk.panel.get_by_label("Result")).to_be_focused()


@pytest.mark.parametrize("answered_after", range(5))
def test_an_answer_of_the_server_does_not_disturb_the_typing_of_a_tool(
    desk: Desk, answered_after: int
) -> None:
    desk.press("j", "+", *"get_time", "Enter", *"one", "Control+Enter")
    for place, key in enumerate(("u", "+", "t", "i", "m")):
        if place == answered_after:
            command = desk.take().pop(0)
            desk.component.update(desk.carry_out(command))
        desk.press(key)
    desk.answer()
    expect(tool(desk)).to_have_value("tim")
    expect(desk.panel.get_by_role("option")).to_have_text(["get_time"])
    desk.actions()
    desk.press("Enter", *"noon", "Control+Enter")
    assert form_of(desk, call=0) == {"name": "get_time", "texts": {}, "result": "noon"}


def test_a_tool_whose_name_was_typed_in_full_is_saved_without_enter(desk: Desk) -> None:
    desk.press("e")
    tool(desk).focus()
    desk.press(*"get_time", "Control+Enter")
    [(_, _, fields)] = desk.labels()
    assert fields["correction"]["form"]["name"] == "get_time"
    assert fields["verdict"] == "wrong-tool"


def test_what_is_no_tool_is_not_taken(desk: Desk) -> None:
    desk.press("e")
    tool(desk).fill("nothing")
    expect(desk.panel.get_by_role("listbox")).to_have_count(0)
    desk.panel.get_by_label("city", exact=True).focus()
    expect(tool(desk)).to_have_value("get_weather")


def test_e_starts_at_the_tool_if_the_tool_is_wrong(component: Component) -> None:
    desk = Desk(component)
    desk.broken = "unit"
    desk.begin().press("2", "e")
    expect(tool(desk)).to_be_focused()
    desk.press(*"time", "Enter", "Control+Enter")
    correction = desk.labels()[-1]
    assert correction == (
        *CALL,
        {
            "correction": {
                "form": {"name": "get_time", "texts": {"city": "Cairo"}},
                "draft": {"name": "get_time", "texts": {"city": "Cairo"}},
            }
        },
    )


# Invalid calls


def test_accepting_skips_calls_that_are_not_valid_and_says_how_many(component: Component) -> None:
    desk = Desk(component)
    desk.invalid = True
    desk.begin().press("j", "A")
    expect(desk.notice).to_contain_text("1 call that is not valid was skipped.")
    expect(desk.panel.get_by_role("heading").first).to_have_text("m1 call 0")
    [action] = desk.actions()
    assert action["kind"] == "accept-rest"
    assert {place[1:] for place in desk.saved} == {ANSWER}
    expect(desk.panel.get_by_role("button", name="right")).to_have_attribute("aria-pressed", "false")
    desk.press("a")
    expect(desk.notice).to_contain_text("“m1 call 0” is not valid, so it is not accepted.")
    expect(desk.panel.get_by_role("heading").first).to_have_text("m1 call 0")
    assert desk.actions() == []
    desk.press("3", "a")
    expect(desk.panel.get_by_role("heading").first).to_have_text("m2 itself")
    assert [action["kind"] for action in desk.actions()] == ["label", "accept"]


# Stale results


def test_stale_is_on_the_result_and_not_on_the_corrected_call(component: Component) -> None:
    desk = Desk(component)
    desk.result, desk.stale = RESULT, ("r1", "m2")
    desk.begin()
    calling = component.element.locator("li[data-id=m1]")
    stale = component.element.locator(".is-stale")
    expect(stale).to_have_count(2)
    expect(calling).not_to_have_class("is-stale")
    expect(calling.locator(".hw-role")).not_to_contain_text("stale")
    expect(calling.locator(".hw-result")).to_contain_text("stale")
    expect(desk.panel).to_contain_text("Its result follows a correction.")
    desk.press("J")
    expect(desk.panel).to_contain_text("This message follows a correction.")
    desk.press("a")
    expect(calling.locator(".hw-result")).not_to_contain_text("stale")
    expect(stale).to_have_count(1)
    [action] = desk.take()[-1]["actions"]
    assert (action["kind"], action["message"], action["call"]) == ("accept", "r1", None)


# The queue


def test_number_id_format_and_annotator_of_a_row_are_visible_below_a_long_title(component: Component) -> None:
    desk = Desk(component)
    long_id = "row-" + "0123456789" * 8
    desk.titles = {"one": "What is the weather in a town with a very long name today? " * 3}
    desk.facts = {"one": ("ben", "#1204", "llamafactory", long_id), "two": ("cleo", "#2", "openai", "r2")}
    desk.begin()
    for width in (1440, 1000, 390):
        component.page.set_viewport_size({"width": width, "height": 800})
        for name, facts in desk.facts.items():
            for fact in facts:
                shown = component.element.locator(f"[data-id={name}] .hw-row-facts").get_by_text(
                    fact, exact=True
                )
                shown.scroll_into_view_if_needed()
                assert shown.evaluate(
                    """element => {
                      const box = element.getBoundingClientRect();
                      const at = document.elementFromPoint(box.left + 4, box.top + box.height / 2);
                      return at === element && box.width > 8 && box.left >= 0 && box.right <= innerWidth;
                    }"""
                ), (width, fact)
    component.page.set_viewport_size({"width": 1000, "height": 700})

"""No key pressed in the Label tab is lost: the order of commands, and what is stored until it is confirmed."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from tests.ui.scripts.label_desk import ANSWER, CALL, Desk
from workbench.label.page.present.conversation import LabelView
from workbench.label.page.present.tab import ActionAnswer

pytestmark = pytest.mark.browser
SILENCE_MS = 10_000


# Nothing that is pressed is lost


def test_keys_faster_than_the_server_are_sent_in_order(desk: Desk) -> None:
    desk.press("3", "Shift+Digit2", "j", "7")
    [command] = desk.take()
    assert [action["changes"][0]["value"] for action in command["actions"]] == ["bad-arguments"]
    assert [(message, call) for message, call, _ in desk.labels()] == [CALL, CALL, ANSWER]
    assert desk.saved["one", *CALL] == LabelView(verdict="bad-arguments", rating=2)


def test_a_whole_conversation_can_be_labelled_before_the_first_answer(desk: Desk) -> None:
    desk.press("a", "a", "Enter")
    assert desk.open_session == "one" or desk.open_session is None
    assert [action["kind"] for action in desk.actions()] == ["accept", "accept", "submit"]
    assert desk.open_session == "two"


def test_a_conversation_that_was_loaded_ahead_is_shown_at_once_and_keys_act_on_it(
    component: Component,
) -> None:
    desk = Desk(component)
    component.mount("label_desk", desk.view(0, None))
    [command] = desk.take()
    desk.commands.clear()
    component.update(
        replace(desk.carry_out(command), ahead=(desk.conversation("two"), desk.conversation("three")))
    )
    desk.press("a", "Enter")
    assert desk.open_session == "two"
    desk.press("2", "Enter", "3")
    assert desk.open_session == "three"
    assert [(action["session"], action["kind"]) for action in desk.actions()] == [
        ("one", "accept"),
        ("one", "submit"),
        ("two", "label"),
        ("two", "submit"),
        ("three", "label"),
    ]


def test_keys_wait_for_the_next_conversation_and_apply_to_it(desk: Desk) -> None:
    desk.press("n", "2")
    [command] = desk.take()
    assert (command["session"], command["actions"]) == ("two", [])
    desk.answer()
    assert desk.saved["two", *CALL].verdict == "wrong-tool"


def test_the_queue_goes_on_where_the_loaded_rows_end(desk: Desk) -> None:
    desk.total = 72
    for key, step in (("n", 1), ("Enter", 0)):
        desk.press("n", "n").answer()
        assert desk.open_session == "three"
        desk.press(key)
        assert ("three", step) in [(command["after"], command["step"]) for command in desk.answer()]
        assert desk.open_session == "one"


def test_text_typed_for_the_next_conversation_goes_into_its_field(desk: Desk) -> None:
    desk.press("n", "c", *"a j")
    desk.answer()
    assert desk.open_session == "two"
    comment = desk.panel.get_by_label("Comment")
    expect(comment).to_be_focused()
    expect(comment).to_have_value("a j")
    desk.press("!", "Escape")
    assert [fields for _, _, fields in desk.labels()] == [{"comment": "a j!"}]


def test_an_answer_to_an_older_command_is_not_shown(desk: Desk) -> None:
    desk.press("n")
    [command] = desk.take()
    desk.component.update(desk.view(command["serial"] - 1, "three"))
    assert desk.open_session == "one"
    desk.answer()
    assert desk.open_session == "two"


def test_submit_and_reject_open_the_next_conversation_and_can_be_undone(desk: Desk) -> None:
    for key, kind in (("Enter", "submit"), ("r", "reject")):
        session = desk.open_session
        desk.press(key)
        assert [(action["kind"], action["session"]) for action in desk.actions()] == [(kind, session)]
        assert desk.open_session != session
        desk.press("u")
        [undo] = desk.actions()
        assert (undo["kind"], undo["session"]) == ("undo", session)
        assert desk.open_session == session


def test_a_command_without_an_answer_is_sent_again_and_applied_once(component: Component) -> None:
    component.page.clock.install()
    desk = Desk(component).begin()
    desk.press("1")
    [lost] = desk.take()
    desk.carry_out(lost)
    desk.commands.clear()
    desk.press("j", "6")
    component.page.clock.run_for(SILENCE_MS + 1)
    expect(desk.notice).to_contain_text("The server did not respond.")
    [command] = desk.answer()
    assert [action["number"] for action in command["actions"]] == [1, 2]
    assert [action["number"] for action in desk.applied] == [1, 2]
    assert desk.saved["one", *CALL].verdict == "right"


def test_a_refused_change_is_reported_and_its_session_is_not_submitted(desk: Desk) -> None:
    desk.refusals["label"] = ActionAnswer(
        client="", number=0, session="", problem="It is too long.", code="refused"
    )
    desk.press("1", "Enter")
    desk.answer()
    expect(desk.notice).to_contain_text("“one” was not changed: It is too long.")
    assert [action["kind"] for action in desk.applied if action["kind"] == "submit"] == []
    expect(desk.component.element.get_by_role("button", name="one").first).to_contain_text("·")
    desk.notice.get_by_role("button", name="Open it").click()
    desk.answer()
    assert desk.open_session == "one"
    assert desk.saved == {}


def test_a_session_that_was_not_submitted_opens_where_the_problem_is(desk: Desk) -> None:
    message, call = ANSWER
    desk.refusals["submit"] = ActionAnswer(
        client="", number=0, session="", problem="An answer has no verdict.", code="unjudged",
        message=message, call=call,
    )  # fmt: skip
    desk.press("Enter")
    desk.answer()
    assert desk.open_session == "two"
    desk.notice.get_by_role("button", name="Open it").click()
    desk.answer()
    assert desk.open_session == "one"
    expect(desk.here).to_have_attribute("data-key", "m2")


# What the browser stores


def test_unconfirmed_actions_are_sent_after_a_reload(desk: Desk) -> None:
    desk.press("3", "j", "7")
    assert len(desk.take()) == 1
    desk.component.reload()
    again = Desk(desk.component).begin()
    assert [label.verdict for label in again.saved.values()] == ["bad-arguments", "bad-answer"]
    desk.component.reload()
    assert Desk(desk.component).begin().saved == {}


def test_an_unfinished_comment_survives_a_reload_and_is_saved_on_submit(desk: Desk) -> None:
    desk.press("c", *"not London")
    desk.component.reload()
    again = Desk(desk.component).begin()
    expect(again.panel.get_by_label("Comment")).to_have_value("not London")
    assert again.labels() == []
    again.press("Enter")
    assert [action["kind"] for action in again.actions()] == ["label", "submit"]
    assert again.saved["one", *CALL].comment == "not London"


OTHER_TAB = """draft => {
    const [name] = Object.keys(localStorage).filter((other) => other.startsWith("hermes-workbench:label:draft:"));
    if (draft === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(draft));
    window.dispatchEvent(new StorageEvent("storage", { key: name }));
}"""
"""What a tab sees when another one types into the field of a target, or leaves it. Both share the browser's storage."""


def test_a_tab_saves_the_comment_that_was_typed_in_it(desk: Desk) -> None:
    desk.press("c", *"mine")
    desk.component.page.evaluate(OTHER_TAB, {"comment": "theirs"})
    expect(desk.panel.get_by_label("Comment")).to_have_value("mine")
    desk.press("Escape")
    assert desk.labels() == [(*CALL, {"comment": "mine"})]
    # What the other tab has not saved yet is still stored.
    expect(desk.panel.get_by_label("Comment")).to_have_value("theirs")


def test_a_comment_that_another_tab_saves_or_discards_is_no_longer_shown_as_typed(desk: Desk) -> None:
    desk.press("c", *"not", "Escape")
    desk.answer()
    desk.press("c", *" London")
    desk.component.reload()
    again = Desk(desk.component)
    again.saved = desk.saved
    again.begin()
    expect(again.panel.get_by_label("Comment")).to_have_value("not London")
    again.component.page.evaluate(OTHER_TAB, None)
    expect(again.panel.get_by_label("Comment")).to_have_value("not")
    again.press("Enter")
    assert [action["kind"] for action in again.actions()] == ["submit"]


def test_annotator_and_filter_survive_a_reload(desk: Desk) -> None:
    desk.component.element.get_by_text("Filter", exact=True).click()
    desk.component.element.get_by_label("Your name").fill("ann")
    desk.press("Tab")
    desk.component.element.get_by_label("State").select_option("pending")
    desk.answer()
    desk.component.reload()
    desk.component.mount("label_desk", desk.view(0, None))
    [command] = Desk(desk.component).take()
    assert (command["labeller"], command["filter"]) == ("ann", {"state": "pending"})

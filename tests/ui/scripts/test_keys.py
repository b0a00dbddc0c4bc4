"""Keyboard shortcuts: each acts only on its own tab, and not while somebody types."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from workbench.ui.present.compare.board import BoardView, CellView, ColumnHeadView, TurnView
from workbench.ui.present.guide import KeysView, Shortcut, TabKeys, TourStep, TourView

pytestmark = pytest.mark.browser

COUNTED = "event.preventDefault(); (window.pressed ??= []).push(event.currentTarget.id)"


def button(name: str, attributes: str = "") -> str:
    return f"<button id='{name}' onclick='{COUNTED}' {attributes}>{name}</button>"


PLAY = (
    f"<div id='play-columns'><textarea id=composer></textarea>{button('play-send')}{button('play-stop')}"
    "<div class='hw-message-pane'><input id=inner></div></div>"
)
SUITES = f"<div id='suites-columns'>{button('suites-start')}<div id='suites-bar'>{button('stop')}</div></div>"


def pressed(component: Component) -> list[str]:
    """Return the ids of the buttons that were pressed so far."""
    # The shortcut that sends waits a moment for the last keystroke of the field.
    component.page.wait_for_timeout(60)
    return component.page.evaluate("window.pressed ?? []")


# Play


@pytest.mark.parametrize("keys", ["Control+Enter", "Meta+Enter"])
def test_play_sends_while_somebody_types(component: Component, keys: str) -> None:
    component.mount("keys", around=PLAY)
    component.page.locator("#composer").focus()
    component.press(keys)
    component.page.wait_for_function("(window.pressed ?? []).length > 0")
    assert pressed(component) == ["play-send"]


def test_escape_in_play_closes_the_drawer_and_then_stops(component: Component) -> None:
    component.mount("keys", around=PLAY)
    component.page.evaluate("document.querySelector('#play-columns').dataset.pane = 'setup'")
    component.press("Escape")
    assert pressed(component) == []
    expect(component.page.locator("#play-columns")).not_to_have_attribute("data-pane", "setup")
    component.press("Escape")
    assert pressed(component) == ["play-stop"]


def test_an_open_pane_above_the_composer_gets_the_keys(component: Component) -> None:
    component.mount("keys", around=PLAY)
    component.page.locator("#inner").focus()
    component.press("Control+Enter", "Escape")
    assert pressed(component) == []


@pytest.mark.parametrize(
    ("script", "around"), [("keys", PLAY), ("suite_keys", SUITES)], ids=["play", "suites"]
)
@pytest.mark.parametrize("state", ["hidden tab", "disabled", "removed"])
def test_keys_do_nothing_if_their_buttons_cannot_be_pressed(
    component: Component, script: str, around: str, state: str
) -> None:
    component.mount(script, around=around)
    component.page.evaluate(
        {
            "hidden tab": "document.querySelector('#around').hidden = true",
            "disabled": "for (const button of document.querySelectorAll('button')) button.disabled = true",
            "removed": "document.querySelector('#component').remove()",
        }[state]
    )
    component.press("Control+Enter", "Escape")
    assert pressed(component) == []


# Suites


def test_suites_start_and_stop(component: Component) -> None:
    component.mount("suite_keys", around=SUITES)
    component.press("Control+Enter")
    assert pressed(component) == ["suites-start"]
    component.press("Escape")
    assert pressed(component) == ["suites-start", "stop"]


# Votes in Compare


def cell(letter: str, message: str) -> CellView:
    return CellView(letter=letter, state="done", summary="", differs=False, message=message)


def board(*votes: tuple[str, int | None], answers: int = 2) -> BoardView:
    cells = tuple(cell(letter, f"m{letter}" if place < answers else "") for place, letter in enumerate("AB"))
    turns = tuple(
        TurnView(
            place=place,
            heading=f"Turn {place + 1}",
            question="?",
            cells=cells,
            can_vote=answers == 2,
            vote=kind,
            voted=column,
        )
        for place, (kind, column) in enumerate(votes)
    )
    heads = tuple(ColumnHeadView(letter=letter, contract="full", model="m", note="") for letter in "AB")
    return BoardView(
        id="c1", session="s1", note="", is_running=False, can_resume=False, heads=heads, turns=turns
    )


@pytest.mark.parametrize(
    ("key", "event"),
    [
        ("1", ("compare_vote", {"turn": 0, "kind": "best", "column": 0})),
        ("2", ("compare_vote", {"turn": 0, "kind": "best", "column": 1})),
        ("t", ("compare_vote", {"turn": 0, "kind": "tie", "column": None})),
        ("x", ("compare_vote", {"turn": 0, "kind": "bad", "column": None})),
    ],
)
def test_a_key_votes_on_the_marked_turn(component: Component, key: str, event: tuple[str, object]) -> None:
    component.mount("compare_board", board(("", None), ("", None)))
    component.press("3", "4", key)
    assert component.events == [event]
    component.press("j", "j", key)
    assert component.events == [(event[0], {**dict(event[1]), "turn": 1})]
    component.press("k", key)
    assert component.events == [event]


def test_the_same_vote_again_or_u_undoes_it(component: Component) -> None:
    component.mount("compare_board", board(("best", 1)))
    component.press("2", "u")
    assert component.events == [("compare_unvote", {"turn": 0})] * 2


def test_votes_need_two_answers(component: Component) -> None:
    component.mount("compare_board", board(("", None), answers=1))
    component.press("1", "2", "t", "x", "u")
    assert component.events == []
    expect(component.element.get_by_text("You can vote once two columns have answered.")).to_be_visible()


@pytest.mark.parametrize("keys", ["Control+1", "Alt+1", "Shift+t"])
def test_keys_with_modifiers_do_not_vote(component: Component, keys: str) -> None:
    component.mount("compare_board", board(("", None)))
    component.press(keys)
    assert component.events == []


def test_keys_do_not_vote_while_somebody_types(component: Component) -> None:
    component.mount("compare_board", board(("", None)), around="<input id=field>")
    component.page.locator("#field").focus()
    component.press("1", "t", "x")
    assert component.events == []
    expect(component.page.locator("#field")).to_have_value("1tx")


def test_the_focus_stays_on_the_vote_button(component: Component) -> None:
    component.mount("compare_board", board(("", None)))
    component.element.get_by_role("button", name="B is better").click()
    component.update(board(("best", 1)))
    better = component.element.get_by_role("button", name="B is better")
    expect(better).to_have_attribute("aria-pressed", "true")
    expect(better).to_be_focused()


# The list of shortcuts


KEYS = KeysView(
    tabs=(
        TabKeys(tab="open-tab", keys=(Shortcut(keys="j", does="next"),)),
        TabKeys(tab="other-tab", keys=(Shortcut(keys="x", does="all bad"),)),
        TabKeys(tab="", keys=(Shortcut(keys="?", does="these shortcuts"),)),
    )
)
TABS = "<div id='open-tab'>open <input id=field></div><div id='other-tab' hidden>other</div>"


def test_the_question_mark_shows_the_shortcuts_of_the_open_tab(component: Component) -> None:
    component.mount("keys_help", KEYS, around=TABS)
    component.press("?")
    dialog = component.page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog.locator("dd")).to_have_text(["next", "these shortcuts"])
    component.press("Escape")
    expect(dialog).to_be_hidden()


def test_a_question_mark_in_a_field_is_text(component: Component) -> None:
    component.mount("keys_help", KEYS, around=TABS)
    component.page.locator("#field").focus()
    component.press("?")
    expect(component.page.locator("#field")).to_have_value("?")
    expect(component.page.get_by_role("dialog")).to_be_hidden()


# The tour


EXAMPLE = "<div id='play-transcript'><p class='hw-entry'>An example</p></div>"
STEPS = TourView(
    is_ready=True,
    steps=(
        TourStep(target="first", heading="First", text="One."),
        TourStep(target="gone", heading="Second", text="Two."),
    ),
    serial=1,
)


def test_the_tour_moves_with_arrows_and_is_shown_once(component: Component) -> None:
    component.mount("tour", around=f"<button id='first'>first</button>{EXAMPLE}")
    component.update(STEPS)
    card = component.page.get_by_role("dialog")
    expect(card.get_by_role("heading")).to_have_text("First")
    component.press("ArrowRight")
    expect(card.get_by_role("heading")).to_have_text("Second")
    component.press("ArrowLeft", "ArrowRight", "ArrowRight")
    expect(card).to_be_hidden()
    component.reload()
    component.mount("tour", replace(STEPS, is_ready=False, is_empty=True))
    assert component.events == []


def test_escape_ends_the_tour_and_restores_the_focus(component: Component) -> None:
    component.mount("tour", around=f"<button id='first'>first</button>{EXAMPLE}")
    component.page.locator("#first").focus()
    component.update(STEPS)
    component.press("Escape")
    expect(component.page.get_by_role("dialog")).to_be_hidden()
    assert component.focused == "first"


PLAY_TAB = "<div id='page-tab-play'><button id='first'>first</button></div><button id='other'>other</button>"


def show_play(component: Component, *, is_shown: bool) -> None:
    component.page.evaluate(
        "shown => document.querySelector('#page-tab-play').style.display = shown ? '' : 'none'", is_shown
    )


def test_leaving_play_ends_the_tour(component: Component) -> None:
    component.mount("tour", around=PLAY_TAB + EXAMPLE)
    show_play(component, is_shown=True)
    component.update(STEPS)
    card = component.page.get_by_role("dialog")
    expect(card.get_by_role("heading")).to_have_text("First")
    show_play(component, is_shown=False)
    expect(card).to_be_hidden()
    show_play(component, is_shown=True)
    expect(card).to_be_hidden()


def test_the_tour_asks_for_its_example_and_waits_for_it(component: Component) -> None:
    component.mount("tour", replace(STEPS, is_ready=False, is_empty=True))
    assert component.events == [("first_visit", {"asked": ""})]
    expect(component.page.get_by_role("dialog")).to_be_hidden()


# Dialogs


DIALOG = "<dialog id='above'><button id='inside'>inside</button></dialog>"


def test_escape_closes_the_dialog_above_the_tour_and_not_the_tour(component: Component) -> None:
    component.mount("tour", around=f"<button id='first'>first</button>{DIALOG}{EXAMPLE}")
    component.update(STEPS)
    component.page.evaluate("document.querySelector('#above').showModal()")
    component.press("ArrowRight", "Escape")
    expect(component.page.locator("#above")).to_be_hidden()
    card = component.page.get_by_role("dialog")
    expect(card.get_by_role("heading")).to_have_text("First")
    component.press("Escape")
    expect(card).to_be_hidden()


@pytest.mark.parametrize(("script", "around"), [("keys", PLAY), ("suite_keys", SUITES)])
def test_shortcuts_do_nothing_below_a_dialog(component: Component, script: str, around: str) -> None:
    component.mount(script, around=around + DIALOG)
    component.page.evaluate("document.querySelector('#above').showModal()")
    component.press("Control+Enter", "Escape")
    expect(component.page.locator("#above")).to_be_hidden()
    assert pressed(component) == []

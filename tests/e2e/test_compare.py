"""The Compare tab in a browser: ask, see differences, vote, link, reload, continue."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.comparing import Comparing
from tests.e2e.holding import Held, values
from tests.e2e.hostile import HOSTILE, expect_harmless
from tests.e2e.play import Play, expect_tab
from tests.e2e.waiting import settle, until
from tests.served import Server, write_script

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
ODD_CALL = "<tool_call>\n{'name': 'get_flumbuster', 'arguments': {'flumb': 'london'}}\n</tool_call>"


@pytest.fixture
def tab(page: Page, server: Server) -> Comparing:
    return Comparing(page, server).open()


def test_a_question_is_compared_voted_on_and_reopened_by_its_link(
    tab: Comparing, tmp_path: Path, artifacts: Path
):
    tab.models(
        write_script(tmp_path / "a.yaml", CALL, "The reading is 31."),
        write_script(tmp_path / "b.yaml", ODD_CALL, "The reading is 27."),
    ).ask("What is the flumbuster reading for cairo?")
    first, second = tab.cell("A"), tab.cell("B")
    expect(first).to_contain_text("the other columns are compared with this one")
    expect(first.locator(".hw-call")).to_contain_text("get_flumbuster")
    expect(second.locator(".hw-differs")).to_have_text("≠ A: calls, answer, fixes")
    changed = second.locator("tr.d-other")
    expect(changed.get_by_role("img", name="different from A")).to_have_text("≠")
    expect(changed.locator("del")).to_have_text('"cairo"')
    expect(changed).to_contain_text('"london"')
    expect(second.locator(".hw-compare-text")).to_have_text("The reading is 27.")
    tab.board.get_by_role("button", name="Show differences").click()
    expect(second.locator(".hw-compare-text del")).to_have_text("31")
    expect(second.locator(".hw-compare-text ins")).to_have_text("27")
    expect(second.locator(".hw-compare-fixes")).to_contain_text("python-literal")
    expect(second.locator(".hw-figures")).to_contain_text("completion")
    expect(tab.page.get_by_label("Temperature B")).to_be_hidden()
    tab.page.screenshot(path=artifacts / "compare.png")

    tab.press("2")
    better = tab.board.get_by_role("button", name="2 B is better")
    expect(better).to_have_attribute("aria-pressed", "true")
    assert tab.pairs() == [("The reading is 27.", "The reading is 31.")]
    assert "?tab=compare&compare=" in tab.page.url
    tab.page.reload()
    expect(better).to_have_attribute("aria-pressed", "true")
    expect_tab(tab.page, "Compare")
    tab.press("t")
    expect(tab.board).to_contain_text("Tie. Saved, but not exported as a pair.")
    assert tab.pairs() == []
    tab.board.get_by_role("button", name="Undo vote").click()
    expect(tab.board.get_by_role("button", name="Undo vote")).to_have_count(0)


def test_a_blind_vote_shows_the_columns_only_afterwards(tab: Comparing, tmp_path: Path):
    tab.models(write_script(tmp_path / "a.yaml", "One."), write_script(tmp_path / "b.yaml", "Two."))
    tab.ask("Which?")
    tab.board.get_by_role("button", name="Vote blind").click()
    heads, cells = tab.board.locator(".hw-compare-heads"), tab.board.locator(".hw-compare-cell")
    expect(heads).to_have_count(0)
    expect(tab.board).not_to_contain_text("a.yaml")
    expect(cells.locator(".hw-figures")).to_have_count(0)
    texts = [cells.nth(place).locator(".hw-compare-text").inner_text() for place in range(2)]
    tab.press(str(texts.index("Two.") + 1))
    expect(tab.board).to_contain_text("B is better. Saved")
    expect(heads).to_contain_text("b.yaml")
    expect(tab.cell("B")).to_contain_text("Two.")
    assert tab.pairs() == [("Two.", "One.")]
    tab.board.get_by_role("button", name="Change columns").click()
    expect(tab.page.get_by_label("Temperature B")).to_be_visible()


def test_a_failed_column_shows_its_error_and_missing_answers_can_be_generated(tab: Comparing, tmp_path: Path):
    broken = write_script(tmp_path / "b.yaml", {"text": "Half", "error": "the engine broke"}, "Whole.")
    tab.models(write_script(tmp_path / "a.yaml", "Fine."), broken).ask("Cairo?")
    expect(tab.cell("A")).to_contain_text("Fine.")
    expect(tab.cell("B")).to_contain_text("the engine broke")
    expect(tab.board).to_contain_text("1 incomplete")
    tab.board.get_by_role("button", name="Run missing answers").click()
    expect(tab.cell("B")).to_contain_text("Whole.")
    expect(tab.board.get_by_role("button", name="Run missing answers")).to_have_count(0)


def test_escape_stops_a_comparison_and_keeps_its_answers(tab: Comparing, tmp_path: Path):
    slow = {"text": "word " * 4000, "seconds_per_token": 0.5}
    tab.models(write_script(tmp_path / "a.yaml", "Quick."), write_script(tmp_path / "b.yaml", slow))
    field = tab.page.get_by_role("textbox", name="Question")
    field.fill("Cairo?")
    field.press("Control+Enter")
    live = tab.page.locator("#compare-live")
    expect(live).to_contain_text("word word")
    expect(live).to_contain_text("1 of 2 answers")
    tab.press("Escape").wait_until_idle()
    expect(tab.cell("B")).to_contain_text("stopped by you")
    expect(tab.cell("B")).to_contain_text("word word")


def test_model_output_is_shown_as_text(tab: Comparing, tmp_path: Path):
    line = "x" * 1_000_000
    tab.models(
        write_script(tmp_path / "a.yaml", f"{HOSTILE} {line}"),
        write_script(tmp_path / "b.yaml", f"{HOSTILE} other {line}"),
    )
    for letter in "AB":
        tab.page.get_by_label(f"Max tokens {letter}").fill("32768")
    tab.ask(f"{HOSTILE}?")
    for letter in "AB":
        text = tab.cell(letter).locator(".hw-compare-text")
        expect(text).to_contain_text(HOSTILE)
    tab.board.get_by_role("button", name="Show differences").click()
    expect(tab.cell("B").locator(".hw-compare-text ins")).to_contain_text("other")
    expect(tab.board.locator(".hw-compare-question")).to_contain_text(HOSTILE)
    expect_harmless(tab.page, "#page-tab-compare")


def test_a_turn_from_play_is_compared_with_its_own_answer(page: Page, server: Server, tmp_path: Path):
    play = Play(page, server).open()
    play.use_script(write_script(tmp_path / "play.yaml", "As it was.", "Later."))
    play.ask("First?").ask("Second?")
    session_id = play.session_id
    play.menu(play.entries.nth(1), "Compare answers to this turn")
    tab = Comparing(page, server)
    expect(page.locator("#compare-line")).to_contain_text("First?")
    expect(page.get_by_role("textbox", name="Question")).to_be_hidden()
    tab.models(write_script(tmp_path / "a.yaml", "New."), write_script(tmp_path / "b.yaml", "Newer."))
    tab.compare()
    expect(tab.cell("A")).to_contain_text("New.")
    assert [stored.message.text for stored in server.path(session_id)][1:] == [
        "First?",
        "As it was.",
        "Second?",
        "Later.",
    ]
    tab.press("1")
    expect(tab.board).to_contain_text("A is better. Saved")
    assert tab.pairs() == [("New.", "Newer.")]

    page.get_by_label("all turns, after each column's own answers").check()
    expect(page.locator("#compare-line")).to_contain_text("2 turns")
    tab.models(
        write_script(tmp_path / "c.yaml", "c1", "c2"), write_script(tmp_path / "d.yaml", "d1", "d2")
    ).compare()
    expect(tab.cell("A", 1)).to_contain_text("c2")
    expect(tab.cell("B", 1)).to_contain_text("d2")
    tab.wait_until_idle()
    tab.press("j").press("x")
    expect(tab.board.locator('[data-turn="1"]')).to_contain_text("All bad")
    page.get_by_role("button", name="Ask a question instead").click()
    expect(page.get_by_role("textbox", name="Question")).to_be_visible()


def test_a_turn_from_play_is_compared_though_the_browser_stored_a_form_with_another_turn(
    fresh_page: Page, server: Server
):
    page, play = fresh_page, Play(fresh_page, server).open()
    play.ask("Other?")
    other = play.session_id
    play.menu(play.entries.nth(1), "Compare answers to this turn")
    line = page.locator("#compare-line")
    expect(line).to_contain_text("Other?")
    page.get_by_label("Temperature A").fill("0.3")
    page.get_by_label("Temperature A").blur()
    settle(page)
    play.open().ask("Chosen?")
    assert play.session_id != other
    settle(page)
    play.reload()
    arriving = list[Route]()
    page.route("**/run/predict*", lambda route: arriving.append(route))
    restoring = Held(page, lambda body: any(str(value).startswith('["') for value in values(body)))
    play.menu(play.entries.nth(1), "Compare answers to this turn")
    expect_tab(page, "Compare")
    pane = page.locator("#page-tab-compare")
    expect(pane).to_have_attribute("aria-busy", "true")
    assert "Loading" in pane.evaluate("pane => getComputedStyle(pane, '::before').content")
    until(page, lambda: arriving, "the tab is not asked for")
    page.unroute("**/run/predict*")
    for route in arriving:
        route.continue_()
    restoring.wait()
    expect(pane).to_have_attribute("aria-busy", "true")
    restoring.let_go()
    expect(line).to_contain_text("Chosen?")
    settle(page)
    expect(line).to_contain_text("Chosen?")
    expect(pane).not_to_have_attribute("aria-busy", "true")


def test_a_pasted_link_chooses_the_turn_and_an_invalid_link_is_an_error(page: Page, server: Server):
    play = Play(page, server).open()
    play.ask("Linked?")
    address = page.url
    tab = Comparing(page, server).open()
    link = page.get_by_label("Link to a turn")
    link.fill("http://127.0.0.1/?x=1")
    link.press("Enter")
    expect(page.locator("#compare-notice")).to_contain_text("it does not name a session")
    link.fill(address)
    link.press("Enter")
    expect(page.locator("#compare-line")).to_contain_text("Linked?")
    tab.compare()
    expect(tab.cell("B")).to_contain_text("Hello.")


def test_the_form_survives_a_reload(tab: Comparing):
    page = tab.page
    page.get_by_role("textbox", name="Question").fill("Not sent yet")
    page.get_by_label("4", exact=True).check()
    page.get_by_label("Temperature D").fill("0.7")
    page.get_by_label("Temperature D").blur()
    tab.choose("Contract C", "full@1")
    settle(page)
    tab.open()
    expect(page.get_by_role("textbox", name="Question")).to_have_value("Not sent yet")
    expect(page.get_by_label("Temperature D")).to_have_value("0.7")
    expect(page.get_by_role("combobox", name="Contract C", exact=True)).to_have_value("full@1")


@pytest.mark.long
@pytest.mark.model
def test_two_samplings_are_compared_on_the_embedded_model(
    page: Page, embedded_server: Server, artifacts: Path
):
    tab = Comparing(page, embedded_server).open()
    for letter in "AB":
        page.get_by_label(f"Max tokens {letter}").fill("40")
    tab.choose("Contract B", "minimal")
    page.get_by_label("Temperature B").fill("0.8")
    tab.ask("What is the flumbuster reading for cairo?")
    for letter in "AB":
        cell = tab.cell(letter)
        expect(cell.locator(".hw-call").first).to_contain_text("get_flumbuster")
        expect(cell.locator(".hw-figures")).to_contain_text("evaluated")
    page.screenshot(path=artifacts / "compare-embedded.png")
    tab.press("1")
    expect(tab.board.get_by_role("button", name="1 A is better")).to_have_attribute("aria-pressed", "true")

"""The Inspect tab in a browser."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.inspecting import Inspecting
from tests.e2e.play import Server
from tests.e2e.test_play import HOSTILE
from workbench.hermes.parse import fixed, parse
from workbench.ui.present.examples import EXAMPLES

pytestmark = pytest.mark.browser

BROKEN = " \nI'll look.\n<tool_call>\n{'name': 'get_flumbuster', 'arguments': {'flumb': 'cairo',}}\n</tool_call>\n "


@pytest.fixture
def tab(page: Page, server: Server) -> Inspecting:
    """The tab, opened anew."""
    return Inspecting(page, server).open()


def test_a_broken_completion_shows_its_call_its_fixes_and_who_loses_it(tab: Inspecting) -> None:
    tab.paste(BROKEN)
    call = tab.part("calls")
    for text in ("get_flumbuster", "fixed · 2 fixes", '"flumb": "cairo"'):
        expect(call).to_contain_text(text)
    for text in ("python-literal", "trailing-comma", "safe", "10 times", "line 4, column 58"):
        expect(tab.part("fixes")).to_contain_text(text)
    expect(tab.rule("vLLM hermes")).to_contain_text("0 of 1")
    expect(tab.rule("vLLM hermes")).to_contain_text("replica")
    expect(tab.rule("seed 000")).to_contain_text("1 of 1")
    assert tab.way("As written").text == BROKEN
    assert tab.way("Fixed").text == fixed(BROKEN, parse(BROKEN))
    tab.choose("Level", "strict")
    expect(call).to_contain_text("calls nothing")
    assert tab.text == BROKEN


def test_tools_are_checked_as_they_are_typed(tab: Inspecting) -> None:
    tab.paste('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>')
    expect(tab.part("calls")).to_contain_text("unknown tool")
    tab.choose("Toolset to check against", "no tools")
    expect(tab.part("tools-notice")).to_contain_text("not checked")
    expect(tab.part("calls")).to_contain_text("ready")
    tab.paste('[{"name": }]', "Tools to check against, as JSON")
    expect(tab.part("tools-notice")).to_contain_text("line 1")
    tab.paste('[{"name": "f", "parameters": {"required": ["a"]}}]', "Tools to check against, as JSON")
    expect(tab.part("calls")).to_contain_text("invalid arguments")


def test_an_example_is_one_click_and_clear_brings_them_back(tab: Inspecting) -> None:
    for example in (EXAMPLES[4], EXAMPLES[5]):
        tab.part("read").get_by_role("button", name=example.title).click()
        expect(tab.part("differ")).to_contain_text("seed 002")
        assert tab.text == example.text
        tab.part("clear").click()
        expect(tab.part("read")).to_contain_text("Paste a completion")
    expect(tab.page.get_by_label("Finish reason")).to_have_value("length: it was cut off")


def test_what_was_pasted_survives_a_reload(tab: Inspecting) -> None:
    tab.paste(BROKEN)
    expect(tab.part("calls")).to_contain_text("fixed")
    tab.open()
    expect(tab.part("calls")).to_contain_text("fixed")
    assert tab.way("As written").text == BROKEN


def test_what_is_pasted_is_shown_as_text_and_never_run(tab: Inspecting) -> None:
    text = HOSTILE.replace("\u0000", "")
    calls = [json.dumps({"name": name, "arguments": {text: text}})[:-1] + ",}" for name in ("f", text)]
    blocks = "".join(f"<tool_call>\n{call}\n</tool_call>" for call in calls)
    pasted = f"{text}{blocks}<think>{text}"
    tab.choose("Toolset to check against", "no tools").paste(pasted)
    expect(tab.part("differ")).to_contain_text("seed 002")
    expect(tab.part("fixes")).to_contain_text("trailing-comma")
    assert tab.way("As written").text == pasted
    for way in ("Changes", "Fixed"):
        tab.way(way)
    assert tab.page.evaluate("window.hacked") is None
    # The editor puts pictures of its own around characters that it spells.
    made = "#inspect-columns img:not(.cm-widgetBuffer), #inspect-columns b, #inspect-columns script"
    assert tab.page.locator(made).count() == 0


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (390, 844)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_tab_fits_its_window(
    tab: Inspecting, width: int, height: int, theme: str, artifacts: Path
) -> None:
    tab.page.set_viewport_size({"width": width, "height": height})
    tab.open(f"?__theme={theme}")
    tab.part("read").get_by_role("button", name=EXAMPLES[3].title).click()
    expect(tab.rule("seed 002")).to_contain_text("runs")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.page.evaluate("document.documentElement.scrollHeight") <= height
    columns = tab.part("columns")
    assert columns.evaluate("one => one.scrollWidth - one.clientWidth") == 0
    tab.page.screenshot(path=artifacts / f"inspect-{width}-{theme}.png")

"""The Inspect tab in a browser."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.hostile import HOSTILE, expect_harmless
from tests.e2e.inspecting import Inspecting
from tests.e2e.sizes import every_size
from tests.served import Server
from workbench.hermes.parse import fixed, parse
from workbench.ui.present.examples import EXAMPLES

pytestmark = pytest.mark.browser

BROKEN = " \nI'll look.\n<tool_call>\n{'name': 'get_flumbuster', 'arguments': {'flumb': 'cairo',}}\n</tool_call>\n "


@pytest.fixture
def tab(page: Page, server: Server) -> Inspecting:
    """The freshly opened tab."""
    return Inspecting(page, server).open()


@pytest.mark.slow
def test_a_broken_completion_shows_its_call_its_fixes_and_the_parsers_that_lose_it(tab: Inspecting) -> None:
    tab.paste(BROKEN)
    call = tab.part("calls")
    for text in ("get_flumbuster", "fixed · 2 fixes", '"flumb": "cairo"'):
        expect(call).to_contain_text(text)
    for text in ("python-literal", "trailing-comma", "safe", "10 times", "line 4, column 58"):
        expect(tab.part("fixes")).to_contain_text(text)
    expect(tab.rule("vLLM hermes")).to_contain_text("0 of 1")
    expect(tab.rule("vLLM hermes")).to_contain_text("replica")
    expect(tab.rule("l3m-backend")).to_contain_text("1 of 1")
    assert tab.way("As written").text == BROKEN
    assert tab.way("Fixed").text == fixed(BROKEN, parse(BROKEN))
    tab.choose("Level", "strict")
    expect(call).to_contain_text("no tool calls")
    assert tab.text == BROKEN


def test_tools_are_checked_as_they_are_typed(tab: Inspecting) -> None:
    tab.paste('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>')
    expect(tab.part("calls")).to_contain_text("unknown tool")
    tab.choose("Toolset to check against", "no tools")
    expect(tab.part("tools-notice")).to_contain_text("not checked")
    expect(tab.part("calls")).to_contain_text("ready")
    tab.paste('[{"name": }]', "Tools to check against (JSON)")
    expect(tab.part("tools-notice")).to_contain_text("line 1")
    tab.paste('[{"name": "f", "parameters": {"required": ["a"]}}]', "Tools to check against (JSON)")
    expect(tab.part("calls")).to_contain_text("invalid arguments")


def test_tools_in_another_form_are_imported_in_place_and_those_left_out_are_named(tab: Inspecting) -> None:
    field, notice = "Tools to check against (JSON)", tab.part("tools-notice")
    tab.paste('<tool_call>\n{"name": "walk", "arguments": {}}\n</tool_call>')
    expect(tab.part("calls")).to_contain_text("unknown tool")
    schema = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
    listed = [{"name": name, "inputSchema": schema} for name in ("walk", "run")]
    tab.paste(json.dumps({"tools": listed}), field)
    notice.get_by_role("button", name="Import these 2 tools").click()
    expect(tab.part("calls")).to_contain_text("invalid arguments")
    expect(tab.part("tools-text")).to_contain_text('"parameters"')
    expect(notice).to_have_text("")
    listed.append({"name": "", "inputSchema": schema})
    pasted = json.dumps({"tools": listed})
    tab.paste(pasted, field)
    notice.get_by_role("button", name="Import 2 of 3 tools").click()
    note = tab.page.locator(".hw-note", has_text="Left out: tool 3: the tool has no name.")
    expect(note).to_be_visible()
    expect(notice).to_have_text("")
    tab.page.get_by_role("button", name="Undo").click()
    expect(notice.get_by_role("button", name="Import 2 of 3 tools")).to_be_visible()
    expect(tab.part("tools-text")).to_contain_text(pasted)


def test_an_example_loads_with_one_click_and_clear_shows_the_examples_again(tab: Inspecting) -> None:
    for example in (EXAMPLES[4], EXAMPLES[5]):
        tab.part("read").get_by_role("button", name=example.title).click()
        expect(tab.part("differ")).to_contain_text("Stella guide")
        assert tab.text == example.text
        tab.part("clear").click()
        expect(tab.part("read")).to_contain_text("Paste a completion")
    expect(tab.page.get_by_label("Finish reason")).to_have_value("length (cut off)")


@pytest.mark.slow
def test_pasted_text_survives_a_reload(tab: Inspecting) -> None:
    tab.paste(BROKEN)
    expect(tab.part("calls")).to_contain_text("fixed")
    tab.open()
    expect(tab.part("calls")).to_contain_text("fixed")
    assert tab.way("As written").text == BROKEN


def test_pasted_text_is_shown_as_text(tab: Inspecting) -> None:
    calls = [
        json.dumps({"name": name, "arguments": {HOSTILE: HOSTILE}})[:-1] + ",}" for name in ("f", HOSTILE)
    ]
    blocks = "".join(f"<tool_call>\n{call}\n</tool_call>" for call in calls)
    pasted = f"{HOSTILE}{blocks}<think>{HOSTILE}"
    tab.choose("Toolset to check against", "no tools").paste(pasted)
    expect(tab.part("differ")).to_contain_text("Stella guide")
    expect(tab.part("fixes")).to_contain_text("trailing-comma")
    assert tab.way("As written").text == pasted
    for way in ("Changes", "Fixed"):
        tab.way(way)
    expect_harmless(tab.page, "#inspect-columns")


@pytest.mark.slow
def test_the_tab_fits_its_window(tab: Inspecting, artifacts: Path) -> None:
    tab.part("read").get_by_role("button", name=EXAMPLES[3].title).click()
    for _, height in every_size(tab.page, artifacts, "inspect"):
        expect(tab.rule("Stella guide")).to_contain_text("runs")
        assert tab.page.evaluate("document.documentElement.scrollHeight") <= height
        assert tab.part("columns").evaluate("one => one.scrollWidth - one.clientWidth") == 0

"""The grid of a tool's parameters on a slow line: no edit is lost, and none counts for another tool."""

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.holding import Held, event_data, values
from tests.e2e.play import SLOW_MS
from tests.e2e.test_tools import opened
from tests.e2e.waiting import settle, until
from tests.served import Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# A line that delivers answers in bursts, such as one with a proxy that buffers them.
_BURSTS = """(() => {
  const send = window.fetch;
  window.fetch = async (what, options) => {
    const response = await send(what, options);
    if (!new URL(what.url ?? what, location.href).pathname.endsWith("/queue/data")) return response;
    const held = [];
    const burst = (heard) => held.length && heard.enqueue(held.splice(0).join(""));
    const bursts = new TransformStream({
      start: (heard) => setInterval(() => burst(heard), 1500),
      transform: (piece) => void held.push(piece),
      flush: burst,
    });
    const shown = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(bursts);
    return new Response(shown.pipeThrough(new TextEncoderStream()), { headers: response.headers });
  };
})()"""

PARAMETERS = {"a": {"type": "integer", "minimum": 3}, "b": {"type": "string"}}


@pytest.fixture
def tab(page: Page, server: Server) -> Page:
    return opened(page, server)


@pytest.fixture
def tool(tab: Page) -> str:
    """The name of a tool with two parameters, which is open."""
    return import_tool(tab)


def import_tool(tab: Page) -> str:
    """Import a tool with two parameters, open it, and return its name."""
    name = f"grid_{uuid4().hex[:6]}"
    spec = {
        "name": name,
        "description": "D.",
        "parameters": {"type": "object", "properties": PARAMETERS},
    }
    tab.get_by_label("Tool definitions").fill(json.dumps([spec]))
    tab.get_by_label("Import into toolset").fill(f"of {name}")
    tab.locator("#tools-import").click()
    expect(tab.locator("#tools-import-notice")).to_contain_text("1 tool")
    tab.locator(f"[data-tool={name}]").click()
    expect(cell(tab, "Name", 2)).to_have_value("b")
    return name


def cell(tab: Page, column: str, place: int) -> Locator:
    return tab.get_by_label(f"{column} of parameter {place}")


def enter(tab: Page, column: str, place: int, text: str) -> None:
    """Write a text into a cell, and leave it."""
    cell(tab, column, place).fill(text)
    tab.keyboard.press("Tab")


def parameters(tab: Page) -> dict[str, object]:
    """Return the parameters of the spec that the editor shows."""
    text = tab.locator("#tools-spec :is(.cm-content, .hw-plain-editor)").evaluate(
        "area => area.value ?? area.cmTile.view.state.doc.toString()"
    )
    spec = json.loads(text)
    return spec.get("function", spec)["parameters"]["properties"]


def eventually(tab: Page, is_so: Callable[[], bool]) -> None:
    """Wait until something is so, and check that it stays so."""
    until(tab, is_so, "it is not so")
    settle(tab)
    assert is_so(), parameters(tab)


def is_edit(body: dict[str, Any]) -> bool:
    return "rows" in event_data(body)


def is_check(body: dict[str, Any]) -> bool:
    """Whether the page asks for the findings, the file and the grid of a draft."""
    sent = values(body)
    return len(sent) == 4 and str(sent[1]).lstrip().startswith("{")


@pytest.mark.usefixtures("tool")
def test_an_edit_that_arrives_after_the_next_one_does_not_undo_it(tab: Page) -> None:
    held = Held(tab, is_edit, most=1)
    enter(tab, "Description", 2, "The second")
    enter(tab, "Allowed values", 2, "x, y")
    held.wait()
    settle(tab)
    held.let_go()
    both = {"type": "string", "description": "The second", "enum": ["x", "y"]}
    eventually(tab, lambda: parameters(tab)["b"] == both)
    expect(cell(tab, "Allowed values", 2)).to_have_value('"x", "y"')
    expect(tab.locator("#tools-edit")).not_to_contain_text("replaced what you typed")


@pytest.mark.usefixtures("tool")
def test_a_late_grid_of_an_older_spec_does_not_undo_the_cells_that_were_edited_since(tab: Page) -> None:
    held = Held(tab, is_check, most=1)
    enter(tab, "Description", 2, "The second")
    held.wait()
    edits = Held(tab, is_edit, most=1)
    enter(tab, "Allowed values", 2, "x, y")
    edits.wait()
    held.let_go()
    settle(tab)
    enter(tab, "Default", 2, "x")
    edits.let_go()
    whole = {"type": "string", "description": "The second", "enum": ["x", "y"], "default": "x"}
    eventually(tab, lambda: parameters(tab)["b"] == whole)


@pytest.mark.usefixtures("tool")
def test_a_parameter_that_is_renamed_and_edited_at_once_keeps_what_the_grid_does_not_show(tab: Page) -> None:
    Held(tab, is_check)
    enter(tab, "Name", 1, "count")
    eventually(tab, lambda: "count" in parameters(tab))
    enter(tab, "Description", 1, "How many")
    whole = {"type": "integer", "minimum": 3, "description": "How many"}
    eventually(tab, lambda: parameters(tab) == {"count": whole, "b": PARAMETERS["b"]})


def test_an_edit_that_is_answered_after_another_tool_was_opened_is_there_on_return(
    tab: Page, tool: str
) -> None:
    held = Held(tab, is_edit, most=1)
    enter(tab, "Description", 2, "The second")
    held.wait()
    tab.locator("[data-tool=calculate]").click()
    expect(tab.locator("#tools-spec")).to_contain_text("expression")
    held.let_go()
    settle(tab)
    assert "expression" in parameters(tab)
    tab.locator(f"[data-tool={tool}]").click()
    expect(tab.locator("#tools-spec")).to_contain_text("The second")


def test_an_edit_in_the_grid_of_the_tool_before_counts_for_that_tool(tab: Page, tool: str) -> None:
    held = Held(tab, is_check, most=1)
    tab.locator("[data-tool=calculate]").click()
    expect(tab.locator("#tools-spec")).to_contain_text("expression")
    held.wait()
    enter(tab, "Description", 2, "The second")
    settle(tab)
    held.let_go()
    expect(cell(tab, "Name", 1)).to_have_value("expression")
    assert list(parameters(tab)) == ["expression"]
    tab.locator(f"[data-tool={tool}]").click()
    expect(tab.locator("#tools-spec")).to_contain_text("The second")


@pytest.mark.usefixtures("tool")
def test_a_cell_that_cannot_be_used_stays_until_it_is_right(tab: Page) -> None:
    enter(tab, "Name", 2, "a")
    expect(tab.locator("#tools-spec-notice")).to_contain_text("two parameters are named 'a'")
    enter(tab, "Description", 2, "The second")
    settle(tab)
    expect(cell(tab, "Name", 2)).to_have_value("a")
    enter(tab, "Name", 2, "c")
    eventually(tab, lambda: parameters(tab).get("c") == {"type": "string", "description": "The second"})


@pytest.mark.long
def test_answers_that_arrive_together_all_count(fresh_page: Page, server: Server) -> None:
    fresh_page.add_init_script(_BURSTS)
    tab = opened(fresh_page, server)
    name = import_tool(tab)
    for text in ("one", "two", "three"):
        enter(tab, "Description", 2, text)
        tab.locator("[data-tool=calculate]").click()
        expect(tab.locator("#tools-spec")).to_contain_text("expression")
        tab.locator(f"[data-tool={name}]").click()
        expect(tab.locator("#tools-spec")).to_contain_text(f'"description": "{text}"')
        expect(cell(tab, "Description", 2)).to_have_value(text)


def test_mock_rules_are_edited_in_rows_and_as_yaml_and_follow_each_other(page: Page, server: Server) -> None:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(f"{server.url}/?tab=tools&tool=get_flumbuster")
    answer = page.get_by_label("Answer of rule 3")
    expect(answer).to_have_value("flumb must name a location")
    answer.fill("say where")
    answer.press("Tab")
    rules = page.locator("#tools-rules .cm-content")
    expect(rules).to_contain_text("error: say where")
    page.get_by_role("button", name="Add rule").click()
    new = page.get_by_label("When of rule 5")
    expect(new).to_be_focused()
    new.fill("flumb: [")
    new.press("Tab")
    expect(page.locator("#tools-rules-notice")).to_contain_text("rule 5, when: not YAML")
    new.fill("flumb: Oslo")
    page.get_by_label("Answer of rule 5").fill("{reading: 7}")
    page.get_by_label("Answer of rule 5").press("Tab")
    written = "() => hermesWorkbench.documents.textOf('tools-rules').endsWith("
    page.wait_for_function(written + r"'- when:\n    flumb: Oslo\n  result:\n    reading: 7\n')")
    expect(page.locator("#tools-rules-notice")).to_be_empty()
    rules.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("- error: closed")
    expect(page.get_by_label("Answer of rule 1")).to_have_value("closed")
    expect(page.locator("#tools-rule-grid tbody tr")).to_have_count(2)
    page.get_by_label("Answers with of rule 1").select_option("template")
    expect(rules).to_contain_text("template: closed")

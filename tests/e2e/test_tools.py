"""The Tools tab, step mode and approvals in a browser."""

import json
import sys
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests.e2e.hostile import HOSTILE, expect_harmless
from tests.e2e.play import SLOW_MS, Play, expect_text, open_tab
from tests.e2e.sizes import every_size
from tests.e2e.waiting import settle
from tests.served import Server, write_script
from workbench.toolbox.mcp.config import load_servers

pytestmark = pytest.mark.browser
MCP_SERVER = Path(__file__).parents[1] / "toolbox/mcp/server.py"


def tool_call(name: str, **arguments: object) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def opened(page: Page, server: Server) -> Page:
    """Open the tab."""
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(server.url)
    open_tab(page, "Tools")
    expect(page.locator("#tools-spec")).to_contain_text("get_flumbuster")
    return page


@pytest.fixture
def tab(page: Page, server: Server) -> Page:
    return opened(page, server)


def write(page: Page, name: str, text: str) -> None:
    """Replace the text of an editor at once."""
    page.get_by_role("textbox", name=name, exact=True).click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def test_a_tool_is_opened_edited_and_called(tab: Page) -> None:
    expect(tab.locator("#tools-spec-notice")).to_contain_text("No problems found.")
    expect(tab.locator("#tools-sizes")).to_contain_text("characters for")
    tab.locator("[data-tool=calculate]").click()
    expect(tab.locator("#tools-spec")).to_contain_text("expression")
    write(tab, "Arguments (JSON)", '{"expression": "6*7"}')
    tab.locator("#tools-call").click()
    expect(tab.locator("#tools-tried")).to_contain_text('"result": 42')
    tab.locator("[data-tool=get_weather]").click()
    expect(tab.locator("#tools-rules")).to_contain_text("paris")
    write(tab, "Mock rules (YAML)", "- template: '{{ city | upper }}'")
    expect(tab.locator("#tools-file")).to_contain_text("city | upper")
    write(tab, "Arguments (JSON)", '{"city": "Rome"}')
    tab.locator("#tools-call").click()
    expect(tab.locator("#tools-tried")).to_contain_text('"ROME"')
    expect(tab.locator("#tools-tried")).to_contain_text("mock rule 1")


@pytest.mark.slow
def test_the_world_of_a_toolset_is_edited_tried_and_saved(tab: Page, artifacts: Path) -> None:
    tab.locator("[data-tool=get_order]").click()
    expect(tab.locator("#tools-world")).to_contain_text("world_schema")
    toolset = f"set_{uuid4().hex[:6]}"
    tab.get_by_role("button", name="New tool").click()
    expect(tab.locator("#tools-spec")).to_contain_text("my_tool")
    expect(tab.locator("#tools-world")).not_to_contain_text("world")
    tab.get_by_label("Toolset", exact=True).fill(toolset)
    write(tab, "Spec (JSON)", json.dumps({"name": f"count_{toolset}", "description": "Count."}))
    write(tab, "Mock rules (YAML)", "- result: 1")
    tab.locator("#tools-versions .hw-save-version").click()
    tab.locator("#tools-versions").get_by_role("button", name="Save", exact=True).click()
    expect(tab.locator(f"[data-tool=count_{toolset}]")).to_be_visible()
    tab.locator(f"[data-tool=count_{toolset}]").click()
    write(tab, "World (YAML)", "world: {n: x")
    tab.get_by_role("button", name="Save world").click()
    expect(tab.locator("#tools-world-notice")).to_contain_text("world")
    write(tab, "World (YAML)", "world: {n: 40}")
    write(tab, "Mock rules (YAML)", "- effects: [{increment: /n, by: 2}]\n  result: '{{ world.n }}'")
    tab.locator("#tools-call").click()
    expect(tab.locator("#tools-tried")).to_contain_text("/n")
    expect(tab.locator("#tools-tried")).to_contain_text("42")
    tab.get_by_role("button", name="Save world").click()
    expect(tab.locator("#tools-world-notice")).to_contain_text("Saved the world")
    for _ in every_size(tab, artifacts, "tools-world"):
        tab.get_by_role("button", name="Save world").scroll_into_view_if_needed()
    tab.reload()
    open_tab(tab, "Tools")
    tab.locator(f"[data-tool=count_{toolset}]").click()
    expect(tab.locator("#tools-world")).to_contain_text("n: 40")


@pytest.mark.slow
def test_tools_pasted_into_the_editor_of_one_are_imported_and_broken_ones_named(tab: Page) -> None:
    tab.get_by_role("button", name="New tool").click()
    expect(tab.locator("#tools-spec")).to_contain_text("my_tool")
    toolset = f"set_{uuid4().hex[:6]}"
    tab.get_by_label("Toolset", exact=True).fill(toolset)
    names = [f"t{uuid4().hex[:6]}" for _ in range(3)]
    tools = [{"name": name, "description": "T.", "input_schema": {"type": "object"}} for name in names]
    write(tab, "Spec (JSON)", json.dumps(tools))
    expect(tab.get_by_role("button", name="Import these 3 tools")).to_be_visible()
    tools[1]["input_schema"] = {"type": "objekt"}
    write(tab, "Spec (JSON)", json.dumps(tools))
    tab.get_by_role("button", name="Import 2 of 3 tools").click()
    expect(tab.locator(f"[data-tool={names[2]}]")).to_be_visible()
    expect(tab.locator(f"[data-tool={names[1]}]")).to_have_count(0)
    expect(tab.locator("#tools-spec")).to_contain_text(names[0])
    expect(tab.get_by_role("button", name="Import 2 of 3 tools")).to_be_hidden()
    settle(tab)
    result = tab.locator("#tools-import-list-notice")
    expect(result).to_contain_text(f"tool '{names[1]}'")
    expect(result).to_be_in_viewport()
    tab.locator(f"[data-tool={names[2]}]").click()
    expect(tab.locator("#tools-spec")).to_contain_text(names[2])
    expect(result).to_have_text("")


def test_errors_are_reported_while_typing_with_line_and_pointer(tab: Page) -> None:
    write(tab, "Mock rules (YAML)", "- result: 1\n- template: '{% for a in b %}{% endfor %}'")
    expect(tab.locator("#tools-rules-notice")).to_contain_text("line 2")
    expect(tab.locator("#tools-rules-notice")).to_contain_text("(/1/template)")
    write(tab, "Spec (JSON)", '{"name": "f",\n "parameters": {"type": "objekt"}}')
    expect(tab.locator("#tools-spec-notice")).to_contain_text("line 2")
    write(tab, "Spec (JSON)", '{"name": "f", "parameters": {"type": "object"}}')
    expect(tab.locator("#tools-lint")).to_contain_text("tool-no-description")
    write(tab, "Arguments (JSON)", "{")
    tab.locator("#tools-call").click()
    expect(tab.locator("#tools-notice")).to_contain_text("arguments, line 1")


@pytest.mark.slow
def test_grid_and_json_stay_in_sync_and_the_tool_is_saved_and_used(tab: Page, server: Server) -> None:
    tab.get_by_role("button", name="New tool").click()
    expect(tab.locator("#tools-spec")).to_contain_text("my_tool")
    name = f"tool_{uuid4().hex[:6]}"
    spec = {
        "name": name,
        "description": "D.",
        "parameters": {"type": "object", "properties": {"a": {"type": "string"}}},
    }
    write(tab, "Spec (JSON)", json.dumps(spec))
    expect(tab.get_by_label("Name of parameter 1")).to_have_value("a")
    tab.get_by_label("Description of parameter 1").fill("The first")
    tab.get_by_label("Allowed values of parameter 1").fill("x, y")
    tab.keyboard.press("Tab")
    expect(tab.locator("#tools-spec")).to_contain_text('"description": "The first"')
    expect(tab.locator("#tools-spec")).to_contain_text('"x"')
    write(tab, "Mock rules (YAML)", "- result: {mine: 7}")
    tab.get_by_label("Toolset", exact=True).locator("visible=true").fill(f"set {name}")
    expect(tab.locator("#tools-file")).to_contain_text(f"set {name}")
    tab.reload()
    open_tab(tab, "Tools")
    expect(tab.locator("#tools-spec")).to_contain_text("The first")
    expect(tab.locator("#tools-rules")).to_contain_text("mine: 7")
    tab.get_by_label("Toolset", exact=True).locator("visible=true").fill(f"set {name}")
    expect(tab.locator("#tools-file")).to_contain_text(f"set {name}")
    tab.locator("#tools-use").click()
    expect_text(tab.locator("#play-tools-text"), name)
    play = Play(tab, server)
    play.use_script(write_script(server.folder / f"{name}.yaml", tool_call(name, a="x"), "Done."))
    play.ask("go")
    assert [stored.message.text for stored in server.path(play.session_id)][3] == '{"mine": 7}'


@pytest.mark.slow
def test_tools_in_any_format_are_imported_into_a_toolset(tab: Page) -> None:
    name = f"fn_{uuid4().hex[:6]}"
    text = f'def {name}(city: str, days: int = 3) -> str:\n    """Forecast.\n\n    Args:\n        city: Where.\n    """'
    tab.get_by_label("Tool definitions").fill(text)
    tab.get_by_label("Import into toolset").fill(f"of {name}")
    tab.locator("#tools-import").click()
    expect(tab.locator("#tools-import-notice")).to_contain_text("1 tool")
    tab.locator(f"[data-tool={name}]").click()
    expect(tab.get_by_label("Name of parameter 2")).to_have_value("days")
    tab.get_by_label("Tool definitions").fill("nothing")
    tab.locator("#tools-import").click()
    expect(tab.locator("#tools-import-notice")).to_contain_text("the text describes no tools")


def test_an_mcp_server_that_cannot_be_started_is_reported(tab: Page) -> None:
    tab.get_by_label("Name", exact=True).fill("gone")
    tab.get_by_label("URL or command").fill("no-such-program")
    tab.locator("#tools-server-add").click()
    expect(tab.locator("#tools-server-notice")).to_contain_text("MCP server 'gone'")


@pytest.mark.slow
def test_an_mcp_server_is_edited_retried_removed_and_restored(tab: Page, server: Server) -> None:
    file = server.folder / "data" / "tools.yaml"
    tab.get_by_label("Name", exact=True).fill("sums")
    tab.get_by_label("URL or command").fill(f"{sys.executable} {MCP_SERVER}")
    tab.locator("#tools-server-add").click()
    listed = tab.locator("#tools-servers [data-server=sums]")
    expect(listed).to_contain_text("running, 6 tools")
    expect(tab.locator("[data-tool=mcp_sums_add]")).to_be_visible()

    tab.get_by_label("Edit sums").click()
    config = tab.get_by_label("Configuration of sums")
    kept = config.input_value()
    config.fill('{"command": "no-such-program-of-a-test"}')
    tab.get_by_role("button", name="Save server").click()
    alert = tab.locator("#tools-servers [role=alert]")
    expect(alert).to_contain_text("'no-such-program-of-a-test' was not found")
    # What was typed stays, and the server still runs.
    expect(config).to_have_value('{"command": "no-such-program-of-a-test"}')
    expect(listed).to_contain_text("running, 6 tools")
    tab.get_by_label("Name of sums").fill("maths")
    config.fill(kept)
    tab.get_by_role("button", name="Save server").click()
    renamed = tab.locator("#tools-servers [data-server=maths]")
    expect(renamed).to_contain_text("running, 6 tools")
    expect(listed).to_have_count(0)
    expect(tab.locator("[data-tool=mcp_sums_add]")).to_have_count(0)

    tab.get_by_label("Remove maths").click()
    expect(renamed).to_have_count(0)
    assert "maths" not in file.read_text()
    tab.get_by_label("Undo maths").click()
    expect(renamed).to_contain_text("running, 6 tools")
    tab.get_by_label("Retry maths").click()
    expect(renamed).to_contain_text("running, 6 tools")
    assert list(load_servers(file)) == ["maths"]
    tab.get_by_label("Remove maths").click()
    expect(renamed).to_have_count(0)


def test_in_step_mode_the_turn_waits_for_the_person(play: Play, tmp_path: Path, artifacts: Path) -> None:
    calls = "\n".join(tool_call("get_flumbuster", flumb=city) for city in ("cairo", "london", "paris"))
    play.use_script(write_script(tmp_path / "step.yaml", calls, "Done."))
    play.choose("Tool calls", "Ask first")
    play.send("go")
    pane = play.part("waiting-call")
    expect(pane).to_contain_text("get_flumbuster")
    expect(play.part("live")).to_contain_text("waiting for you: call to get_flumbuster")
    play.part("step-use").click()
    expect(pane).to_contain_text("london")
    expect(play.part("step-result")).to_be_visible()
    expect(play.part("transcript")).to_contain_text("get_flumbuster")
    play.page.screenshot(path=artifacts / "step.png")
    play.part("step-result").locator("textarea").fill('{"mine": 1}')
    play.part("step-give").click()
    expect(play.part("step-result").locator("textarea")).to_have_value("")
    expect(pane).to_contain_text("paris")
    play.part("step-result").locator("textarea").fill("burnt")
    play.part("step-fail").click()
    play.wait_until_idle()
    expect(play.part("step")).to_be_hidden()
    heights = [play.part(name).evaluate("part => part.offsetHeight") for name in ("waiting", "transcript")]
    assert heights[0] < 20 < 200 < heights[1], "a pane in which nothing waits takes no room"
    texts = [stored.message.text for stored in play.server.path(play.session_id)]
    assert json.loads(texts[3])["reading"] == 31
    assert texts[4:] == ['{"mine": 1}', '{"error": "burnt"}', "Done."]


@pytest.mark.slow
def test_a_result_that_is_typed_while_the_one_before_is_sent_stays(play: Play, tmp_path: Path) -> None:
    """The next call is shown before the answer to the button of this one arrives."""
    calls = "\n".join(tool_call("get_flumbuster", flumb=city) for city in ("cairo", "london"))
    play.use_script(write_script(tmp_path / "step.yaml", calls, "Done."))
    play.choose("Tool calls", "Ask first")
    play.send("go")
    field, late = play.part("step-result").locator("textarea"), list[tuple[Route, APIResponse]]()

    def keep_answer(route: Route) -> None:
        if "one" in (route.request.post_data or "") and not late:
            late.append((route, route.fetch()))
        else:
            route.continue_()

    field.fill("one")
    play.page.route("**/run/predict*", keep_answer)
    play.part("step-give").click()
    expect(play.part("transcript")).to_contain_text("one")
    expect(play.part("waiting-call")).to_contain_text("london")
    field.fill("two")
    [(route, response)] = late
    route.fulfill(response=response)
    # The turn runs on, so its events have no last answer that could be waited for.
    play.page.wait_for_timeout(1000)
    expect(field).to_have_value("two")
    play.part("step-give").click()
    play.wait_until_idle()
    texts = [stored.message.text for stored in play.server.path(play.session_id)]
    assert texts[3:] == ['"one"', '"two"', "Done."]


@pytest.mark.slow
def test_a_result_that_is_being_typed_survives_a_reload(play: Play, tmp_path: Path) -> None:
    call = tool_call("get_flumbuster", flumb="cairo")
    play.use_script(write_script(tmp_path / "step.yaml", call, "Done."))
    play.choose("Tool calls", "Ask first")
    play.send("go")
    field = play.part("step-result").locator("textarea")
    header = play.page.locator("#page-header")
    expect(header).to_contain_text("waiting for you")
    field.fill("half a res")
    play.page.reload()
    expect(header).to_contain_text("waiting for you")
    expect(field).to_have_value("half a res")
    play.part("step-fail").click()
    play.wait_until_idle()
    expect(header).to_contain_text("ready")
    assert play.server.path(play.session_id)[3].message.text == '{"error": "half a res"}'


def test_a_risky_command_asks_and_the_approval_applies_to_the_session(play: Play, tmp_path: Path) -> None:
    script = [
        tool_call("terminal", command="rm -rf build"),
        tool_call("terminal", command="rm -rf dist"),
        "Done.",
    ]
    play.use_script(write_script(tmp_path / "risky.yaml", *script))
    play.page.get_by_role("combobox", name="Toolsets").click()
    play.page.get_by_role("option", name="terminal").click()
    expect_text(play.part("tools-text"), "workdir")
    play.send("clean up")
    expect(play.part("waiting-call")).to_contain_text("recursive delete")
    play.part("approval-session").click()
    play.wait_until_idle()
    texts = [
        stored.message.text
        for stored in play.server.path(play.session_id)
        if stored.message.name == "terminal"
    ]
    assert texts == ['{"output": "", "exit_code": 0}'] * 2


@pytest.mark.slow
def test_hostile_tools_and_results_are_shown_as_text_in_every_pane(tab: Page) -> None:
    in_json = partial(json.dumps, ensure_ascii=False)  # YAML knows no surrogates
    parameters = {"type": "object", "properties": {HOSTILE: {"type": "string", "description": HOSTILE}}}
    write(tab, "Spec (JSON)", json.dumps({"name": "odd", "description": HOSTILE, "parameters": parameters}))
    expect(tab.get_by_label("Name of parameter 1")).to_have_value(HOSTILE)
    write(tab, "Mock rules (YAML)", in_json([{"result": {"said": HOSTILE, "long": "x" * 100_000}}]))
    write(tab, "Arguments (JSON)", json.dumps({HOSTILE: HOSTILE}))
    tab.locator("#tools-call").click()
    expect(tab.locator("#tools-tried")).to_contain_text("window.hacked = 3")
    write(tab, "Mock rules (YAML)", in_json([{"error": HOSTILE}]))
    tab.locator("#tools-call").click()
    expect(tab.locator("#tools-tried")).to_contain_text("error")
    write(tab, "Mock rules (YAML)", in_json([{HOSTILE: 1}]))
    expect(tab.locator("#tools-rules-notice")).to_contain_text("window.hacked = 3")
    tab.get_by_label("Tool definitions").fill(HOSTILE)
    tab.locator("#tools-import").click()
    expect(tab.locator("#tools-import-notice")).not_to_be_empty()
    expect_harmless(tab, "#page-tab-tools")


@pytest.mark.slow
def test_nothing_is_cut_off_at_any_window_size(tab: Page, artifacts: Path) -> None:
    for _ in every_size(tab, artifacts, "tools"):
        tab.locator("#tools-call").scroll_into_view_if_needed()
        tab.locator("#tools-call").click()
        expect(tab.locator("#tools-tried pre")).to_be_visible()

"""Recorded requests of a client on the page, in a browser: they appear while they come, and become a suite."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.holding import hold_first_opening
from tests.e2e.play import SLOW_MS, Play, open_tab
from tests.e2e.waiting import settle
from tests.exchanges import RAW_CALL, Agent, answered, said
from tests.served import Server, served, write_script
from workbench.chat.message import Message, Role
from workbench.records.exchanges import ClientAnswer, ClientRequest
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import Store

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long]

RESULT = Message(role=Role.TOOL, text='{"celsius": 31}', name="get_weather")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with a scripted model and no sessions."""
    folder = tmp_path_factory.mktemp("recorded")
    yield from served(folder, f"scripted:{write_script(folder / 'script.yaml', 'Hello.')}")


def record(server: Server, request: ClientRequest, answer: ClientAnswer, session_id: str) -> None:
    """Record an exchange from another process, as a gateway does that runs beside the page."""
    with closing(Store(f"sqlite:///{server.folder / 'data' / 'workbench.sqlite3'}")) as store:
        store.of(LOCAL_OWNER).recordings.record(session_id, request, answer)


def test_requests_appear_on_the_page_as_they_are_recorded_and_become_a_suite(
    page: Page, server: Server, artifacts: Path
) -> None:
    agent, call = Agent(tag="agent"), answered(RAW_CALL)
    play = Play(page, server)
    record(server, agent.request(said("How is the weather in Rome?")), call, "a" * 32)
    play.open()
    listed = play.part("sessions").locator(".hw-session")
    expect(listed).to_have_count(1)
    expect(listed).to_contain_text("How is the weather in Rome?")
    expect(listed).to_contain_text("gateway")
    expect(listed.locator(".hw-client")).to_have_text("agent/1.0")
    listed.click()
    expect(play.entries).to_have_count(3)
    # What is typed meanwhile stays.
    play.composer.fill("Is it warm?")
    agent.got(call)
    record(server, agent.request(RESULT), answered("It is 31 degrees."), "a" * 32)
    expect(play.part("transcript")).to_contain_text("It is 31 degrees.")
    expect(play.composer).to_have_value("Is it warm?")
    agent.got(answered("It is 31 degrees."))
    record(server, agent.request(said("Thanks.")), answered("You are welcome."), "a" * 32)
    expect(play.part("transcript")).to_contain_text("You are welcome.")
    other = Agent(tag="agent")
    record(server, other.request(said("Hi")), answered("Hello!"), "b" * 32)
    expect(listed).to_have_count(2)
    expect(play.part("transcript")).to_contain_text("You are welcome.")
    page.screenshot(path=artifacts / "recorded-play.png")
    # Another branch does not replace what is shown.
    agent.messages[-1] = said("And in Oslo?")
    record(server, agent.request(), answered("It is cold."), "a" * 32)
    expect(play.part("transcript").locator(".hw-branches").first).to_be_visible()
    expect(play.part("transcript")).to_contain_text("You are welcome.")
    play.composer.fill("")

    page.locator("#play-sessions summary", has_text="Filter").click()
    page.get_by_label("Source", exact=True).first.select_option("import")
    expect(listed).to_have_count(0)
    page.get_by_label("Source", exact=True).first.select_option("gateway")
    expect(listed).to_have_count(2)

    play.tab("Suites")
    page.get_by_role("tab", name="Edit suites").click()
    page.get_by_label("Tag of the sessions for a new suite").fill("agent")
    page.get_by_role("button", name="From sessions").click()
    expect(page.locator("#suites-edit-notice")).to_contain_text("from 2 sessions, 0 labelled")
    expect(page.locator("#suites-checked")).to_contain_text("How is the weather in Rome?")
    page.screenshot(path=artifacts / "recorded-suite.png")
    page.get_by_label("Tag of the sessions for a new suite").fill("nothing")
    page.get_by_role("button", name="From sessions").click()
    expect(page.locator("#suites-edit-notice")).to_contain_text("no session has it")


def test_a_suite_that_opens_late_does_not_replace_a_new_one_from_sessions(page: Page, server: Server) -> None:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    agent, tag = Agent(tag="late"), "late"
    record(server, agent.request(said("How is the weather in Bern?")), answered(RAW_CALL), "c" * 32)
    held = hold_first_opening(page, unless=f'"{tag}"')
    page.goto(server.url)
    expect(page.locator("#page-header")).to_contain_text("ready")
    open_tab(page, "Suites")
    page.get_by_role("tab", name="Edit suites").click()
    page.get_by_label("Tag of the sessions for a new suite").fill(tag)
    page.get_by_role("button", name="From sessions").click()
    settle(page)
    held.let_go()
    settle(page)
    expect(page.locator("#suites-text")).to_contain_text(f"suite: {tag}")
    expect(page.locator("#suites-list [aria-current=true]")).to_contain_text(tag)

"""Addresses and the browser's history: every place, Back, Forward, a reload, a pasted link."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.play import SLOW_MS, Play
from tests.e2e.waiting import settle, until
from tests.served import Server

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long]


@dataclass(frozen=True)
class Seen:
    """A place that was visited: its address, and what the page shows there."""

    query: dict[str, str]
    tab: str
    shows: Callable[[Page], Locator]
    text: str


def query_of(page: Page) -> dict[str, str]:
    # Not `page.url`, which a test learns of a moment later.
    return dict(parse_qsl(page.evaluate("location.search").removeprefix("?")))


class Walk:
    """A walk over the page, which remembers its places."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server
        self.seen: list[Seen] = []

    def note(self, shows: Callable[[Page], Locator], text: str, **names: str) -> None:
        """Remember the place that the page shows now, once its address has these parameters."""
        expect(shows(self.page)).to_contain_text(text)
        for name, value in names.items():
            expect(self.page).to_have_url(re.compile(f"[?&]{name}={value}"))
        query = query_of(self.page)
        self.seen.append(Seen(query, query.get("tab", "play"), shows, text))
        self.expect_at(self.page, len(self.seen) - 1)

    def expect_at(self, page: Page, place: int) -> None:
        """Check that the page is at that place, in its address and on the screen."""
        seen = self.seen[place]
        until(page, lambda: query_of(page) == seen.query, f"not at place {place}", SLOW_MS / 1000)
        expect(page.locator("#page-places [aria-current]").last).to_have_attribute("data-tab", seen.tab)
        expect(seen.shows(page)).to_contain_text(seen.text)
        assert query_of(page) == seen.query


def _session(page: Page) -> Locator:
    return page.locator("#play-transcript")


def _contract(page: Page) -> Locator:
    return page.locator("#contracts-text .cm-content")


def _tool(page: Page) -> Locator:
    return page.locator("#tools-spec .cm-content")


def _run(page: Page) -> Locator:
    return page.locator("#suites-run")


def _case(page: Page) -> Locator:
    return page.locator("#suites-plays")


def _suite(page: Page) -> Locator:
    return page.locator("#suites-text .cm-content")


def _item(page: Page) -> Locator:
    return page.locator("#label-desk ol[data-session]")


@pytest.fixture
def walk(page: Page, server: Server) -> Iterator[Walk]:
    """A walk through fifteen places on all tabs."""
    play = Play(page, server).open()
    walk = Walk(page, server)
    play.ask("First question?")
    walk.note(_session, "First question?", tab="play", session="")
    page.locator("#play-new").click()
    expect(play.entries).to_have_count(0)
    expect(play.composer).to_have_value("")
    play.ask("Second question?")
    walk.note(_session, "Second question?", session="")
    page.locator("#play-sessions .hw-session", has_text="First question?").first.click()
    walk.note(_session, "First question?", session=walk.seen[0].query["session"])
    play.entries.nth(1).click()
    expect(page).to_have_url(re.compile("message="))
    # The selected message belongs to the step before.
    walk.seen.pop()
    walk.note(_session, "First question?", session=walk.seen[0].query["session"], message="")
    play.tab("Inspect")
    walk.note(lambda page: page.locator("#inspect-read"), "", tab="inspect")
    play.tab("Contracts")
    page.locator("[data-contract=minimal]").click()
    expect(page).to_have_url(re.compile("contract=minimal"))
    if len(walk.seen) == 4:
        page.locator("[data-contract=full]").click()
    walk.note(_contract, "name: full", tab="contracts", contract="full")
    page.locator("[data-contract=minimal]").click()
    walk.note(_contract, "name: minimal", contract="minimal")
    play.tab("Tools")
    page.locator("[data-tool=calculate]").click()
    walk.note(_tool, '"calculate"', tab="tools", tool="calculate")
    page.locator("[data-tool=get_flumbuster]").click()
    walk.note(_tool, '"get_flumbuster"', tool="get_flumbuster")
    play.tab("Suites")
    page.get_by_role("button", name="Run suites").click()
    expect(_run(page)).to_contain_text("5 of 5 results · done")
    walk.note(_run, "5 of 5 results · done", tab="suites", run="")
    page.get_by_role("button", name="nonsense/zorbix-add: ").first.click()
    walk.note(_case, "nonsense/zorbix-add", case="nonsense%2Fzorbix-add")
    page.get_by_role("tab", name="Edit suites").click()
    page.locator("[data-suite=weather]").click()
    walk.note(_suite, "suite: weather", suite="weather")
    play.tab("Label")
    walk.note(_item, "", tab="label", item="")
    play.tab("Data")
    page.locator("#data-tag input, #data-tag textarea").first.fill("demo")
    walk.note(lambda page: page.locator("#page-tab-data"), "Sessions to export", tab="data", tag="demo")
    play.tab("Models")
    walk.note(lambda page: page.locator("#page-tab-models"), "Available models", tab="models")
    yield walk


def test_back_and_forward_walk_over_all_tabs(walk: Walk) -> None:
    page = walk.page
    assert len(walk.seen) >= 12
    page.evaluate("window.isSame = true")
    last = len(walk.seen) - 1
    for place in range(last, -1, -1):
        back_to(walk, page, place, page.go_back)
    for place in range(last + 1):
        back_to(walk, page, place, page.go_forward)
    assert page.evaluate("window.isSame"), "the page was loaded again"


def back_to(walk: Walk, page: Page, place: int, step: Callable[..., object]) -> None:
    """Step through the history until the page is at a place. Steps between places, such as a tab's first item, are
    passed."""
    for _ in range(4):
        if query_of(page) == walk.seen[place].query:
            break
        step()
        settle(page)
    walk.expect_at(page, place)


def test_a_reload_and_a_pasted_link_open_the_same_place(walk: Walk) -> None:
    page = walk.page
    for place in range(len(walk.seen) - 1, -1, -1):
        back_to(walk, page, place, page.go_back)
        page.reload()
        walk.expect_at(page, place)
        link = page.url
        other = page.context.new_page()
        other.goto(link)
        walk.expect_at(other, place)
        other.close()


def test_two_tabs_have_their_own_history_and_quick_steps_end_at_the_right_place(walk: Walk) -> None:
    page = walk.page
    other = page.context.new_page()
    other.goto(f"{walk.server.url}/?tab=contracts&contract=minimal")
    walk.expect_at(other, 5)
    page.evaluate("() => { for (let step = 0; step < 5; step += 1) history.back(); }")
    settle(page)
    reached = query_of(page)
    assert reached in [seen.query for seen in walk.seen]
    walk.expect_at(page, [seen.query for seen in walk.seen].index(reached))
    page.evaluate("() => history.go(-history.length + 3)")
    settle(page)
    for _ in range(12):
        page.go_forward(wait_until="commit")
    back_to(walk, page, len(walk.seen) - 1, page.go_forward)
    walk.expect_at(other, 5)


@pytest.mark.parametrize(
    ("query", "where", "message"),
    [
        ("?tab=play&session=gone", "#play-notice", "there is no such session"),
        ("?shared=gone", "#play-notice", "does not show a session"),
        ("?tab=nowhere", "#play-notice", "there is no such tab"),
        ("?tab=contracts&contract=gone", "#contracts-notice", "no such contract"),
        ("?tab=tools&tool=gone", "#tools-notice", "gone"),
        ("?tab=suites&run=gone", "#suites-notice", "there is no such run"),
        ("?tab=suites&suite=gone", "#suites-edit-notice", "gone"),
        ("?tab=compare&compare=gone", "#compare-notice", "there is no comparison"),
        ("?tab=label&item=gone", "#label-desk", "does not exist"),
        ("?tab=data&verdict=gone", "#data-notice", "unknown verdict"),
        ("?tab=inspect&dialect=gone&level=strict", "#inspect-notice", "unknown dialect"),
    ],
)
def test_an_address_of_something_gone_says_so_and_the_page_stays_usable(
    page: Page, server: Server, query: str, where: str, message: str
) -> None:
    expect.set_options(timeout=SLOW_MS)
    page.goto(f"{server.url}/{query}")
    expect(page.locator(where)).to_contain_text(message)
    play = Play(page, server)
    play.tab("Play")
    play.ask("Still usable?")
    assert play.session_id not in ("", "gone")


def test_a_reload_keeps_a_draft_and_its_place(page: Page, server: Server) -> None:
    expect.set_options(timeout=SLOW_MS)
    page.goto(f"{server.url}/?tab=contracts&contract=minimal")
    editor = page.locator("#contracts-text .cm-content")
    expect(editor).to_contain_text("name: minimal")
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("\nTyped, not saved.")
    page.wait_for_function(
        "Object.entries(localStorage).some(([key, text]) => key.includes(':draft:') && text.includes('Typed, not saved.'))"
    )
    page.reload()
    expect(editor).to_contain_text("Typed, not saved.")
    assert query_of(page) == {"tab": "contracts", "contract": "minimal"}

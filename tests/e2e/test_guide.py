"""A first visit, the demo sessions, the command palette and the shortcuts."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.play import SLOW_MS, Play, code_editor, expect_tab, open_tab
from tests.e2e.waiting import settle, until
from tests.served import Server, served, write_script
from workbench.ui.present.place import NAMES

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page as on a Space, where each browser is a first-time visitor."""
    folder = tmp_path_factory.mktemp("fresh")
    script = write_script(folder / "script.yaml", "Hello.")
    yield from served(folder, f"scripted:{script}", SPACE_ID="someone/workbench", WORKBENCH_HOST="127.0.0.1")


@pytest.fixture
def first(newcomer: Page, fresh: Server) -> Page:
    """A first visit."""
    expect.set_options(timeout=SLOW_MS)
    newcomer.set_default_timeout(SLOW_MS)
    newcomer.goto(fresh.url)
    return newcomer


@pytest.mark.slow
def test_a_first_visit_shows_an_example_and_a_tour_that_works_with_keys(first: Page) -> None:
    tour = first.get_by_role("dialog", name="What the model wrote")
    expect(tour).to_contain_text("1 of 4")
    transcript = first.locator("#play-transcript")
    expect(transcript).to_contain_text("fixed · 1 fix")
    expect(transcript).to_contain_text("18 °C")
    expect(first.locator("#play-session-list .hw-tag").first).to_have_text("example")
    expect(first.get_by_role("button", name="Next")).to_be_focused()
    for heading in ("What the model sees", "Every byte and every fix", "What to do next"):
        first.keyboard.press("ArrowRight")
        expect(first.get_by_role("dialog", name=heading)).to_be_visible()
    first.keyboard.press("ArrowLeft")
    expect(first.get_by_role("dialog", name="Every byte and every fix")).to_be_visible()
    first.keyboard.press("Enter")
    first.keyboard.press("Enter")
    expect(first.locator(".hw-tour")).to_be_hidden()
    first.goto(first.url.partition("?")[0])
    expect(first.locator("#play-session-list .hw-session")).to_have_count(1)
    expect(first.locator("#play-demo button")).to_have_text("Load the demo dataset")
    settle(first)
    expect(first.locator(".hw-tour")).to_be_hidden()


def test_a_first_visit_has_few_controls_and_words(first: Page) -> None:
    """At most 40 different controls and 200 words, with the example open and the inspector folded away again."""
    first.set_viewport_size({"width": 1440, "height": 900})
    expect(first.locator(".hw-tour")).to_be_visible()
    expect(first.locator("#play-inspector")).to_be_visible()
    first.keyboard.press("Escape")
    expect(first.locator("#play-inspector")).to_be_hidden()
    settle(first)
    controls, words = first.evaluate(
        """() => {
          const isShown = (part) => {
            const { width, height, top, left } = part.getBoundingClientRect();
            return part.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
              width > 0 && height > 0 && top < innerHeight && left < innerWidth;
          };
          const nameOf = (part) => part.tagName + (part.ariaLabel || part.innerText || part.title || part.id);
          const found = document.querySelectorAll(
            "a[href], button, input, select, textarea, summary, [role=tab], [tabindex='0']");
          const words = document.body.innerText.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word));
          return [[...new Set([...found].filter(isShown).map(nameOf))], words];
        }"""
    )
    assert len(controls) <= 40, "\n".join(controls)
    assert len(words) <= 200, words
    assert {"Play", "Library"} <= set(words)


@pytest.mark.slow
def test_leaving_play_ends_the_tour(first: Page) -> None:
    card = first.locator(".hw-tour")
    expect(card).to_be_visible()
    open_tab(first, "Label")
    expect(card).to_be_hidden()
    open_tab(first, "Play")
    settle(first)
    expect(card).to_be_hidden()


def test_the_tour_opens_its_example_first(page: Page, fresh: Server) -> None:
    play = Play(page, fresh).open()
    expect(page.locator(".hw-tour")).to_be_hidden()
    page.locator("#page-header").get_by_role("button", name="Tour").click()
    expect(page.get_by_role("dialog", name="What the model wrote")).to_be_visible()
    expect(play.part("transcript")).to_contain_text("It is 18 °C")
    play.composer.focus()
    page.keyboard.press("Escape")
    expect(page.locator(".hw-tour")).to_be_hidden()


def test_a_link_to_another_tab_shows_no_tour(newcomer: Page, fresh: Server) -> None:
    expect.set_options(timeout=SLOW_MS)
    newcomer.goto(f"{fresh.url}/?tab=label")
    expect_tab(newcomer, "Label")
    expect(newcomer.locator("#label-desk details.hw-filter-fold")).to_be_visible()
    expect(newcomer.locator(".hw-tour")).to_be_hidden()


def test_a_skipped_tour_is_not_shown_again(first: Page) -> None:
    expect(first.get_by_role("button", name="Skip tour")).to_be_visible()
    expect(first.locator("#play-transcript")).to_contain_text("18 °C")
    first.keyboard.press("Escape")
    expect(first.locator(".hw-tour")).to_be_hidden()
    first.reload()
    expect(first.locator("#play-transcript")).to_contain_text("18 °C")
    settle(first)
    expect(first.locator(".hw-tour")).to_be_hidden()


@pytest.mark.slow
def test_the_demo_sessions_are_added_and_removed_with_one_button(
    page: Page, other_page: Page, fresh: Server
) -> None:
    ann, bob = Play(page, fresh).open(), Play(other_page, fresh).open()
    rows = ann.part("session-list").locator("ul.hw-sessions").first.locator(".hw-session")
    expect(rows).to_have_count(0)
    ann.part("demo").get_by_role("button").click()
    expect(ann.part("demo")).to_contain_text("Added 12 sessions", timeout=3 * SLOW_MS)
    expect(rows).to_have_count(12)
    rows.filter(has_text="A call that was dropped").click()
    expect(ann.part("transcript")).to_contain_text("dropped")
    bob.reload()
    expect(bob.part("session-list").locator(".hw-session")).to_have_count(0)
    rows.filter(has_text="An answer full of HTML").click()
    expect(ann.part("transcript")).to_contain_text('<script>alert("no")</script>')
    ann.part("demo").get_by_role("button", name="Remove the demo dataset").click()
    expect(rows).to_have_count(0)
    expect(ann.part("session-list")).to_contain_text("Deleted")


@pytest.mark.slow
def test_the_palette_finds_and_opens_anything(play: Play) -> None:
    play.ask("Where is the palette's zebra?")
    page = play.page
    field = page.get_by_role("combobox", name="Find anything")
    found = page.get_by_role("listbox", name="Found").get_by_role("option")

    def find(words: str, kind: str) -> None:
        page.keyboard.press("Control+k")
        expect(field).to_be_focused()
        page.keyboard.type(words)
        expect(found.first).to_contain_text(kind)
        page.keyboard.press("Enter")
        expect(field).to_be_hidden()

    find("tab export", "tab")
    expect(page.locator("#data-check")).to_be_visible()
    find("contract full", "contract")
    opened = page.locator("[data-contract='full']")
    expect(opened).to_have_attribute("aria-current", "true")
    find("tool zorbix", "tool")
    expect(page.locator("[data-tool='calculate_zorbix']")).to_have_attribute("aria-current", "true")
    find("suite weather", "suite")
    expect(page.locator("[data-suite='weather']")).to_have_attribute("aria-current", "true")
    find("palette's zebra", "session")
    expect(play.entries.nth(1)).to_contain_text("palette's zebra")
    find("command new session", "command")
    expect(play.entries).to_have_count(0)


@pytest.mark.slow
def test_the_palette_shows_results_for_the_last_query_even_if_responses_are_slow(play: Play) -> None:
    page = play.page

    def slowly(route: Route) -> None:
        page.wait_for_timeout(1000)  # a slow line
        route.continue_()

    page.route("**/queue/join*", slowly)
    page.keyboard.press("Control+k")
    for word in ("suite", " w", "eath", "er"):
        page.keyboard.type(word)
        page.wait_for_timeout(400)  # long enough for the page to ask, and too short for the answer
    found = page.get_by_role("listbox", name="Found").get_by_role("option")
    expect(found.first).to_contain_text("weather")
    page.unroute_all(behavior="wait")


def test_results_that_arrive_while_a_mouse_button_is_down_do_not_swallow_the_click(play: Play) -> None:
    page, waiting, is_held = play.page, list[Route](), True

    def keep(route: Route) -> None:
        if is_held:
            waiting.append(route)
        else:
            route.continue_()

    page.route("**/queue/join*", keep)
    page.keyboard.press("Control+k")
    page.keyboard.type("tab suites")
    option = page.get_by_role("option").filter(has_text="Suites").first
    option.hover()
    until(page, lambda: waiting, "the palette asks nothing")
    page.mouse.down()
    is_held = False
    for route in waiting:
        route.continue_()
    settle(page)
    page.mouse.up()
    expect(page.locator("#page-tab-suites")).to_be_visible()


@pytest.mark.slow
def test_the_palette_works_with_keys_and_closes_with_escape(play: Play) -> None:
    page = play.page
    page.get_by_role("button", name=re.compile("Find anything")).click()
    options = page.get_by_role("listbox", name="Found").get_by_role("option")
    expect(options.nth(0)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(options.nth(0)).to_have_attribute("aria-selected", "false")
    # Up from the first option is the last. Results that the server adds after it do not change the choice.
    chosen = options.evaluate_all("all => all.map(one => one.ariaSelected)").index("true")
    own = [text for text in options.all_text_contents() if text.startswith(("tab", "command"))]
    assert chosen >= len(own) - 1 > 8
    page.keyboard.type("nothing is called like this <b>")
    expect(page.get_by_text("No results. Try fewer words.")).to_be_visible()
    # While a dialog is open, the key must not trigger the page's shortcut.
    play_text = play.composer.input_value()
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_role("combobox", name="Find anything")).to_be_hidden()
    assert play.composer.input_value() == play_text


@pytest.mark.slow
def test_the_question_mark_shows_the_shortcuts_of_each_tab(play: Play) -> None:
    page = play.page
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    for name in map(str.title, NAMES):
        open_tab(page, name)
        page.locator("#page-places [aria-current]").last.focus()
        page.keyboard.press("?")
        shown = page.locator("dialog[open]") if name == "Label" else keys
        expect(shown).to_be_visible()
        if name != "Label":
            expect(keys).to_contain_text("Ctrl+K")
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)


def test_shortcuts_do_nothing_while_typing(play: Play) -> None:
    play.composer.fill("")
    play.composer.press_sequentially("Why? j k 1")
    expect(play.composer).to_have_value("Why? j k 1")
    expect(play.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()
    code_editor(play.part("contract-text")).click()
    play.page.keyboard.type("?")
    expect(play.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()

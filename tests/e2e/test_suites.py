"""The Suites tab in a browser: run, inspect, compare, write, continue."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.hostile import HOSTILE, expect_harmless
from tests.e2e.play import OWN_CONTRACT, SLOW_MS, TURN_MS, Play, open_tab, save_button
from tests.e2e.sizes import every_size
from tests.served import Server, served, write_script

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with a model that alternates between a call and a greeting."""
    folder = tmp_path_factory.mktemp("suites")
    script = write_script(folder / "script.yaml", CALL, "Hello there.", CALL)
    yield from served(folder, f"scripted:{script}")


@pytest.fixture(scope="module")
def hostile_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with a model that always writes hostile text."""
    folder = tmp_path_factory.mktemp("hostile")
    script = write_script(folder / "script.yaml", HOSTILE)
    yield from served(folder, f"scripted:{script}")


@pytest.fixture(scope="module")
def slow_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page with a model that takes some seconds for each answer."""
    folder = tmp_path_factory.mktemp("slow")
    answer: dict[str, object] = {"text": "Hello there, " * 4, "seconds_per_token": 0.5}
    script = write_script(folder / "script.yaml", answer)
    yield from served(folder, f"scripted:{script}")


def opened(page: Page, url: str) -> Page:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(url)
    # The model's name is shown once the page has been filled. The model need not be loaded.
    expect(page.locator("#page-header")).to_contain_text(" · ")
    open_tab(page, "Suites")
    expect(page.locator("#suites-size")).to_contain_text("5 case runs: 5 cases × 1 arm")
    return page


@pytest.fixture
def tab(page: Page, server: Server) -> Page:
    return opened(page, server.url)


def choose(page: Page, field: str, *options: str) -> None:
    page.locator(f"#suites-{field} input").click()
    for option in options:
        page.get_by_role("option", name=option, exact=True).click()
    page.keyboard.press("Escape")


def run(page: Page, results: int) -> None:
    """Start the chosen run with the shortcut, and wait until it has ended."""
    page.keyboard.press("Control+Enter")
    expect(page.locator("#suites-run")).to_contain_text(
        f"{results} of {results} results · done", timeout=TURN_MS
    )
    expect(page.locator("#suites-bar button")).to_have_count(0)


def test_every_combination_is_run_and_the_arms_are_compared(tab: Page, artifacts: Path) -> None:
    choose(tab, "contracts", "full")
    choose(tab, "temperatures", "0.7")
    tab.get_by_label("not constrained").check()
    tab.get_by_label("Repetitions").fill("2")
    expect(tab.locator("#suites-size")).to_contain_text("80 case runs: 5 cases × 8 arms × 2 repetitions")
    tab.get_by_label("not constrained").uncheck()
    tab.get_by_label("Repetitions").fill("1")
    expect(tab.locator("#suites-size")).to_contain_text("20 case runs")
    run(tab, 20)
    shown = tab.locator("#suites-run")
    expect(shown.locator(".hw-chart").first.locator("circle")).to_have_count(4)
    expect(shown.locator("thead").first).to_contain_text("95 %")
    choose(tab, "baseline", tab.locator("#suites-shown input").input_value())
    expect(tab.locator("#suites-comparison")).to_contain_text("McNemar")
    pairs = tab.locator("#suites-comparison .hw-cell")
    expect(pairs).to_have_count(5)
    changed = tab.locator("#suites-comparison tbody").first.locator(".hw-cell")
    if "did not change" in tab.locator("#suites-comparison").inner_text() and not pairs.first.is_visible():
        tab.locator("#suites-comparison summary").click()
        changed = pairs
    changed.first.click()
    sides = tab.locator("#suites-plays .hw-plays.is-pair .hw-play")
    expect(sides).to_have_count(2)
    expect(sides.first).to_contain_text("before · minimal")
    expect(sides.last).to_contain_text("after · ")
    tab.screenshot(path=artifacts / "suites-compared.png")


def test_a_case_shows_its_stored_rollout_and_can_be_labelled_and_linked(tab: Page, server: Server) -> None:
    run(tab, 5)
    tab.get_by_role("button", name="nonsense/zorbix-add: failed").click()
    case_runs = tab.locator("#suites-plays")
    expect(case_runs).to_contain_text("expected")
    case_runs.get_by_text("Stored rollout").click()
    expect(case_runs.locator(".hw-rollout")).to_contain_text("Calculate the zorbix of zorb 3 and bix 5.")
    case_runs.get_by_role("button", name="Add to labelling queue").click()
    expect(tab.locator("#suites-notice")).to_contain_text("to the labelling queue")
    expect(tab).to_have_url(re.compile("run=[0-9a-f]+&case=nonsense%2Fzorbix-add"))
    rollout = str(case_runs.get_by_role("link", name="Open in Play").get_attribute("href"))
    link = tab.url
    open_tab(tab, "Play")
    expect(tab).not_to_have_url(re.compile("run=|case="))
    tab.goto(link)
    expect(tab.locator("#suites-plays h2")).to_have_text("nonsense/zorbix-add")
    expect(tab.locator("#suites-run")).to_contain_text("5 of 5 results · done")
    expect(tab.locator('.hw-cell[aria-pressed="true"]')).to_have_count(1)
    tab.goto(f"{server.url}/{rollout}")
    expect(tab.locator("#play-transcript")).to_contain_text("zorbix")


def test_model_output_is_shown_as_text_and_failed_cases_are_added_to_the_labelling_queue(
    page: Page, hostile_server: Server
) -> None:
    tab = opened(page, hostile_server.url)
    run(tab, 5)
    tab.get_by_role("button", name="nonsense/flumbuster-with-uster", exact=True).click()
    expect(tab.locator("#suites-plays")).to_contain_text(HOSTILE)
    tab.get_by_role("button", name="Add failing cases to labelling queue").click()
    expect(tab.locator("#suites-notice")).to_contain_text("failed rollout")
    expect_harmless(tab, "#page-tab-suites")


def test_an_invalid_run_is_reported_before_it_starts(tab: Page) -> None:
    field = tab.locator("#suites-temperatures input")
    field.click()
    field.fill("hot")
    field.press("Enter")
    expect(tab.locator("#suites-size")).to_contain_text("Temperature: 'hot' is not a number")


def test_a_run_continues_without_its_page_and_can_be_stopped_and_continued(
    page: Page, slow_server: Server
) -> None:
    opened(page, slow_server.url)
    page.get_by_label("Repetitions").fill("20")
    expect(page.locator("#suites-size")).to_contain_text("100 case runs")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#suites-bar")).to_contain_text("1 of 100")
    page.reload()
    open_tab(page, "Suites")
    bar = page.locator("#suites-bar")
    expect(bar).to_contain_text("left")
    bar.get_by_role("button", name="Stop").click()
    expect(bar).to_contain_text("stopped")
    expect(page.locator("#suites-run")).to_contain_text("of 100 results · stopped")
    page.get_by_role("button", name="Resume run").click()
    expect(bar.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.get_by_role("button", name="Resume run")).to_have_count(0)
    bar.get_by_role("button", name="Stop").click()
    expect(bar).to_contain_text("stopped")


@pytest.fixture
def writing(tab: Page) -> Page:
    tab.get_by_role("tab", name="Edit suites").click()
    expect(tab.locator("#suites-checked")).to_contain_text("No problems found.")
    return tab


def begin_suite(page: Page, name: str) -> None:
    page.get_by_label("Name of a new suite").fill(name)
    page.keyboard.press("Enter")
    expect(page.locator("#suites-text")).to_contain_text(f"suite: {name}")


def write(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Suite text").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def test_a_suite_is_written_with_findings_by_line_saved_filled_from_csv_and_run(
    writing: Page, tmp_path: Path, artifacts: Path
) -> None:
    begin_suite(writing, "greetings")
    checked = writing.locator("#suites-checked")
    write(
        writing,
        "suite: greetings\ncases:\n  - id: a\n    prompt: p\n    expect: [{cals: []}, {no_cal: true}]\n",
    )
    expect(checked.locator("li")).to_have_count(2)
    expect(checked.locator("li").first).to_contain_text("line 5")
    expect(checked.locator("li").first).to_contain_text("a · /expect/0")
    write(
        writing,
        "suite: greetings\ncases:\n  - id: a\n    prompt: Hello\n    expect: [{call_count: {at_least: 0}}]\n",
    )
    expect(checked).to_contain_text("No problems found.")
    rows = tmp_path / "cities.csv"
    rows.write_text("city,unit\nRome,c\nOslo,f\n", encoding="utf-8")
    with writing.expect_file_chooser() as chooser:
        writing.locator("#suites-rows").click()
    chooser.value.set_files(rows)
    expect(checked).to_contain_text("3 cases")
    expect(checked).to_contain_text("Oslo f")
    writing.locator("#suites-play").click()
    expect(writing.locator("#suites-edit-notice")).to_contain_text("Save it as a version first")
    line = writing.locator("#suites-versions")
    save_button(line).click()
    writing.keyboard.type("first")
    writing.keyboard.press("Enter")
    expect(line).to_contain_text("v1")
    writing.screenshot(path=artifacts / "suites-written.png")
    writing.locator("#suites-play").click()
    expect(writing.locator("#suites-size")).to_contain_text("3 case runs")
    run(writing, 3)
    expect(writing.locator("#suites-run")).to_contain_text("greetings/cities-2")


def test_an_unsaved_suite_survives_a_reload(writing: Page) -> None:
    begin_suite(writing, "half")
    write(writing, "suite: half\ncases:\n  - id: half a sentence")
    expect(writing.locator("#suites-checked")).to_contain_text("is missing")
    writing.reload()
    open_tab(writing, "Suites")
    writing.get_by_role("tab", name="Edit suites").click()
    expect(writing.locator("#suites-text")).to_contain_text("half a sentence")
    expect(writing.locator("#suites-list [aria-current=true]")).to_contain_text("not saved · draft")


def test_a_turn_of_a_session_becomes_a_case_with_one_click(tab: Page, server: Server) -> None:
    open_tab(tab, "Play")
    Play(tab, server).ask("Hello you")
    tab.locator("#play-transcript .r-user").get_by_role("button", name="Actions").click()
    tab.get_by_role("menuitem", name="Create a case from this turn").click()
    expect(tab.locator("#play-notice")).to_contain_text("to suite 'mine'")
    expect(tab.locator('#play-notice a[href*="suite=mine"]')).to_be_visible()
    open_tab(tab, "Suites")
    tab.get_by_role("tab", name="Edit suites").click()
    tab.locator("[data-suite=mine]").click()
    expect(tab.locator("#suites-checked")).to_contain_text("Hello you")


def test_an_empty_limit_means_no_limit_and_an_invalid_number_is_reported(tab: Page) -> None:
    tab.get_by_text("Cases and limits").click()
    limit, case_runs, size = (
        tab.get_by_label("Max cases"),
        tab.get_by_label("Repetitions"),
        tab.locator("#suites-size"),
    )
    expect(limit).to_have_value("0")
    case_runs.fill("")
    expect(size).to_contain_text("field 'repetitions': it is empty (write a whole number from 1 to 1,000)")
    case_runs.fill("0")
    expect(size).to_contain_text("field 'repetitions': 0 is less than 1")
    case_runs.fill("2")
    expect(size).to_contain_text("10 case runs: 5 cases × 1 arm × 2 repetitions")
    limit.fill("3")
    expect(size).to_contain_text("6 case runs: 3 cases × 1 arm × 2 repetitions")
    expect(tab.get_by_test_id("toast-body")).to_have_count(0)


def test_nothing_is_cut_off_at_any_window_size(tab: Page, artifacts: Path) -> None:
    run(tab, 5)
    tab.get_by_role("button", name="nonsense/zorbix-add: failed").click()
    expect(tab.locator("#suites-plays h2")).to_be_visible()
    for _ in every_size(tab, artifacts, "suites"):
        ran, case_runs = (tab.locator(f"#suites-{part}").bounding_box() for part in ("run", "plays"))
        assert ran and case_runs
        assert case_runs["x"] >= ran["x"] + ran["width"] or case_runs["y"] >= ran["y"]


@pytest.mark.long
@pytest.mark.model
def test_the_embedded_model_is_measured_without_a_forced_call(page: Page, embedded_server: Server) -> None:
    opened(page, embedded_server.url)
    expect(page.locator("#suites-tool-choice")).to_contain_text("auto")
    page.get_by_text("Cases and limits").click()
    page.get_by_label("Max cases").fill("2")
    expect(page.locator("#suites-size")).to_contain_text("2 case runs")
    run(page, 2)
    expect(page.locator("#suites-run .hw-cell")).to_have_count(4)
    expect(page.locator("#suites-run table").first).to_contain_text("prompt tokens")


def test_a_failing_case_is_opened_fixed_and_run_again_with_the_draft_in_five_clicks(
    tab: Page, server: Server
) -> None:
    run(tab, 5)
    tab.get_by_role("button", name="nonsense/zorbix-add: failed").click()
    tab.locator("#suites-plays").get_by_role("link", name="Open in Play").click()
    expect(tab.locator("#play-transcript")).to_contain_text("zorbix")
    play = Play(tab, server)
    play.edit("contract-text", OWN_CONTRACT)
    expect(tab.locator("#play-contract-text ~ .hw-draft").first).to_contain_text("Unsaved draft")
    open_tab(tab, "Suites")
    tab.get_by_role("button", name="Run failing cases again").click()
    expect(tab.locator("#suites-comparison")).to_contain_text("McNemar", timeout=TURN_MS)
    expect(tab.locator("#suites-run")).to_contain_text("done")
    expect(tab.locator("#suites-comparison .hw-cell").first).to_be_attached()

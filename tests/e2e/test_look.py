"""Looking at a data set in a browser: a picture whose bars open rows."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.hostile import UNMARKED, expect_harmless
from tests.e2e.play import SLOW_MS, open_tab
from tests.e2e.test_data import row, write
from tests.e2e.test_every_tab import findings
from tests.records.corpus.sessions import CALL
from tests.served import Server, served, write_script

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def look_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("look")
    script = write_script(folder / "script.yaml", "Hello.")
    yield from served(folder, f"scripted:{script}")


class Look:
    """The section that opens data sets, and the picture."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        page.set_default_timeout(SLOW_MS)
        expect.set_options(timeout=SLOW_MS)
        page.goto(f"{server.url}/?tab=explore")
        self.picture, self.found = page.locator("#explore-picture"), page.locator("#explore-found")
        expect(page.locator("#explore-open")).to_be_visible()

    def open_path(self, path: Path) -> None:
        self.page.locator("#explore-path").locator("input, textarea").first.fill(str(path))
        self.page.locator("#explore-open").click()

    def chart(self, title: str):
        section = self.picture.locator("section").filter(
            has=self.page.get_by_role("heading", name=title, exact=True)
        )
        expect(section.locator("svg")).to_be_visible()
        return section

    def expect_rows(self, heading: str) -> None:
        expect(self.found.get_by_role("status")).to_have_text(heading)


@pytest.fixture
def look(page: Page, look_server: Server) -> Look:
    return Look(page, look_server)


@pytest.fixture
def rows_file(tmp_path: Path) -> Path:
    wrong = CALL.replace('"weather"', '"whether"')
    rows = [row(f"Weather in city {number}?", answer=f"Answer {number}.") for number in range(12)]
    return write(tmp_path / "weather.jsonl", *rows, row("And in Oslo?", call=wrong), row("Long? " * 3_000))


def test_bars_and_filters_open_the_rows_behind_them(look: Look, rows_file: Path) -> None:
    look.open_path(rows_file)
    expect(look.picture.get_by_role("heading", name="weather.jsonl")).to_be_visible()
    expect(look.picture).to_contain_text("14 rows · sharegpt")
    look.expect_rows("14 rows")
    expect(look.found.locator("details")).to_have_count(10)
    look.chart("Findings by code").locator("[data-bars] rect").first.click()
    look.expect_rows("1 row")
    expect(look.found).to_contain_text("And in Oslo?")
    expect(look.found).to_contain_text("'whether'")
    look.found.get_by_role("button", name="Remove the filter finding").click()
    look.expect_rows("14 rows")
    look.found.get_by_role("button", name="Next").click()
    expect(look.found).to_contain_text("11–14 of 14")
    look.found.get_by_label("Add a filter").select_option("calls weather")
    look.expect_rows("13 rows")
    look.found.get_by_label("Search in rows").fill("answer 1")
    look.found.get_by_label("Search in rows").press("Enter")
    look.expect_rows("3 rows")


def test_figures_open_rows_by_keyboard_and_a_length_says_what_is_cut(look: Look, rows_file: Path) -> None:
    look.open_path(rows_file)
    chart = look.chart("Calls per row")
    chart.get_by_text("Show figures").press("Enter")
    chart.get_by_role("button", name="1 call: 14 rows").press("Enter")
    expect(look.found.locator(".hw-tag")).to_contain_text("1 call")
    length = look.page.locator("#explore-length input")
    length.fill("2000")
    length.press("Enter")
    look.picture.get_by_role("button", name="1 row is cut at 2,000 tokens").click()
    look.expect_rows("1 row")
    expect(look.found).to_contain_text("Long? Long?")


def test_a_random_sample_is_the_same_for_the_same_seed(look: Look, rows_file: Path) -> None:
    look.open_path(rows_file)
    look.expect_rows("14 rows")

    def sample(seed: int) -> list[str]:
        look.found.get_by_label("Seed of the random sample").fill(str(seed))
        look.found.get_by_role("button", name="Draw a random sample").click()
        look.expect_rows("14 rows, in random order")
        expect(look.found.get_by_label("Seed of the random sample")).to_have_value(str(seed))
        return look.found.locator("summary strong").all_inner_texts()

    first = sample(7)
    look.found.get_by_role("button", name="Use the file's order").click()
    look.expect_rows("14 rows")
    assert first != look.found.locator("summary strong").all_inner_texts()
    assert sample(7) == first


def test_an_uploaded_file_and_stored_sessions_are_opened(look: Look, rows_file: Path) -> None:
    look.page.locator("#explore-sessions").click()
    expect(look.page.locator("#explore-notice")).to_contain_text("Stored sessions: there are no rows")
    look.page.locator("#explore-file input[type=file]").set_input_files(str(rows_file))
    expect(look.page.locator('#explore-file [aria-label="weather.jsonl"]')).to_be_visible()
    look.page.locator("#explore-open").click()
    look.expect_rows("14 rows")
    open_tab(look.page, "Import")
    look.page.locator("#import-file input[type=file]").set_input_files(str(rows_file))
    expect(look.page.locator('#import-file [aria-label="weather.jsonl"]')).to_be_visible()
    look.page.locator("#import-start").click()
    expect(look.page.locator("#import-job")).to_contain_text("14 sessions created")
    open_tab(look.page, "Explore")
    expect(look.picture.get_by_role("heading", name="weather.jsonl")).to_be_visible()
    look.page.locator("#explore-sessions").click()
    expect(look.picture.get_by_role("heading", name="Stored sessions")).to_be_visible()
    look.expect_rows("14 rows")
    look.found.locator("summary").first.click()
    expect(look.found.get_by_role("link", name="Open in Play").first).to_be_visible()


def test_two_files_are_compared(look: Look, rows_file: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in rows_file.read_text(encoding="utf-8").splitlines()]
    rows[3]["conversations"][2]["value"] = CALL.replace('"Rome"', '"Paris"')
    rows[3]["conversations"][4]["value"] = UNMARKED
    other = write(tmp_path / "other.jsonl", *rows[1:], row("New?"))
    look.page.get_by_role("button", name="Compare with another file").click()
    look.page.locator("#explore-path").locator("input, textarea").first.fill(str(rows_file))
    look.page.locator("#explore-other-file input[type=file]").set_input_files(str(other))
    expect(look.page.locator('#explore-other-file [aria-label="other.jsonl"]')).to_be_visible()
    look.page.locator("#explore-compare-files").click()
    diff = look.page.locator("#explore-diff")
    expect(diff.get_by_role("heading", name="weather.jsonl → other.jsonl")).to_be_visible()
    expect(diff).to_contain_text("12 rows unchanged, 1 row changed, 1 row removed, 1 row added")
    expect(diff).to_contain_text("row 4 → row 3")
    expect(diff.locator("ins").last).to_contain_text("window.hacked")
    expect_harmless(look.page, "#page-tab-explore")
    look.page.locator("#explore-open").click()
    expect(diff.get_by_role("heading", name="weather.jsonl → other.jsonl")).to_be_hidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_picture_and_difference_are_accessible(
    look: Look, rows_file: Path, tmp_path: Path, theme: str
) -> None:
    look.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    look.open_path(rows_file)
    for title in ("Calls by tool", "Tokens per row"):
        look.chart(title)
    look.found.locator("summary").first.click()
    assert findings(look.page, f"picture, {theme}") == []
    look.page.get_by_role("button", name="Compare with another file").click()
    other = write(tmp_path / "other.jsonl", row("Weather in city 0?", answer="Rain."), row("New?"))
    look.page.locator("#explore-other-path").locator("input, textarea").first.fill(str(other))
    look.page.locator("#explore-compare-files").click()
    expect(look.page.locator("#explore-diff").get_by_role("heading", name="Added rows")).to_be_visible()
    assert findings(look.page, f"difference, {theme}") == []


def test_hostile_rows_are_text_and_a_bad_file_says_what_is_wrong(look: Look, tmp_path: Path) -> None:
    look.open_path(tmp_path / "nowhere.jsonl")
    expect(look.page.locator("#explore-notice")).to_contain_text("No such file")
    hostile = row(UNMARKED, answer=f"{UNMARKED} `\\n`")
    hostile["id"] = UNMARKED
    tools = json.loads(hostile["tools"])
    tools[0]["function"]["parameters"]["properties"]["u"] = {"enum": [UNMARKED, "b"]}
    hostile["tools"] = json.dumps(tools)
    look.open_path(write(tmp_path / "hostile.jsonl", hostile))
    look.expect_rows("1 row")
    look.found.get_by_role("button", name="Loss mask").click()
    expect(look.found).to_contain_text("${window.hacked = 3}")
    expect_harmless(look.page, "#page-tab-explore")

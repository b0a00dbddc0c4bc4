"""The pages Export and Import in a browser: rows become sessions, and sessions become the same rows."""

import json
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.hostile import UNMARKED, expect_harmless
from tests.e2e.play import SLOW_MS, Play, open_tab
from tests.records.corpus.sessions import CALL, SYSTEM, TOOL
from tests.served import Server, served, write_script

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def row(question, answer="It is clear.", call=CALL):
    turns = [
        ("system", SYSTEM),
        ("human", question),
        ("gpt", call),
        ("tool", '<tool_response>\n{"sky": "clear"}\n</tool_response>'),
        ("gpt", answer),
    ]
    entries = [{"from": speaker, "value": text} for speaker, text in turns]
    return {"conversations": entries, "tools": json.dumps([TOOL]), "source": "test"}


def write(file: Path, *rows):
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


class Data:
    """The actions and contents of the tab."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server
        page.set_default_timeout(SLOW_MS)
        expect.set_options(timeout=SLOW_MS)
        page.goto(server.url)
        open_tab(page, "Data")
        expect(self.part("check")).to_be_visible()

    def part(self, name):
        return self.page.locator(f"#data-{name}")

    def fill(self, name, text):
        self.part(name).locator("input, textarea").first.fill(text)

    def import_file(self, file, *, tag="", is_queued=False):
        """Import a file on its page, and return to the page Export."""
        open_tab(self.page, "Import")

        def part(name):
            return self.page.locator(f"#import-{name}")

        part("file").locator("input[type=file]").set_input_files(str(file))
        expect(part("file").locator(f'[aria-label="{file.name}"]')).to_be_visible()
        if tag:
            part("tag").locator("input, textarea").first.fill(tag)
        if is_queued:
            part("queue").get_by_role("checkbox").check()
        part("start").click()
        # The end of the import empties the field.
        expect(part("file").locator(f'[aria-label="{file.name}"]')).to_have_count(0)
        expect(part("job")).to_contain_text("Imported")
        job, findings = part("job").inner_text(), part("findings").inner_text()
        open_tab(self.page, "Data")
        return job, findings

    def create_files(self):
        self.part("make").click()
        expect(self.part("job")).to_contain_text("Written")

    def download(self, name, folder):
        with self.page.expect_download() as waiting:
            self.part("files").locator(f'a[download="{name}"]').click()
        target = folder / name
        waiting.value.save_as(target)
        return target


@pytest.fixture
def data(page: Page, tmp_path):
    script = write_script(tmp_path / "script.yaml", "Hello.")
    for server in served(tmp_path, f"scripted:{script}"):
        yield Data(page, server)
        page.goto("about:blank")


def test_imported_rows_become_sessions_and_export_to_the_same_rows(data: Data, tmp_path, artifacts):
    rows = [row(f"Weather in city {number}?") for number in range(3)]
    job, _ = data.import_file(write(tmp_path / "rows.jsonl", *rows), tag="batch-1", is_queued=True)
    assert "3 sessions created" in job
    expect(data.page.locator("#play-session-list")).to_contain_text("Weather in city 2?")
    data.fill("tag", "batch-1")
    data.fill("licence", "mit")
    data.create_files()
    expect(data.part("job")).to_contain_text("3 rows of 3 sessions")
    expect(data.part("job")).to_contain_text("receipt with 0 errors")
    file = data.download("rows.jsonl", tmp_path / "down")
    assert [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] == rows
    with zipfile.ZipFile(data.download("rows.zip", tmp_path / "down")) as packed:
        assert set(packed.namelist()) == {"rows.jsonl", "receipt.json", "README.md"}
        assert packed.read("rows.jsonl") == file.read_bytes()
        assert json.loads(packed.read("receipt.json"))["rows"] == 3
    data.page.screenshot(path=artifacts / "data.png")
    job, _ = data.import_file(tmp_path / "rows.jsonl")
    assert "0 sessions created · 3 rows already imported" in job


def test_a_finding_links_to_its_message_and_the_other_rows_can_be_exported(data: Data, tmp_path):
    bad = row("And in Oslo?", call=CALL.replace('"weather"', '"whether"'))
    _, found = data.import_file(write(tmp_path / "rows.jsonl", row("Weather in Rome?"), bad, {"no": "row"}))
    assert "rows.jsonl:3" in found
    data.part("make").click()
    expect(data.part("notice")).to_contain_text("1 of 2 sessions has errors, so nothing was written")
    expect(data.part("findings")).to_contain_text("undeclared-tool")
    data.part("manners").get_by_label("Skip sessions with errors").check()
    data.create_files()
    expect(data.part("job")).to_contain_text("1 row of 2 sessions · 1 skipped")
    with data.page.context.expect_page() as waiting:
        data.part("findings").get_by_role("link", name="And in Oslo?").click()
    opened = waiting.value
    expect(opened.locator("#play-transcript")).to_contain_text("whether")
    expect(opened.locator("#play-transcript")).to_contain_text("And in Oslo?")
    play = Play(opened, data.server).wait_until_open().ask("And in Bergen?")
    expect(play.part("transcript")).to_contain_text("Hello.")
    opened.close()


def test_hostile_rows_are_shown_as_text_and_long_lines_are_shortened(data: Data, tmp_path):
    long = "x" * 1_000_000
    rows = [row(UNMARKED, answer=f"{UNMARKED} `\\n`"), row("Long?", answer=long)]
    data.import_file(write(tmp_path / "rows.jsonl", *rows))
    data.part("check").click()
    expect(data.part("job")).to_contain_text("Checked")
    shown = data.part("rows")
    expect(shown).to_contain_text('onerror=\\"window.hacked = 1\\"')
    expect(shown).to_contain_text("${window.hacked = 3}")
    shown.get_by_role("button", name="Loss mask").first.click()
    expect(shown.locator("mark.hw-trained").filter(has_text="${window.hacked = 3}")).to_be_visible()
    expect(shown).to_contain_text("more characters in the file")
    expect_harmless(data.page, "#page-tab-data")


def test_an_empty_tab_explains_itself_and_an_invalid_field_says_what_to_enter(data: Data):
    data.part("rows").get_by_role("button", name="Check all sessions").click()
    expect(data.part("notice")).to_contain_text("No sessions match these filters.")
    data.fill("split", "train")
    data.part("check").click()
    expect(data.part("notice")).to_contain_text("write train=0.9,test=0.1")
    data.fill("split", "")
    data.part("push").click()
    expect(data.part("push-notice")).to_contain_text("enter a repository")
    expect(data.part("notice")).to_have_text("")


IS_BELOW = """([button, notice]) => {
  const [above, below] = [button, notice].map((part) => part.getBoundingClientRect());
  const gap = below.top - above.bottom;
  return gap >= 0 && gap < 20 && above.left <= below.right && below.left <= above.right;
}"""
"""True once the second part is directly below the first. Both are measured at once, since the page may be scrolling."""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_a_message_is_shown_below_the_button_that_caused_it(data: Data, width: int, height: int):
    data.page.set_viewport_size({"width": width, "height": height})
    for button, notice in (("make", "notice"), ("push", "push-notice")):
        data.part(button).click()
        expect(data.part(notice).locator(".hw-line")).to_be_visible()
        parts = [data.part(name).element_handle() for name in (button, notice)]
        data.page.wait_for_function(IS_BELOW, arg=parts)

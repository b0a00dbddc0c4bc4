"""Page object of the Compare tab."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from playwright.sync_api import Locator, Page, expect

from tests.e2e.play import TURN_MS, Play, open_tab
from tests.served import Server
from workbench.library.datasets.session_export import export_rows
from workbench.records.corpus.material import SessionFilter
from workbench.records.corpus.session_rows import ExportOptions
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import Store


@dataclass(frozen=True)
class Comparing:
    """The actions and contents of the tab."""

    page: Page
    server: Server

    def open(self, query: str = "") -> Self:
        """Open the page at the tab."""
        Play(self.page, self.server).open(query)
        return self.front()

    def front(self) -> Self:
        """Switch to the tab."""
        open_tab(self.page, "Compare")
        expect(self.page.get_by_role("button", name="Compare", exact=True)).to_be_visible()
        return self

    def choose(self, name: str, value: str) -> Self:
        """Type a choice into a dropdown, such as `Model A`, which is folded after a comparison."""
        unfold = self.page.get_by_role("button", name="Change columns")
        if unfold.is_visible():
            unfold.click()
        field = self.page.get_by_role("combobox", name=name, exact=True)
        field.fill(value)
        field.press("Enter")
        expect(field).to_have_value(value)
        return self

    def models(self, *scripts: Path) -> Self:
        """Choose a script as the model of each column, from A on."""
        for letter, script in zip("ABCD", scripts, strict=False):
            self.choose(f"Model {letter}", f"scripted:{script}")
        return self

    def ask(self, text: str) -> Self:
        """Write the question, compare, and wait until all columns have ended."""
        field = self.page.get_by_role("textbox", name="Question")
        field.fill(text)
        field.press("Control+Enter")
        return self.wait_until_idle()

    def compare(self) -> Self:
        """Press the button, and wait until all columns have ended."""
        self.page.get_by_role("button", name="Compare", exact=True).click()
        return self.wait_until_idle()

    def wait_until_idle(self) -> Self:
        """Wait until the comparison has ended and has answers. Columns of one model run one after the other."""
        expect(self.board.locator(".hw-compare-turn").first).to_be_visible(timeout=TURN_MS)
        expect(self.page.locator("#compare-live .hw-compare-live").first).to_be_hidden(timeout=4 * TURN_MS)
        expect(self.page.locator("#compare-run")).to_be_enabled(timeout=TURN_MS)
        return self

    @property
    def board(self) -> Locator:
        """The board with all answers."""
        return self.page.locator("#compare-board")

    def cell(self, letter: str, turn: int = 0) -> Locator:
        """Return a column's answer to a turn."""
        return self.board.locator(f'[data-turn="{turn}"]').get_by_label(f"Column {letter}", exact=True)

    def press(self, key: str) -> Self:
        """Press a key while no field has the focus."""
        self.page.evaluate("document.activeElement.blur()")
        self.page.keyboard.press(key)
        return self

    def pairs(self) -> list[tuple[str, str]]:
        """Return the last messages of the chosen and rejected answers in the dpo export of the session."""
        address = self.cell("A").get_by_role("link", name="Open in Play").get_attribute("href") or ""
        session_id = address.partition("session=")[2].partition("&")[0]
        store = Store(f"sqlite:///{self.server.folder / 'data' / 'workbench.sqlite3'}")
        try:
            options = ExportOptions(choice=SessionFilter(session_ids=(session_id,)), format="dpo")
            rows = [
                result.row
                for session in export_rows(store.of(LOCAL_OWNER).corpus, options)
                for result in session.rows
            ]
            return [(row["chosen"][-1]["content"], row["rejected"][-1]["content"]) for row in rows if row]
        finally:
            store.close()

"""Page object of the Inspect tab."""

from typing import Self

from playwright.sync_api import Locator, Page, expect

from tests.e2e.play import SLOW_MS, open_tab
from tests.served import Server


class Inspecting:
    """The actions and contents of the tab."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        page.set_default_timeout(SLOW_MS)
        expect.set_options(timeout=SLOW_MS)

    def open(self, query: str = "") -> Self:
        self.page.goto(f"{self.server.url}/{query}")
        open_tab(self.page, "Inspect")
        expect(self.part("tools-text")).to_contain_text("get_flumbuster")
        return self

    def part(self, name: str) -> Locator:
        return self.page.locator(f"#inspect-{name}")

    def paste(self, text: str, name: str = "Completion") -> Self:
        """Replace the text of an editor at once, like a paste."""
        self.page.get_by_role("textbox", name=name, exact=True).click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)
        return self

    def choose(self, field: str, option: str) -> Self:
        self.page.get_by_label(field, exact=True).click()
        self.page.get_by_role("option", name=option).click()
        return self

    def way(self, name: str) -> Self:
        """Choose how to show the text."""
        self.part("read").get_by_role("button", name=name, exact=True).click()
        return self

    @property
    def text(self) -> str:
        """The shown text, byte for byte."""
        return str(self.part("read").locator(".hw-read").evaluate("pane => pane.textContent"))

    def rule(self, name: str) -> Locator:
        """Return the row of a parser."""
        return self.part("differ").locator(f"tr[data-rule='{name}']")

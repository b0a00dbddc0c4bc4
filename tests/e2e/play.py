"""The Play tab as a person works it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import yaml
from playwright.sync_api import Locator, Page, expect

from workbench.records.owner import LOCAL_OWNER
from workbench.records.sessions import StoredMessage
from workbench.store.store import Store

SLOW_MS = 45_000
"""How long a machine under load may take for one step."""
TURN_MS = 180_000
"""How long a turn of the embedded model may take there."""

TOUR_ENDED = "try { localStorage.setItem('hermes-workbench:tour', 'ended'); } catch { }"
"""What the browser of someone keeps who was led through the tour."""


@dataclass(frozen=True)
class Server:
    """A page that is served."""

    url: str
    folder: Path
    kill: Callable[[], None]

    def path(self, session_id: str) -> Sequence[StoredMessage]:
        """The messages of a session, out of the database itself."""
        store = Store(f"sqlite:///{self.folder / 'data' / 'workbench.sqlite3'}")
        try:
            return store.of(LOCAL_OWNER).sessions.path(session_id)
        finally:
            store.close()


def write_script(path: Path, *completions: str | dict[str, object], **options: object) -> Path:
    """A script for the engine, as a file."""
    path.write_text(yaml.safe_dump({"completions": list(completions), **options}, allow_unicode=True))
    return path


class Play:
    """What can be done on the tab, and seen."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        page.set_default_timeout(SLOW_MS)
        expect.set_options(timeout=SLOW_MS)

    def open(self, query: str = "") -> Self:
        self.page.goto(f"{self.server.url}/{query}")
        return self.wait_until_open()

    def reload(self) -> Self:
        self.page.reload()
        return self.wait_until_open()

    def wait_until_open(self) -> Self:
        """Until the fields are filled and the model is there."""
        expect(self.page.locator("#page-header")).to_contain_text("ready")
        expect(self.page.locator("#play-system-text")).to_contain_text("tokens")
        return self

    def part(self, name: str) -> Locator:
        return self.page.locator(f"#play-{name}")

    @property
    def composer(self) -> Locator:
        return self.page.get_by_label("Message", exact=True)

    @property
    def entries(self) -> Locator:
        return self.part("transcript").locator("li.hw-entry")

    @property
    def raw_text(self) -> str:
        """What the raw pane's text is, byte for byte."""
        return str(self.part("raw").locator(".hw-raw").evaluate("pane => pane.textContent"))

    def expect_raw(self, text: str) -> None:
        """The raw pane comes to show just this text, byte for byte."""
        for _ in range(SLOW_MS // 100):
            if self.raw_text == text:
                return
            self.page.wait_for_timeout(100)
        assert self.raw_text == text

    @property
    def session_id(self) -> str:
        return self.page.url.partition("session=")[2].partition("&")[0]

    def use_script(self, path: Path) -> Self:
        """Chooses a scripted model by its name."""
        field = self.page.get_by_role("combobox", name="Model", exact=True)
        field.fill(f"scripted:{path}")
        field.press("Enter")
        expect(self.page.locator("#page-header")).to_contain_text(f"{path.name} · script · ready")
        return self

    def ask(self, text: str) -> Self:
        """Writes and sends, and waits until the turn is over."""
        return self.send(text).wait_until_idle()

    def send(self, text: str) -> Self:
        self.composer.fill(text)
        self.composer.press("Control+Enter")
        expect(self.part("live")).to_be_visible()
        return self

    def wait_until_idle(self) -> Self:
        expect(self.part("live")).to_be_hidden(timeout=TURN_MS)
        expect(self.part("send")).to_be_visible()
        return self

    def tab(self, name: str) -> Self:
        self.page.get_by_role("tab", name=name).click()
        return self

    def choose(self, label: str, option: str) -> Self:
        """Chooses from a dropdown."""
        self.page.get_by_role("combobox", name=label, exact=True).click()
        self.page.get_by_role("option", name=option, exact=True).click()
        return self

    def menu(self, entry: Locator, act: str) -> Self:
        """Does something with a message, by its menu."""
        entry.get_by_role("button", name="Actions").click()
        entry.get_by_role("menuitem", name=act, exact=True).click()
        return self

    def edit(self, name: str, text: str) -> Self:
        """Replaces the text of an editor."""
        editor = self.part(name).locator(".cm-content")
        editor.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)
        return self

"""Page object of the Play tab."""

import re
from pathlib import Path
from typing import Self

from playwright.sync_api import Locator, Page, expect

from tests.e2e.waiting import until
from tests.served import Server
from workbench.ui.present.place import NAMES

SLOW_MS = 45_000
"""Timeout of one step on a busy machine."""
TURN_MS = 180_000
"""Timeout of a turn of the embedded model on a busy machine."""

OWN_CONTRACT = """---
title: Own
family: hermes-lines
variables:
  tone: plain
---
Answer in a {{ tone }} tone.
<tools>
{{ tools }}
</tools>
"""
"""A contract with a variable."""
TOUR_ENDED = """try {
  localStorage.setItem("hermes-workbench:tour", "ended");
  for (const [name, value] of [
    ["columns", '["sessions", "inspector"]'],
    ["fold:play-more-content", "open"],
    ["fold:play-tools-edit-content", "open"],
  ])
    if (localStorage.getItem("hermes-workbench:" + name) === null)
      localStorage.setItem("hermes-workbench:" + name, value);
} catch { }"""
"""The browser storage of a visitor who has finished the tour and left everything in Play open."""


def save_button(line: Locator) -> Locator:
    """Return the button of a version line that saves what was typed."""
    return line.get_by_role("button", name="Save version")


def code_editor(part: Locator) -> Locator:
    """Return the text of a code editor, which is created when it gets the focus if it is a lazy one."""
    part.locator(":is(.cm-content, .hw-plain-editor)").focus()
    return part.locator(".cm-content")


SHOWS = """([id, text]) => {
  const shown = document.querySelector(`#${id} :is(.cm-content, .hw-plain-editor)`);
  return shown !== null && (shown.value ?? shown.innerText).includes(text);
}"""


def expect_text(editor: Locator, text: str) -> None:
    """Wait until a lazy editor, which may have its code editor or not, shows a text."""
    editor.page.wait_for_function(SHOWS, arg=[editor.get_attribute("id"), text])


def expect_no_text(editor: Locator, text: str) -> None:
    """Wait until a lazy editor does not show a text."""
    editor.page.wait_for_function(f"arg => !({SHOWS})(arg)", arg=[editor.get_attribute("id"), text])


_HAS_BEGUN = """before => document.querySelector("#play-live").getBoundingClientRect().height > 0
  || document.querySelectorAll("#play-transcript .hw-entry").length > before"""
"""Whether a turn runs, or has already stored messages."""
_LOADED = re.compile(" · (ready|writing|waiting for you)")
"""The header's words for a model that is loaded."""


def open_tab(page: Page, name: str) -> None:
    """Open a tab of the page, or press a tab inside of one."""
    if name.lower() not in NAMES:
        page.get_by_role("tab", name=name).click()
        return
    link = page.locator(f'#page-places [data-tab="{name.lower()}"]').last
    page.locator("#page-places a").first.wait_for()
    if link.is_visible():
        link.click()
    else:
        # Its place would first open the tab that was open there last, which is another step of the history.
        page.evaluate("tab => hermesWorkbench.router.choose(tab)", name.lower())


def expect_tab(page: Page, name: str) -> None:
    """Wait until a tab of the page is open."""
    expect(page.locator(f"#page-tab-{name.lower()}")).to_be_visible()


class Play:
    """The actions and contents of the tab."""

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
        """Wait until the fields are filled and the model is loaded. A turn may be running."""
        expect(self.page.locator("#page-header")).to_contain_text(_LOADED)
        expect(self.page.locator("#play-system-text")).to_contain_text("tokens")
        return self

    def wait_until_answered(self) -> Self:
        """Wait until the session or the empty page that was asked for last is shown."""
        self.page.wait_for_function("!hermesWorkbench.router.isOpening('play')", timeout=SLOW_MS)
        return self

    def part(self, name: str) -> Locator:
        return self.page.locator(f"#play-{name}")

    @property
    def composer(self) -> Locator:
        return self.part("composer").locator("textarea")

    @property
    def entries(self) -> Locator:
        return self.part("transcript").locator("li.hw-entry")

    @property
    def raw_text(self) -> str:
        """The text of the Raw pane, byte for byte."""
        return str(self.part("raw").locator(".hw-raw").evaluate("pane => pane.textContent"))

    def expect_raw(self, text: str) -> None:
        """Wait until the Raw pane shows exactly this text."""
        until(self.page, lambda: self.raw_text == text, "the prompt is another", SLOW_MS / 1000)

    @property
    def session_id(self) -> str:
        return self.page.url.partition("session=")[2].partition("&")[0]

    def use_script(self, path: Path) -> Self:
        """Choose a scripted model by its file."""
        field = self.page.get_by_role("combobox", name="Model", exact=True)
        field.fill(f"scripted:{path}")
        field.press("Enter")
        ready = re.compile(re.escape(path.name) + "( · script)? · ready")
        expect(self.page.locator("#page-header")).to_contain_text(ready)
        return self

    def ask(self, text: str) -> Self:
        """Send a message, and wait until the turn has ended."""
        return self.send(text).wait_until_idle()

    def send(self, text: str) -> Self:
        before = self.entries.count()
        self.composer.fill(text)
        self.composer.press("Control+Enter")
        # A short answer may come and go between two looks at the live pane.
        self.page.wait_for_function(_HAS_BEGUN, arg=before)
        return self

    def wait_until_idle(self) -> Self:
        expect(self.part("live")).to_be_hidden(timeout=TURN_MS)
        expect(self.part("send")).to_be_visible()
        return self

    def tab(self, name: str) -> Self:
        open_tab(self.page, name)
        return self

    def choose(self, label: str, option: str) -> Self:
        """Choose from a dropdown."""
        self.page.get_by_role("combobox", name=label, exact=True).click()
        self.page.get_by_role("option", name=option, exact=True).click()
        return self

    def menu(self, entry: Locator, act: str) -> Self:
        """Choose an action from the menu of a message."""
        entry.get_by_role("button", name="Actions").click()
        entry.get_by_role("menuitem", name=act, exact=True).click()
        return self

    def edit(self, name: str, text: str) -> Self:
        """Replace the text of an editor."""
        code_editor(self.part(name)).click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)
        return self

"""The version line: answers of the server that come in another order than the history was read."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.e2e.play import save_button
from tests.ui.present.test_versions import version
from tests.ui.scripts.component import Component
from workbench.ui.present.place import PlacesView
from workbench.ui.present.versions import VersionsView, show_versions

pytestmark = pytest.mark.browser

TYPED_AT = datetime(2026, 11, 22, 12, tzinfo=UTC)
SAVED_AT = TYPED_AT + timedelta(milliseconds=5)


def line(*texts: str, shown: str, read_at: datetime, name: str = "minimal") -> VersionsView:
    """The line for the text `shown` of a contract with versions of these texts, the oldest first."""
    history = [version(number, text) for number, text in enumerate(texts, start=1)]
    return show_versions(name, shown, history[::-1], now=read_at)


@pytest.mark.parametrize("typed", ["two", "two, typed first"])
def test_a_line_that_was_read_before_a_version_was_saved_does_not_replace_that_of_the_version(
    component: Component, typed: str
) -> None:
    shown = component.mount("versions", line("one", shown="one", read_at=TYPED_AT))
    component.update(line("one", "two", shown="two", read_at=SAVED_AT))
    component.update(line("one", shown=typed, read_at=TYPED_AT))
    expect(shown.locator("summary .hw-mono")).to_have_text("v2")
    expect(save_button(shown)).to_be_hidden()
    component.update(line("one", "two", shown="three", read_at=SAVED_AT))
    expect(save_button(shown)).to_be_visible()


def test_the_line_of_another_text_is_shown_whenever_it_was_read(component: Component) -> None:
    shown = component.mount("versions", line("one", "two", shown="two", read_at=SAVED_AT))
    component.update(line("other", shown="other", read_at=TYPED_AT, name="other"))
    expect(shown.locator("summary .hw-mono")).to_have_text("v1")


def test_ctrl_s_saves_before_the_server_has_seen_that_the_text_is_changed(component: Component) -> None:
    line = "<div>{}<span><button class=hw-save-version id={} hidden>Save version</button></span></div>"
    component.mount(
        "places", PlacesView(), around=line.format("A", "a") + f"<div hidden>{line.format('B', 'b')}</div>"
    )
    component.page.evaluate(
        """() => {
          window.saved = [];
          for (const one of document.querySelectorAll(".hw-save-version"))
            one.addEventListener("hw:save", () => window.saved.push(one.id));
        }"""
    )
    component.press("Control+s")
    component.page.wait_for_function("window.saved.length > 0")
    assert component.page.evaluate("window.saved") == ["a"]

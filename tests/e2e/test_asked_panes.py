"""Panes that ask for what they show once they are seen."""

from collections.abc import Iterator

import gradio as gr
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import SLOW_MS
from workbench.ui.components.differ import Differ
from workbench.ui.listen import listen
from workbench.ui.present.differ import DifferRow, DifferView

pytestmark = [pytest.mark.browser, pytest.mark.slow]


# What the pane shows, each time that it is drawn.
_WATCH = """() => {
  const pane = document.getElementById("pane");
  const rules = () => [...pane.querySelectorAll("th[scope=row]")].map((cell) => cell.textContent).join();
  window.drawn = [];
  new MutationObserver(() => window.drawn.push(rules())).observe(pane, { childList: true, subtree: true });
}"""


def _answer(message: str) -> DifferView:
    row = DifferRow(rule=f"rule of {message}", is_replica=False, got="1", tone="clean", calls=(), why="")
    return DifferView(rows=(row,), message_id=message, is_known=True)


def _asked(event: gr.EventData) -> str:
    return f"asked for {event.id}"


@pytest.fixture(scope="module")
def panes_url() -> Iterator[str]:
    """A page with a pane, the messages that it can be given, and answers that come when a person says."""
    with gr.Blocks(analytics_enabled=False) as blocks:
        pane, told = Differ(elem_id="pane"), gr.Textbox(elem_id="told")
        for message in ("first", "second"):
            pick, answer = gr.Button(f"Pick {message}"), gr.Button(f"Answer {message}")
            listen(pick.click, lambda message=message: DifferView(message_id=message), outputs=[pane])
            listen(answer.click, lambda message=message: _answer(message), outputs=[pane])
        listen(pane.event("ask_differ"), _asked, outputs=[told])
    _, url, _ = blocks.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", ssr_mode=False)
    yield url
    blocks.close(verbose=False)


def test_an_answer_about_another_message_than_the_one_that_is_shown_is_not_drawn(
    page: Page, panes_url: str
) -> None:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    page.goto(panes_url)
    pane, told = page.locator("#pane"), page.locator("#told textarea")

    def click(name: str) -> None:
        page.get_by_role("button", name=name).click()

    click("Pick first")
    expect(told).to_have_value("asked for first")
    click("Pick second")
    expect(told).to_have_value("asked for second")
    click("Answer second")
    expect(pane).to_contain_text("rule of second")
    page.evaluate(_WATCH)
    click("Answer first")
    click("Pick first")
    expect(told).to_have_value("asked for first")
    click("Answer first")
    expect(pane).to_contain_text("rule of first")
    drawn = page.evaluate("window.drawn")
    assert "" in drawn
    assert "rule of first" not in drawn[: drawn.index("")]

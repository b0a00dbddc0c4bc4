"""A stranger gets their own endpoint to answer with their own tool, in few actions and without the docs."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.play import SLOW_MS
from tests.e2e.waiting import settle
from tests.engines.remote.scripted_server import (
    DONE,
    Answer,
    RecordedRequest,
    delta,
    said,
    scripted_server,
    stream,
    usage,
)
from tests.peers.fake_servers import VLLM, fake_server
from tests.served import Server

pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.slow]

OWN_TOOL = {
    "type": "function",
    "function": {
        "name": "find_order",
        "description": "Find an order by its number.",
        "parameters": {
            "type": "object",
            "properties": {"number": {"type": "string", "description": "Such as 4711."}},
            "required": ["number"],
        },
    },
}


class Actions:
    """Counts what a person does with mouse and keys, with a picture after each action."""

    def __init__(self, page: Page, folder: Path) -> None:
        self._page = page
        self._folder = folder
        self.count = 0
        self.picture()

    def click(self, target: Locator) -> None:
        target.click()
        self._end()

    def paste(self, text: str) -> None:
        """Replace the text of the field that has the focus."""
        self._page.keyboard.press("ControlOrMeta+A")
        self._page.keyboard.insert_text(text)
        self._end()

    def press(self, key: str) -> None:
        self._page.keyboard.press(key)
        self._end()

    def picture(self) -> None:
        self._page.screenshot(path=self._folder / f"stranger-{self.count:02d}.png")

    def _end(self) -> None:
        self.count += 1
        settle(self._page)
        self.picture()


def own_model(request: RecordedRequest) -> Answer:
    """A vLLM that calls the first tool that it is offered, and reports the result."""
    body: dict[str, Any] = dict(request.body)
    if not request.path.endswith("/chat/completions") or not body.get("stream"):
        return fake_server(VLLM)(request)
    last = body["messages"][-1]
    if last["role"] == "tool":
        return said(f"Order 4711 was found: {last['content']}")
    function = {"name": body["tools"][0]["function"]["name"], "arguments": json.dumps({"number": "4711"})}
    call = {"index": 0, "id": "c1", "type": "function", "function": function}
    return stream(delta(role="assistant", tool_calls=[call]), delta("tool_calls"), usage(40, 9), DONE)


def test_a_stranger_connects_their_model_and_tool_in_twelve_actions(
    newcomer: Page, embedded_server: Server, artifacts: Path
) -> None:
    newcomer.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    newcomer.goto(embedded_server.url)
    expect(newcomer.locator(".hw-tour")).to_be_visible()
    do = Actions(newcomer, artifacts)
    button = partial(newcomer.get_by_role, "button")
    with scripted_server(own_model) as own:
        do.click(button(name="Skip tour"))
        do.click(button(name="Connect your model"))
        expect(newcomer.get_by_label("URL")).to_be_focused()
        do.paste(own.url)
        do.click(button(name="Save server"))
        do.click(button(name="Use hermes on 127.0.0.1"))
        do.click(newcomer.get_by_text("Edit as JSON"))
        do.click(newcomer.locator("#play-tools-text :is(.cm-content, .hw-plain-editor)"))
        do.paste(json.dumps(OWN_TOOL))
        expect(newcomer.get_by_text("is read as a list of one")).to_be_visible()
        do.click(newcomer.get_by_role("textbox", name="Message"))
        do.paste("Where is order 4711?")
        do.press("Enter")
        transcript = newcomer.locator("#play-transcript")
        expect(transcript).to_contain_text("find_order")
        expect(transcript).to_contain_text("Order 4711 was found")
        do.picture()
    assert do.count <= 12

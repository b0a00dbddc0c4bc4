"""What Gradio and the gate keep of finished API calls: nothing."""

from collections.abc import Mapping, Sized
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import pytest

from tests.served import free_port
from tests.services import services_for
from tests.waiting import await_until
from workbench.ui import serve

pytestmark = pytest.mark.slow

CALLS = (
    ("v2/parse", {"text": "Hello."}),
    ("v2/parse", {"text": "Hello.", "level": "none of these"}),
    ("v2/chat", {"text": "Hi"}),
    ("v2/chat", {"text": "Hi", "session": "none of these"}),
    ("parse", {"data": ["Hello.", [], "auto", "tolerant", "stop", False], "session_hash": "one-tab"}),
)
"""Calls that succeed, calls that fail, and one that names a tab, which stays open."""


def lengths(blocks: Any) -> Mapping[str, int]:
    """Return the lengths of all collections that Gradio and the gate have."""
    gate = blocks.app.middleware_stack
    holders = (blocks, blocks._queue, blocks.state_holder, blocks.app, gate, gate._pages)
    return {
        f"{type(holder).__name__}.{name}": len(value)
        for holder in holders
        for name, value in vars(holder).items()
        if isinstance(value, Sized)
    }


def call_all(client: httpx.Client, times: int) -> None:
    """Make the calls, read their answers or close the stream early, and ask for them again."""
    for number, (name, arguments) in enumerate(CALLS * times):
        event_id = client.post(f"/gradio_api/call/{name}", json=arguments).json()["event_id"]
        address = f"/gradio_api/call/{name}/{event_id}"
        with client.stream("GET", address) as answer:
            if number % 3 or "session_hash" in arguments:
                assert "event: " in answer.read().decode()
        if "session_hash" not in arguments:
            await_until(lambda address=address: "has no answers" in client.get(address).text)


def test_finished_calls_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADIO_ANALYTICS_ENABLED", "False")
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "")
    launched: list[gr.Blocks] = []
    launch = gr.Blocks.launch

    def watched_launch(blocks: gr.Blocks, **options: Any) -> Any:
        launched.append(blocks)
        return launch(blocks, **options)

    def use_page(_purge: object) -> None:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            call_all(client, 2)
            await_until(lambda: not launched[0]._queue.event_ids_to_events)
            before = lengths(launched[0])
            assert before["Queue.pending_messages_per_session"] == before["OpenPages._pages"] == 1
            call_all(client, 10)
            await_until(lambda: lengths(launched[0]) == before)

    monkeypatch.setattr(gr.Blocks, "launch", watched_launch)
    monkeypatch.setattr(serve, "_wait_until_stopped", use_page)
    port = free_port()
    with services_for(tmp_path, "Hello.", variables={"WORKBENCH_PORT": str(port)}) as (services, _):
        serve.serve_page(services)
    assert launched

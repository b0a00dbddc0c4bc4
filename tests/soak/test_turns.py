"""Many turns, one store: nothing is lost, nothing grows beyond its messages."""

import json
import os
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from tests.served import served, write_script
from tests.services import services_for

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]
TURNS = 1000
API_TURNS = int(os.environ.get("SOAK_TURNS", "5000"))
"""Turns over the API, of which the first `WARM_UP` are not measured."""
WARM_UP = 500
SESSION_TURNS = 50
MOST_MB = 10
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


def test_a_thousand_turns_keep_every_message_and_little_memory(tmp_path):
    with services_for(tmp_path, CALL, "The reading is 31.") as (services, play):
        session_ids = []
        for number in range(TURNS):
            if number == TURNS // 10:
                early = psutil.Process().memory_info().rss
            session_ids.append(play(f"Question {number}?"))
        late = psutil.Process().memory_info().rss
        for number, session_id in enumerate(session_ids):
            texts = [kept.message.text for kept in services.sessions.path(session_id)]
            assert texts[1:3] == [f"Question {number}?", CALL]
            assert texts[-1] == "The reading is 31."
        assert late - early < 64 * 2**20


def take_turn(client: httpx.Client, session_id: str | None) -> str:
    """Run a turn over the API, and return the id of its session."""
    arguments = {"text": "Hi"} if session_id is None else {"text": "Hi", "session": session_id}
    event_id = client.post("/gradio_api/call/v2/chat", json=arguments).json()["event_id"]
    answer = client.get(f"/gradio_api/call/chat/{event_id}").text
    assert "event: complete" in answer, answer
    return str(json.loads(json.loads(answer.rpartition("data: ")[2])[0])["session"])


@pytest.mark.skipif(
    sys.platform != "linux", reason="allocators of other systems return memory in another way"
)
def test_thousands_of_turns_over_the_api_take_little_memory(tmp_path: Path) -> None:
    script = write_script(tmp_path / "script.yaml", "Hello there.")
    for server in served(tmp_path, f"scripted:{script}"):
        process, session_id = psutil.Process(server.pid), None
        with httpx.Client(base_url=server.url, timeout=120) as client:
            for number in range(API_TURNS):
                if number == WARM_UP:
                    early = process.memory_info().rss
                session_id = take_turn(client, session_id if number % SESSION_TURNS else None)
        grown_mb = (process.memory_info().rss - early) / 1e6
        print(f"\n{API_TURNS} turns: {grown_mb:.1f} MB")
        assert grown_mb <= MOST_MB

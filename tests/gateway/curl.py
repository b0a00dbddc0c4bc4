"""A client without a library: curl."""

import json
import shutil
import subprocess

import pytest

from tests.gateway.serving import QUESTION, WEATHER, events_of, message_of
from tests.peers.clients import ClientResult


def run_curl(url: str, model: str, *, is_forced: bool) -> ClientResult:
    """Play a call, its result and an answer with curl, streamed without a buffer."""
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed")
    messages, cities = list(QUESTION), list[str]()
    for choice in ("required" if is_forced else "auto", "auto"):
        fields = {"model": model, "tools": [WEATHER], "tool_choice": choice, "max_tokens": 64, "stream": True}
        done = subprocess.run(
            [curl, "-sS", "--fail-with-body", "--no-buffer", f"{url}/v1/chat/completions", "-H",
             "Content-Type: application/json", "-d", json.dumps({**fields, "messages": messages})],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        message = message_of(events_of(done.stdout))
        calls = message["tool_calls"]
        assert message.pop("finish_reason") == ("tool_calls" if calls else "stop")
        messages.append({"role": "assistant", **message})
        for call in calls:
            cities.append(json.loads(call["function"]["arguments"])["city"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": '{"weather": "sunny"}'})
    return {"cities": cities, "answer": message["content"]}

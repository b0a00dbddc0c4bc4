"""The fields of the API: which there are, and what they take."""

import json
from typing import Any

import httpx2
import pytest

from tests.served import Server

pytestmark = pytest.mark.slow


def call(server: Server, function: str, **fields: Any) -> str:
    """Call a function with named fields and return its events."""
    calls = f"{server.url}/gradio_api/call"
    event = httpx2.post(f"{calls}/v2/{function}", json=fields).json()["event_id"]
    return httpx2.get(f"{calls}/{function}/{event}", timeout=60).text


def test_rows_may_be_sent_as_json(own_server: Server) -> None:
    """An agent sends JSON rather than text that contains it."""
    rows = [{"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello."}]}] * 2
    shown = call(own_server, "check", rows=rows)
    assert "event: complete" in shown and "duplicate-row" in shown
    assert shown == call(own_server, "check", rows=json.dumps(rows))


def test_an_empty_message_is_refused(own_server: Server) -> None:
    shown = call(own_server, "chat", text=" ")
    assert "event: error" in shown and "text: the message is empty" in shown


def test_an_unknown_field_is_named(own_server: Server) -> None:
    refused = httpx2.post(f"{own_server.url}/gradio_api/call/v2/parse", json={"text": "x", "txt": 1})
    assert refused.status_code == 422
    assert "there is no field 'txt'; the fields are text, tools, dialect" in refused.json()["error"]


def test_too_few_values_are_reported_with_the_names_of_all(own_server: Server) -> None:
    calls = f"{own_server.url}/gradio_api/call/parse"
    event = httpx2.post(calls, json={"data": ["x"]}).json()["event_id"]
    shown = httpx2.get(f"{calls}/{event}").text
    assert "it has 1 values, but needs 6 (text, tools, dialect" in shown
    assert "/gradio_api/call/v2/parse" in shown and "Reload" not in shown

"""A server refuses malformed and forged events in one line, without a traceback, and reveals nothing of other people."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.event_fuzz import fuzz_server
from tests.security.forged_values import NESTED
from tests.security.two_owner_site import ANN, BOB, SECRET, Site, fuzzed_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A team's server, whose log must not contain a traceback at the end."""
    with fuzzed_server(tmp_path_factory.mktemp("forged") / "site", is_team=True) as site:
        yield site


BODIES: dict[str, bytes] = {
    "nothing": b"",
    "half": b'{"data": [',
    "no UTF-8": b"\xff\xfe\x00",
    "null": b"null",
    "a list": b"[]",
    "nested": NESTED.encode(),
    "nested data": b'{"fn_index": HANDLED, "session_hash": "a", "data": [' + NESTED.encode() + b"]}",
    "nested event data": b'{"fn_index": HANDLED, "session_hash": "a", "data": [], "event_data": '
    + NESTED.encode()
    + b"}",
    "no such event": b'{"fn_index": 99999, "session_hash": "a", "data": []}',
    "a negative event": b'{"fn_index": -1, "session_hash": "a", "data": []}',
    "an event that is a word": b'{"fn_index": "x", "session_hash": "a", "data": []}',
    "an event that is true": b'{"fn_index": true, "session_hash": "a", "data": []}',
    "an event without a handler": b'{"fn_index": UNHANDLED, "session_hash": "a", "data": []}',
    "no session": b'{"fn_index": HANDLED, "data": "x"}',
    "a session that is a list": b'{"fn_index": HANDLED, "session_hash": ["a"], "data": []}',
    "a session with a line break": b'{"fn_index": HANDLED, "session_hash": "a\\nb", "data": []}',
    "a session that is long": b'{"fn_index": HANDLED, "session_hash": "' + b"a" * 5000 + b'", "data": []}',
    "a session of half pairs": b'{"fn_index": HANDLED, "session_hash": "\\ud800", "data": []}',
    "data that is a word": b'{"fn_index": HANDLED, "session_hash": "a", "data": "x"}',
    "NaN": b'{"fn_index": HANDLED, "session_hash": "a", "data": [NaN]}',
    "an endless number": b'{"fn_index": HANDLED, "session_hash": "a", "data": [1e999]}',
    "many digits": b'{"fn_index": HANDLED, "session_hash": "a", "data": [' + b"9" * 5000 + b"]}",
    "a batch": b'{"fn_index": HANDLED, "session_hash": "a", "data": [], "batched": true}',
    "a trigger that is a list": b'{"fn_index": HANDLED, "session_hash": "a", "data": [], "trigger_id": [1]}',
}


@pytest.fixture(scope="module")
def numbers(site: Site) -> dict[bytes, bytes]:
    """Two events by the words in `BODIES`: one that needs no values, and one that runs in the browser only."""
    client = site.client(BOB)
    events = client.get("/config").json()["dependencies"]
    client.close()
    handled = next(event["id"] for event in events if event["backend_fn"] and not event["inputs"])
    unhandled = next(event["id"] for event in events if not event["backend_fn"])
    return {b"UNHANDLED": str(unhandled).encode(), b"HANDLED": str(handled).encode()}


@pytest.mark.parametrize("name", BODIES)
def test_a_malformed_body_is_answered_in_one_line(site: Site, name: str, numbers: dict[bytes, bytes]) -> None:
    client, body = site.client(BOB), BODIES[name]
    for word, number in numbers.items():
        body = body.replace(word, number)
    # The last one takes its event by name, and no other field.
    routes = (
        ("queue/join", "run/on_begin") if b"session_hash" in BODIES[name] else ("queue/join", "call/parse")
    )
    for route in routes:
        answer = client.post(
            f"/gradio_api/{route}", content=body, headers={"content-type": "application/json"}
        )
        assert answer.status_code in (400, 404, 422), (route, answer.status_code, answer.text[:200])
        assert len(answer.text) < 1000
        assert "error" in answer.json() or "detail" in answer.json()
    client.close()


@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("GET", "queue/data?session_hash=unknown"),
        ("GET", "queue/data"),
        ("GET", "call/parse/unknown"),
        ("GET", "call/v2/parse/unknown"),
        ("POST", "call/v2/unknown"),
        ("POST", "call/v2/on_begin"),
        ("POST", "call/unknown"),
        ("POST", "run/unknown"),
        ("POST", "component_server"),
        ("GET", "deep_link?session_hash=a"),
        ("GET", "custom_component/x/client/component/x.js"),
        ("POST", "vibe-edit"),
        ("POST", "process_recording"),
    ],
)
def test_unused_routes_and_unknown_names_are_not_found(site: Site, method: str, address: str) -> None:
    client = site.client(BOB)
    answer = client.request(method, f"/gradio_api/{address}", json={"data": []} if method == "POST" else None)
    # A stream for an unknown session starts before that is known. Its only event says so.
    is_reported = "no answers for this session or call" in answer.text
    assert answer.status_code in (400, 403, 404, 405, 422) or is_reported, answer.text[:300]
    assert client.get("/monitoring").status_code in (403, 404)
    client.close()


def test_an_event_with_ids_of_another_person_shows_nothing(site: Site) -> None:
    """Each of Ann's ids is sent in each field of an event from a tab of Bob."""
    client = site.client(BOB)
    config = client.get("/config").json()
    fields = (
        "id",
        "name",
        "key",
        "session",
        "case",
        "run",
        "text",
        "query",
        "base",
        "act",
        "message",
        "mark",
        "arm",
        "after",
        "value",
        "page",
    )
    more = {"shared": "", "request": 1, "has_draft": False}
    # Words that make handlers of several actions do as much as they can.
    words = {"action": "share", "form": "json", "place": "run"}
    names = {
        "on_open_session",
        "on_open_run",
        "on_open_comparison",
        "on_restore",
        "on_compare",
        "on_change_run",
        "on_download_report",
        "on_download",
        "on_turn",
        "on_case",
        "on_show",
        "on_open",
        "on_take",
    }
    events = [
        one
        for one in config["dependencies"]
        if one["api_name"].rsplit("_", 1)[0] in names or one["api_name"] in names
    ]
    assert events
    for stolen in (
        *site.ann.sessions,
        site.ann.messages[0],
        site.ann.keys[1],
        *site.ann.runs,
        *site.ann.comparisons,
    ):
        for place, event in enumerate(events):
            body = {
                "fn_index": event["id"],
                "session_hash": f"tab{place}",
                "data": [None] * len(event["inputs"]),
                "event_data": {**dict.fromkeys(fields, stolen), **more, **words},
                "trigger_id": None,
            }
            assert SECRET not in client.post("/gradio_api/queue/join", json=body).text
    for place in range(len(events)):
        with client.stream("GET", f"/gradio_api/queue/data?session_hash=tab{place}") as answer:
            for line in answer.iter_lines():
                assert SECRET not in line
                if "close_stream" in line:
                    break
    client.close()


def test_the_server_still_answers_after_all_of_this(site: Site) -> None:
    client = site.client(ANN)
    answer = client.post(
        "/gradio_api/call/parse", json={"data": ["hi", None, "auto", "tolerant", "stop", False]}
    )
    text = client.get(f"/gradio_api/call/parse/{answer.json()['event_id']}").text
    assert json.loads(text.split("data: ", 1)[1])
    client.close()


@pytest.mark.long
@pytest.mark.slow
def test_three_hundred_forged_events_leave_no_traceback(tmp_path: Path) -> None:
    found = fuzz_server(tmp_path / "fuzz", is_team=False, count=300, seed=7)
    assert found.completed

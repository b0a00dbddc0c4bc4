"""Malformed and forged events for a real server, drawn by a seed; and what must hold while they come.

A tab of a stranger opens the page, then sends events that its own browser side never would: values of wrong types,
ids of somebody else, broken bodies. Everything that comes back is searched for what only its owner may see.
"""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import httpx

from tests.security.forged_requests import ROUTES, ForgedRequests
from tests.security.forged_values import dumped
from tests.security.two_owner_site import ANN, ANSWER_S, BOB, SECRET, Site, fuzzed_server

EVENTS_A_TAB = 25
STREAM_S = 8.0
"""Time for which the answers to the events of a tab are read."""


@dataclass(kw_only=True)
class Found:
    """Counts of a fuzzing run; several threads add to them."""

    sent: Counter[str] = field(default_factory=Counter[str])
    """Requests by kind."""
    statuses: Counter[int] = field(default_factory=Counter[int])
    leaks: list[str] = field(default_factory=list[str])
    failures: list[str] = field(default_factory=list[str])
    """Requests that were not answered."""
    slowest_s: float = 0.0
    """Seconds that the requests of the other owner took."""
    completed: int = 0
    """Events whose end was received."""
    refused: int = 0
    """Those of them that ended with an error."""
    lock: Lock = field(default_factory=Lock)

    def look(self, where: str, text: str) -> None:
        if SECRET in text:
            with self.lock:
                self.leaks.append(f"{where}: {text[max(0, text.index(SECRET) - 200) :][:300]}")

    def summary(self) -> str:
        statuses = ", ".join(f"{status}: {count}" for status, count in sorted(self.statuses.items()))
        return (
            f"{sum(self.sent.values())} sent ({dict(self.sent)}); answers {statuses}; {self.completed} events ended, "
            f"{self.refused} of them refused; other owner's slowest call {self.slowest_s:.1f} s"
        )


def fuzz_server(folder: Path, *, is_team: bool, count: int, seed: int) -> Found:
    """Sends that many requests to a server while its other owner works; what must hold is asserted.

    Args:
        folder: Where the server's data and log go.
        is_team: A team's server; else a Space.
        count: How many requests.
        seed: The same one draws the same requests.
    """
    found = Found()
    visitors = (BOB, BOB, BOB, None)
    with fuzzed_server(folder, is_team=is_team) as target, ThreadPoolExecutor(len(visitors)) as pool:
        config = _config(target)
        share = -(-count // len(visitors))
        running = [
            pool.submit(run_tabs, target, config, name, found, seed=seed * 1000 + place, count=share)
            for place, name in enumerate(visitors)
        ]
        call_as_owner(target, found)
        while wait(running, timeout=5.0).not_done:
            call_as_owner(target, found)
        for one in running:
            one.result()
        call_as_owner(target, found)
    assert found.leaks == []
    assert found.failures == []
    assert sum(found.sent.values()) >= count
    assert found.completed > count // 20
    assert found.slowest_s < ANSWER_S
    return found


def run_tabs(
    target: Site, config: Mapping[str, Any], name: str | None, found: Found, *, seed: int, count: int
) -> None:
    """Send requests, one tab after another."""
    with closing(target.client(name)) as client:
        requests = ForgedRequests(target, config, seed)
        left = count
        while left > 0:
            left -= _run_tab(client, requests, name, found, min(left, EVENTS_A_TAB))


def _config(target: Site) -> Mapping[str, Any]:
    with closing(target.client(BOB)) as client:
        config: Mapping[str, Any] = client.get("/config").json()
    return config


def _run_tab(
    client: httpx.Client, requests: ForgedRequests, name: str | None, found: Found, count: int
) -> int:
    tab = requests.tab()
    if requests.chance.random() < 0.8:
        _post(
            client,
            found,
            "open",
            "/gradio_api/queue/join",
            dumped(requests.opened(tab, name)),
            requests.query(),
        )
    _listen(client, found, tab)
    for _ in range(count):
        _send_one(client, requests, found, tab)
    _listen(client, found, tab)
    return count


def _send_one(client: httpx.Client, requests: ForgedRequests, found: Found, tab: str) -> None:
    kind = requests.chance.random()
    if kind < 0.65:
        _post(client, found, "event", "/gradio_api/queue/join", dumped(requests.event(tab)), requests.query())
    elif kind < 0.75:
        body = requests.event(tab)
        route = requests.chance.choice(ROUTES)
        _post(client, found, "direct", f"/gradio_api/run/{route}", dumped(body), {})
    elif kind < 0.83:
        _call_api(client, requests, found)
    else:
        _stray(client, requests, found)


def _call_api(client: httpx.Client, requests: ForgedRequests, found: Found) -> None:
    function, body = requests.api_call()
    answer = _post(client, found, "function", f"/gradio_api/call/{function}", dumped(body), {})
    if answer is not None and answer.status_code == 200 and "event_id" in answer.text:
        _stream(client, found, f"/gradio_api/call/{function}/{answer.json()['event_id']}")


def _stray(client: httpx.Client, requests: ForgedRequests, found: Found) -> None:
    method, address, body = requests.stray()
    with found.lock:
        found.sent["stray"] += 1
    try:
        with client.stream(
            method, address, content=body, headers={"content-type": "application/json"}
        ) as answer:
            text = "".join(_pieces(answer, time.monotonic() + 3))
        _count(found, answer, text)
        found.look(f"{method} {address}", text)
    except httpx.HTTPError as error:
        _failed(found, f"{method} {address[:80]}", error)


def _post(
    client: httpx.Client, found: Found, kind: str, address: str, body: bytes, query: Mapping[str, str]
) -> httpx.Response | None:
    with found.lock:
        found.sent[kind] += 1
    try:
        answer = client.post(
            address, content=body, params=dict(query), headers={"content-type": "application/json"}
        )
    except httpx.HTTPError as error:
        _failed(found, f"{address} {body[:300]!r}", error)
        return None
    _count(found, answer, answer.text)
    found.look(f"{address} {body[:500]!r}", answer.text)
    return answer


def _listen(client: httpx.Client, found: Found, tab: str) -> None:
    """Read the answers to the events of a tab, until all have ended or the time is over."""
    _stream(client, found, f"/gradio_api/queue/data?session_hash={tab}")


def _stream(client: httpx.Client, found: Found, address: str) -> None:
    until = time.monotonic() + STREAM_S
    try:
        with client.stream("GET", address) as answer:
            for piece in _pieces(answer, until):
                found.look(address, piece)
                with found.lock:
                    found.completed += piece.count('"process_completed"')
                    found.refused += piece.count('"success":false')
    except httpx.HTTPError as error:
        _failed(found, address, error)


def _pieces(answer: httpx.Response, until: float) -> Iterator[str]:
    for line in answer.iter_lines():
        yield line
        if time.monotonic() > until or '"close_stream"' in line:
            return


def _count(found: Found, answer: httpx.Response, text: str) -> None:
    with found.lock:
        found.statuses[answer.status_code] += 1
        # Gradio answers a handler's own refusal with 500 and its words. Without words, a server failed.
        if answer.status_code >= 500 and '"error"' not in text:
            found.failures.append(f"{answer.status_code} without words: {answer.request.url} {text[:200]}")


def _failed(found: Found, what: str, error: Exception) -> None:
    with found.lock:
        found.failures.append(f"{what}: {type(error).__name__} {error}")


def call_as_owner(target: Site, found: Found) -> None:
    """Work as the other owner: a call is answered, and their data is still there."""
    with closing(target.client(ANN)) as client:
        began = time.monotonic()
        answer = client.post("/gradio_api/call/export", json={"data": [None, "raw", None]})
        assert answer.status_code == 200, answer.text
        text = client.get(f"/gradio_api/call/export/{answer.json()['event_id']}").text
        found.slowest_s = max(found.slowest_s, time.monotonic() - began)
        assert SECRET in text, text[:2000]

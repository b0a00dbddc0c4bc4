"""Malformed and forged requests for a gateway, drawn by a seed; and what must hold while they come.

Two accounts use it. What one of them said must reach nobody else, and its requests are answered meanwhile.
"""

import copy
import json
import logging
import random
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Final

import httpx

from tests.gateway.serving import CALL, WEATHER, ServedGateway, gateway_over
from tests.security.forged_values import DEEP, dumped
from workbench.app.api_keys import hash_key, new_key, server_secret
from workbench.app.passwords import hash_password
from workbench.app.recording import Recorder

SECRET: Final = f"marker-{secrets.token_hex(8)}"
"""Word in everything that ann said. Nobody else may receive it."""
KEYS: Final = {"ann": new_key(), "bob": new_key()}
ANSWER_S: Final = 30.0
"""Longest time that a request may take. This finds hangs and does not measure speed."""
PATHS: Final = ("chat/completions", "completions", "responses", "messages", "messages/count_tokens", "parse")
HOSTILE: Final[tuple[object, ...]] = (
    None, True, 0, -1, 1.5, 1e308, float("nan"), float("inf"), 2**70, -(10**30), "", "\0", "\ud800", "x" * 20_000, [],
    {}, [[]], [None], [{}], DEEP, [DEEP], {"x": DEEP}, list(range(200)), "NaN", "[" * 5000, "../../etc/passwd", "'; --",
    {"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}, {"$ref": "#"},
    {"type": "object", "properties": {"a": {"$ref": "#"}}}, {"type": "string", "pattern": "(a|b){1,1000}"}, "<tool_call>",
)  # fmt: skip


@dataclass(kw_only=True)
class FoundAtGateway:
    """Counts of a fuzzing run; several threads add to them."""

    statuses: Counter[int] = field(default_factory=Counter[int])
    failures: list[str] = field(default_factory=list[str])
    leaks: list[str] = field(default_factory=list[str])
    slowest_s: float = 0.0
    """Seconds that the slowest of ann's requests took."""
    lock: Lock = field(default_factory=Lock)

    def summary(self) -> str:
        statuses = ", ".join(f"{status}: {count}" for status, count in sorted(self.statuses.items()))
        return f"{sum(self.statuses.values())} answers ({statuses}); ann's slowest request {self.slowest_s:.1f} s"


@dataclass(frozen=True, kw_only=True)
class Known:
    """What ann has."""

    session: str
    response: str


class Requests:
    """Generates requests from a seed.

    Args:
        model: The name of the gateway's model.
        known: Ids of ann.
        seed: The same seed draws the same requests.
    """

    def __init__(self, model: str, known: Known, seed: int) -> None:
        self._model = model
        self._known = known
        self._chance = random.Random(seed)

    def draw(self) -> tuple[str, str, bytes, dict[str, str]]:
        """Return method, path, body and headers of a request."""
        path, method = f"/v1/{self._chance.choice(PATHS)}", "POST"
        body = self.body(path.removeprefix("/v1/"))
        for _ in range(self._chance.choice([0, 1, 1, 2, 3])):
            self._mutate(body)
        content = dumped(body)
        kind = self._chance.random()
        if kind < 0.05:
            content = content[: self._chance.randrange(len(content) + 1)]
        elif kind < 0.08:
            content = self._chance.randbytes(50)
        elif kind < 0.18:
            method, path = self._stray()
        return method, path, content if method == "POST" else b"", self.headers()

    def headers(self) -> dict[str, str]:
        """Return headers, usually those of bob."""
        headers = {"content-type": "application/json", "authorization": f"Bearer {KEYS['bob']}"}
        kind = self._chance.random()
        if kind < 0.05:
            del headers["authorization"]
        elif kind < 0.1:
            headers["authorization"] = self._chance.choice(
                ["Bearer x", "Basic eDp5", f"Bearer {KEYS['ann'][:-1]}", "Bearer"]
            )
        elif kind < 0.13:
            headers["content-type"] = self._chance.choice(
                ["text/plain", "", "application/json; charset=x", "multipart/form-data"]
            )
        elif kind < 0.15:
            headers["x-forwarded-for"] = self._chance.choice(["1.2.3.4", "x" * 3000, "127.0.0.1, ,"])
        elif kind < 0.16:
            headers[self._chance.choice(["origin", "host"])] = "evil.example"
        return headers

    def body(self, path: str) -> dict[str, Any]:
        """Return a plausible body."""
        chance, known = self._chance, self._known
        said = {"role": "user", "content": chance.choice(["Hi", "What is the weather?", CALL])}
        body: dict[str, Any] = {"model": self._model, "max_tokens": 5, "stream": chance.random() < 0.3}
        if path == "parse":
            return {"text": chance.choice(["Hello.", CALL]), "tools": [copy.deepcopy(WEATHER)]}
        if path == "completions":
            return {**body, "prompt": said["content"]}
        if path == "responses":
            body |= {"input": chance.choice(["Hi", [said]]), "max_output_tokens": 5}
            if chance.random() < 0.4:
                body["previous_response_id"] = chance.choice([known.response, "resp_x"])
            return body
        body["messages"] = [said]
        if chance.random() < 0.4:
            body["tools"] = [copy.deepcopy(WEATHER)]
            body["tool_choice"] = chance.choice(["auto", "none", "required"])
        if chance.random() < 0.4:
            body["metadata"] = {"session": chance.choice([known.session, "weather", "x"]), "user_id": "ann"}
        if chance.random() < 0.2:
            form = {"name": "f", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        return body

    def _mutate(self, body: dict[str, Any]) -> None:
        """Replace, remove or add a value somewhere in a body."""
        places = list(_places(body))
        if not places:
            return
        container, key = self._chance.choice(places)
        value = copy.deepcopy(self._chance.choice(HOSTILE))
        kind = self._chance.random()
        if kind < 0.15 and isinstance(container, dict):
            del container[key]
        elif kind < 0.3 and isinstance(container, dict):
            container[
                self._chance.choice(
                    ["n", "stop", "seed", "temperature", "logit_bias", "system", "x\0", "user"]
                )
            ] = value
        else:
            container[key] = value

    def _stray(self) -> tuple[str, str]:
        response, session = self._known.response, self._known.session
        return self._chance.choice(
            [
                ("GET", f"/v1/responses/{response}"), ("DELETE", f"/v1/responses/{response}"), ("GET", "/v1/models"),
                ("GET", f"/v1/models/{session}"), ("GET", "/v1/models/..%2f..%2fetc%2fpasswd"), ("GET", "/health"),
                ("GET", f"/v1/sessions/{session}"), ("PUT", "/v1/parse"), ("GET", "/v1/models/%00"), ("OPTIONS", "/v1/parse"),
                ("POST", "/v1/%ff"), ("GET", "/?x=1"), ("POST", "/v1/responses/x/cancel"), ("PATCH", "/v1/messages"),
            ]
        )  # fmt: skip


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, below in list(entries):
        yield value, key
        yield from _places(below)


class _Tracebacks(logging.Handler):
    """Collects log records with a traceback."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = logging.Formatter().format(record)
        if "Traceback" in text or SECRET in text:
            self.found.append(text)


@contextmanager
def _watched_log() -> Iterator[list[str]]:
    handler = _Tracebacks()
    for name in ("", "uvicorn.error", "asyncio"):
        logging.getLogger(name).addHandler(handler)
    try:
        yield handler.found
    finally:
        for name in ("", "uvicorn.error", "asyncio"):
            logging.getLogger(name).removeHandler(handler)


def fuzz_gateway(folder: Path, *, count: int, seed: int) -> FoundAtGateway:
    """Send that many requests to a gateway while ann works; what must hold is asserted.

    Args:
        folder: Where its data go.
        count: How many requests.
        seed: The same one draws the same requests.
    """
    found, data, threads = FoundAtGateway(), folder / "data", 4
    hashes = {name: hash_key(key, server_secret(data)) for name, key in KEYS.items()}
    accounts = {name: hash_password(name, n=2**4) for name in KEYS}
    recorder = Recorder()
    try:
        with (
            _watched_log() as tracebacks,
            gateway_over(
                folder, "Fine.", data=data, gateway_keys=hashes, accounts=accounts, recorder=recorder
            ) as gateway,
            ThreadPoolExecutor(threads) as pool,
        ):
            known = _say(gateway, found)
            running = [
                pool.submit(
                    _send,
                    gateway,
                    Requests(gateway.model, known, seed * 1000 + thread),
                    found,
                    -(-count // threads),
                )
                for thread in range(threads)
            ]
            while wait(running, timeout=3.0).not_done:
                _say(gateway, found)
            for thread in running:
                thread.result()
            _say(gateway, found)
            with httpx.Client(
                base_url=gateway.url, headers={"authorization": f"Bearer {KEYS['ann']}"}
            ) as ann:
                assert SECRET in ann.get(f"/v1/responses/{known.response}").text
            assert httpx.get(f"{gateway.url}/health").json()["requests"] == 0
    finally:
        recorder.close()
    assert not found.leaks, found.leaks[:5]
    assert not found.failures, f"{len(found.failures)}: {found.failures[:5]}"
    assert not tracebacks, tracebacks[:2]
    assert sum(found.statuses.values()) >= count
    assert found.statuses[200] > count // 20 and found.statuses[400] > count // 20
    assert found.slowest_s < ANSWER_S
    return found


def _say(gateway: ServedGateway, found: FoundAtGateway, *, is_last: bool = False) -> Known:
    """Send requests as ann; again if the machine or the gateway stopped meanwhile."""
    began_s = time.monotonic()
    with httpx.Client(
        base_url=gateway.url, headers={"authorization": f"Bearer {KEYS['ann']}"}, timeout=2 * ANSWER_S
    ) as ann:
        messages = [{"role": "user", "content": SECRET}]
        chat = ann.post("/v1/chat/completions", json={"model": gateway.model, "messages": messages})
        assert chat.status_code == 200, chat.text
        response = ann.post(
            "/v1/responses", json={"model": gateway.model, "input": SECRET, "instructions": SECRET}
        )
        assert response.status_code == 200, response.text
    took_s = time.monotonic() - began_s
    if took_s > ANSWER_S and not is_last:
        return _say(gateway, found, is_last=True)
    found.slowest_s = max(found.slowest_s, took_s)
    return Known(session=chat.headers["x-hermes-session"], response=response.json()["id"])


def _send(gateway: ServedGateway, requests: Requests, found: FoundAtGateway, count: int) -> None:
    with httpx.Client(base_url=gateway.url, timeout=ANSWER_S) as client:
        for _ in range(count):
            method, path, body, headers = requests.draw()
            what = f"{method} {path} {body[:300]!r}"
            answer = _ask(client, method, path, body, headers, what, found)
            if answer is None:
                continue
            with found.lock:
                found.statuses[answer.status_code] += 1
                if answer.status_code >= 500:
                    found.failures.append(f"{what}: {answer.status_code} {answer.text[:300]}")
                if SECRET in answer.text:
                    found.leaks.append(f"{what}: {answer.text[:300]}")
                if answer.status_code >= 400 and method != "HEAD" and not _is_fault(answer):
                    found.failures.append(f"{what}: not an error of the protocol: {answer.text[:300]}")


def _ask(
    client: httpx.Client,
    method: str,
    path: str,
    body: bytes,
    headers: dict[str, str],
    what: str,
    found: FoundAtGateway,
) -> httpx.Response | None:
    """Return the answer. None if there is none, which is a failure.

    A busy machine can stop client or server for longer than their timeouts. A fault of the gateway occurs again.
    """
    errors: list[str] = []
    for _ in range(2):
        try:
            return client.request(method, path, content=body, headers=headers)
        except httpx.HTTPError as error:
            errors.append(f"{type(error).__name__} {error}")
    with found.lock:
        found.failures.append(f"{what}: {errors}")
    return None


def _is_fault(answer: httpx.Response) -> bool:
    try:
        return bool(json.loads(answer.text)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return False

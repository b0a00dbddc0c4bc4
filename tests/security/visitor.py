"""A visitor who uses the page over HTTP, like a browser or a program."""

import json
import time
from random import randrange
from typing import Any, NamedTuple
from uuid import uuid4

import httpx2


class Answered(NamedTuple):
    """Result of a call."""

    output: Any
    """Values of its outputs, or the error."""
    is_success: bool
    seconds: float
    """Seconds until the first answer; for a job, until its first step."""


class Visitor:
    """One browser, with its own session.

    Args:
        url: Of the page.
        login: Name and password of an account. None on a server without accounts.
    """

    def __init__(self, url: str, login: tuple[str, str] | None = None) -> None:
        self.session = uuid4().hex
        # The page's own address as Host and Origin: what a browser sends from it.
        self._http = httpx2.Client(base_url=url, headers={"Origin": url}, timeout=60)
        if login is not None:
            sent = self._http.post("/login", data={"username": login[0], "password": login[1]})
            assert sent.status_code == 200, sent.text
        config = self._http.get("/config").json()
        self._parts = {part["id"]: part["props"] for part in config["components"]}
        self._events = config["dependencies"]

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def move(self) -> None:
        """Go on in a new session from another address, which has not used any computing time yet."""
        self.session = uuid4().hex
        self._http.headers["X-Forwarded-For"] = f"8.8.{randrange(256)}.{randrange(256)}"

    def call(self, api_name: str, *values: Any) -> Answered:
        """Call a function of the API."""
        found = next(one for one in self._events if one["api_name"] == api_name)
        return self._joined(found["id"], list(values))

    def fire(self, part: str, event: str, **values: Any) -> Answered:
        """Fire an event of the page.

        Args:
            part: Its `elem_id`.
            event: Such as `click`.
            values: Of fields, by `elem_id` with `_` for `-`; others have what the page begins with.
        """
        found = next(
            one
            for one in self._events
            if any(self._name(target) == part and name == event for target, name in one["targets"])
            and one["backend_fn"]
        )
        given = {name.replace("_", "-"): value for name, value in values.items()}
        data = [given.get(self._name(place), self._parts[place].get("value")) for place in found["inputs"]]
        return self._joined(found["id"], data)

    def open_page(self) -> float:
        """Open the page, and return the seconds until it arrived."""
        started = time.monotonic()
        assert self._http.get("/").status_code == 200
        return time.monotonic() - started

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Upload a file, and return the value that a file field then has."""
        sent = self._http.post("/gradio_api/upload", files={"files": (name, content)})
        return {"path": sent.json()[0], "orig_name": name, "meta": {"_type": "gradio.FileData"}}

    def _name(self, place: Any) -> str:
        return str(self._parts.get(place, {}).get("elem_id") or "")

    def _joined(self, index: int, data: list[Any]) -> Answered:
        body = {"data": data, "fn_index": index, "session_hash": self.session}
        started = time.monotonic()
        # By hand: numbers of thousands of digits are written too.
        joined = self._http.post(
            "/gradio_api/queue/join", content=json.dumps(body), headers={"Content-Type": "application/json"}
        )
        if joined.status_code != 200:
            return Answered(joined.text, is_success=False, seconds=time.monotonic() - started)
        first = 0.0
        with self._http.stream(
            "GET", "/gradio_api/queue/data", params={"session_hash": self.session}
        ) as stream:
            for line in stream.iter_lines():
                message = json.loads(line.removeprefix("data:")) if line.startswith("data:") else {}
                if message.get("msg") == "process_generating":
                    first = first or time.monotonic() - started
                if message.get("msg") == "process_completed":
                    output = message["output"]
                    seconds = first or time.monotonic() - started
                    return Answered(
                        output.get("data", output), is_success=message["success"], seconds=seconds
                    )
        raise AssertionError("the server hung up")

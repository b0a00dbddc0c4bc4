"""Malformed and forged requests of a tab, drawn by a seed: events, calls of the API, and Gradio's other routes."""

import random
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from tests.security.forged_event_data import ForgedEventData
from tests.security.forged_values import DEEP, HOSTILE, TEXTS, ForgedValues, dumped
from tests.security.two_owner_site import KEYS, Site

_BODY_FIELDS = (
    "fn_index", "session_hash", "trigger_id", "event_id", "batched", "simple_format", "oauth_token", "event_data",
)  # fmt: skip
ROUTES = (
    "on_begin",
    "on_settle",
    "on_stop",
    "on_use",
    "on_give",
    "on_page",
    "on_watch",
    "parse",
    "x",
    "",
    "js_fn",
)


class ForgedRequests:
    """Generates requests from a seed.

    Args:
        target: The server.
        config: What `/config` says: the page's components and events.
        seed: The same seed draws the same requests.
    """

    def __init__(self, target: Site, config: Mapping[str, Any], seed: int) -> None:
        self.target = target
        self.chance = random.Random(seed)
        self.values = ForgedValues(target, config, self.chance)
        self.event_data = ForgedEventData(self.values)
        self.events: Sequence[Mapping[str, Any]] = [
            one for one in config["dependencies"] if one.get("backend_fn", True)
        ]
        self.opening = next(one for one in self.events if one["api_name"] == "on_page")

    def tab(self) -> str:
        return "".join(self.chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=10))

    def opened(self, tab: str, name: str | None) -> dict[str, object]:
        """Return the event that opens the page in a tab."""
        secret = KEYS.get(name or "", "")
        return {"fn_index": self.opening["id"], "session_hash": tab, "data": ["", secret], "trigger_id": None}

    def query(self) -> dict[str, str]:
        """Return a query for the address of the page."""
        asked = {
            "session": (*self.target.bob.sessions, *self.target.ann.sessions),
            "shared": (*self.target.bob.keys, *self.target.ann.keys),
            "message": (*self.target.bob.messages, *self.target.ann.messages),
        }
        chosen = {
            key: self.chance.choice(values) for key, values in asked.items() if self.chance.random() < 0.4
        }
        if self.chance.random() < 0.1:
            chosen[self.chance.choice(["session", "shared", "message"])] = str(
                self.values.hostile(is_text=True)
            )
        return chosen

    def event(self, tab: str) -> dict[str, object]:
        """Return a plausible event that usually has an error in it."""
        event = self.chance.choice(self.events)
        data: list[object] = [self.values.value(component) for component in event["inputs"]]
        targets = event.get("targets") or [[None, ""]]
        body: dict[str, object] = {
            "fn_index": event["id"],
            "session_hash": tab,
            "data": data,
            "event_data": self.event_data.draw(),
            "trigger_id": targets[0][0],
        }
        for _ in range(self.chance.choice([0, 1, 1, 1, 2, 3])):
            self._mutate(body, data)
        return body

    def _mutate(self, body: dict[str, object], data: list[object]) -> None:
        """Change one part of a value so that it is wrong."""
        kind = self.chance.random()
        if kind < 0.4 and data:
            data[self.chance.randrange(len(data))] = self.values.hostile()
        elif kind < 0.65:
            self._mutate_event_data(body)
        elif kind < 0.75:
            body["data"] = self.chance.choice([data[:-1], [*data, 1], [], None, {}, "x", 5, [DEEP], [data]])
        else:
            name = self.chance.choice(_BODY_FIELDS)
            if self.chance.random() < 0.3:
                body.pop(name, None)
            else:
                body[name] = self.chance.choice([*HOSTILE, 10**6, -1, "0", 3.5, self.values.word()])

    def _mutate_event_data(self, body: dict[str, object]) -> None:
        sent = body.get("event_data")
        if not isinstance(sent, dict) or not sent or self.chance.random() < 0.3:
            body["event_data"] = self.values.hostile()
            return
        name = self.chance.choice(sorted(sent))
        if self.chance.random() < 0.3:
            del sent[name]
        else:
            sent[name] = self.values.hostile()

    def api_call(self) -> tuple[str, dict[str, object]]:
        """Return a call of the API."""
        event = self.chance.choice([one for one in self.events if one.get("api_visibility") == "public"])
        data: list[object] = [
            self.chance.choice(
                [self.values.word(), self.chance.choice(TEXTS), None, self.values.hostile(), ["weather"], 5]
            )
            for _ in event["inputs"]
        ]
        return str(event["api_name"]), {"data": data}

    def stray(self) -> tuple[str, str, bytes | None]:
        """Return a request to one of Gradio's other routes: method, address and body."""
        api = "/gradio_api"
        word, tab = quote(self.values.word(), safe="/."), self.tab()
        body = dumped(
            self.chance.choice([{}, [], None, self.values.hostile(), {"session_hash": tab, "event_id": word}])
        )
        return self.chance.choice(
            [
                ("POST", f"{api}/cancel", body),
                ("POST", f"{api}/cancel", dumped({"session_hash": tab, "fn_index": 1, "event_id": word})),
                ("POST", f"{api}/reset", body),
                ("POST", f"{api}/stream/{word}", body),
                ("POST", f"{api}/stream/{word}/close", body),
                ("POST", f"{api}/component_server", body),
                (
                    "POST",
                    f"{api}/component_server",
                    dumped(
                        {
                            "data": 1,
                            "component_id": self.values.hostile(),
                            "session_hash": tab,
                            "fn_name": "ls",
                        }
                    ),
                ),
                (
                    "POST",
                    f"{api}/queue/join",
                    self.chance.choice([b"", b"{", b"\xff\xfe", b"[" * 100_000, body]),
                ),
                ("POST", f"{api}/queue/join/", body),
                ("POST", f"{api}/run/{self.chance.choice(ROUTES)}", body),
                ("POST", f"{api}/api/predict", dumped({"data": [], "fn_index": self.values.hostile()})),
                ("POST", f"{api}/call/{self.chance.choice(ROUTES)}", body),
                ("POST", f"{api}/call/v2/{self.chance.choice(ROUTES)}", body),
                ("POST", f"{api}/upload", body),
                ("GET", f"{api}/queue/data?session_hash={word}", None),
                ("GET", f"{api}/queue/data", None),
                ("GET", f"{api}/call/parse/{word}", None),
                ("GET", f"{api}/call/v2/parse/{word}", None),
                ("GET", f"{api}/queue/status", None),
                ("GET", f"{api}/info?all_endpoints=1", None),
                ("GET", f"{api}/deep_link?session_hash={word}", None),
                ("GET", f"/?deep_link={word}", None),
                ("GET", f"/config?deep_link=../{word}", None),
                ("GET", f"{api}/stream/{tab}/{word}/1/playlist.m3u8", None),
                ("GET", f"{api}/stream/{tab}/{word}/1/0.ts", None),
                ("GET", f"{api}/stream/{tab}/{word}/x/playlist-file", None),
                ("GET", f"{api}/custom_component/{word}/client/component/x.js", None),
                ("GET", f"{api}/file=/etc/passwd", None),
                ("GET", f"{api}/file={word}", None),
                ("GET", f"{api}/file=http://127.0.0.1:9/x", None),
                ("GET", f"{api}/proxy=http://127.0.0.1:9/x", None),
                ("GET", f"{api}/proxy={word}", None),
                ("GET", "/monitoring", None),
                ("GET", f"/monitoring/{word}", None),
                ("GET", "/static/../../x", None),
                ("GET", f"/assets/{word}", None),
                ("GET", "/pwa_icon/x", None),
                ("GET", f"/svelte/{word}", None),
                ("GET", f"{api}/runs", None),
                ("GET", f"{api}/vibe-code", None),
                ("POST", f"{api}/vibe-edit", body),
                ("POST", f"{api}/process_recording", body),
                ("PUT", f"{api}/queue/join", body),
                ("DELETE", f"{api}/queue/data", None),
                ("GET", f"{api}/mcp/", None),
            ]
        )

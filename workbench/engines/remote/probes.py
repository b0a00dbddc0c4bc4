"""Find out what a server can do for a model, with small requests of one token each.

The idea: a server that does not know a field ignores it or refuses the request, and documentation does not say which
version is running. So each request demands something that no model does by itself, such as the text `~~~~`, and the
first token shows whether the server made it so.

Invariants:

- Only an answer is evidence. A request that fails, or an answer that shows nothing (for example because the model
  starts with a thought), leaves the ability unknown.
- The requests are sent one after the other, within `PROBE_TIMEOUT_S` in total. The first one without any answer, or
  refused because of the key or the rate, is the last.
- Nothing is sent when models are listed, only when one is chosen or checked. The result is reused for `REUSED_S`.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from threading import Lock
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, as_object
from workbench.engines.remote.known_abilities import (
    CHOICE_IS_TEXT,
    SPELLINGS,
    constraint_fields,
    documented,
    json_schema_format,
    spellings_of,
)
from workbench.engines.remote.server import Mode, Server, ServerKind
from workbench.rollout.ports import Constraint
from workbench.rollout.server_abilities import ServerAbilities

PROBE_TIMEOUT_S: Final = 10.0
"""How long all requests to a server may take together."""
REUSED_S: Final = 600.0
"""How long a result is reused."""
RAW: Final = "completions"
CHAT: Final = "chat/completions"
TOOL: Final = "report_status"
"""Name of the tool that a probe requires."""
_MARK: Final = "~"
_GRAMMAR: Final = Constraint(schema={}, closing="", grammar=f'root ::= "{_MARK * 4}"')
_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
_MAY_BE_A_CALL: Final = ("{", "[", "<", "`")
"""A text that starts with one of these may be a call that is not complete after one token."""
_ABSENT: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED)
_LAST: Final = (None, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)


class PlainAnswer(NamedTuple):
    """The answer to a request that is not streamed."""

    status: int | None
    """HTTP status. None if there was no usable answer."""
    choice: JsonObject
    """The first choice. Empty if there is none."""


SendPlain = Callable[[Server, str, JsonObject, float], PlainAnswer]
"""Sends a body to a path of a server, with a timeout in seconds. Never raises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbedServer:
    """What a server can do for a model, as far as it was found out."""

    abilities: ServerAbilities = field(default_factory=ServerAbilities)
    spelling: str | None = None
    """How the server spells a constraint. None if no way is known to work."""

    def resolved(self, kind: ServerKind) -> ServerAbilities:
        """Return the abilities. For those that are not known, what the documentation of the software says."""
        return self.abilities.or_else(documented(kind))

    def spellings(self, kind: ServerKind) -> tuple[str, ...]:
        """Return how to spell a constraint. Empty if the server applies none."""
        return (self.spelling,) if self.spelling else spellings_of(kind)


def _send(server: Server, path: str, body: JsonObject, timeout_s: float) -> PlainAnswer:
    # The client of the OpenAI protocol is slow to import.
    from workbench.engines.remote.openai_api import send_plain

    return send_plain(server, path, body, timeout_s=timeout_s)


class ServerProbes:
    """Finds out what servers can do and remembers it, by server and model. Thread-safe."""

    def __init__(self, send: SendPlain = _send, clock: Callable[[], float] = time.monotonic) -> None:
        self._send = send
        self._clock = clock
        self._found: dict[tuple[str, str, str], tuple[float, ProbedServer]] = {}
        self._asked: set[tuple[str, str, str]] = set()
        self._lock = Lock()

    def known(self, server: Server, model: str) -> ProbedServer | None:
        """Return what was found out about a model. None if nothing was asked yet. Sends nothing."""
        found = self._found.get(_key(server, model))
        return found[1] if found else None

    def ask(self, server: Server, model: str) -> None:
        """Find out what the server can do for a model, unless this is known or is being asked. Never raises."""
        key = _key(server, model)
        with self._lock:
            at_s, _ = self._found.get(key, (float("-inf"), None))
            if key in self._asked or self._clock() - at_s <= REUSED_S:
                return
            self._asked.add(key)
        try:
            probed = _Probing(server, model, self._send, self._clock).run()
            self._found[key] = (self._clock(), probed)
        finally:
            with self._lock:
                self._asked.discard(key)


@dataclass(slots=True)
class _Probing:
    server: Server
    model: str
    send: SendPlain
    clock: Callable[[], float]
    is_over: bool = False
    """True once no further request makes sense."""
    started_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.started_s = self.clock()

    def run(self) -> ProbedServer:
        software = documented(self.server.kind)
        raw = False if software.raw_completions is False else self._raw_completions()
        grammar, spelling = self._grammar() if raw else (raw, None)
        return ProbedServer(
            abilities=ServerAbilities(
                raw_completions=raw,
                logprobs=self._logprobs(),
                grammar=grammar,
                json_schema=self._json_schema(),
                named_choice=self._named_choice(),
            ),
            spelling=spelling,
        )

    def _raw_completions(self) -> bool | None:
        answer = self._ask(RAW, {})
        if answer.status in _ABSENT:
            return False
        return True if isinstance(answer.choice.get("text"), str) else None

    def _logprobs(self) -> bool | None:
        is_raw = self.server.mode is Mode.RAW
        answer = self._ask(RAW, {"logprobs": 1}) if is_raw else self._ask(CHAT, {"logprobs": True})
        if not answer.choice:
            return None
        sent = as_object(answer.choice.get("logprobs"))
        return bool(sent.get("tokens") or sent.get("content"))

    def _grammar(self) -> tuple[bool | None, str | None]:
        """Return whether a grammar is applied, and how the server spells it."""
        states: list[bool | None] = []
        for spelling in spellings_of(self.server.kind) or SPELLINGS:
            text = self._ask(RAW, constraint_fields(_GRAMMAR, (spelling,))).choice.get("text")
            shown = text.strip() if isinstance(text, str) else ""
            if shown and not shown.strip(_MARK):
                return True, spelling
            states.append(False if shown else None)
        return (None if None in states else False), None

    def _json_schema(self) -> bool | None:
        text = _text(self._ask(CHAT, {"response_format": json_schema_format(_SCHEMA, name="status")}))
        return text.startswith("{") if text else None

    def _named_choice(self) -> bool | None:
        is_text = self.server.kind in CHOICE_IS_TEXT
        choice = "required" if is_text else {"type": "function", "function": {"name": TOOL}}
        function = {"name": TOOL, "description": "Report the status", "parameters": _SCHEMA}
        tools = [{"type": "function", "function": function}]
        answer = self._ask(CHAT, {"tools": tools, "tool_choice": choice})
        calls = as_object(answer.choice.get("message")).get("tool_calls")
        if isinstance(calls, Sequence) and calls:
            return as_object(as_object(calls[0]).get("function")).get("name") == TOOL
        text = _text(answer)
        return False if text and not text.startswith(_MAY_BE_A_CALL) else None

    def _ask(self, path: str, fields: JsonObject) -> PlainAnswer:
        left_s = PROBE_TIMEOUT_S - (self.clock() - self.started_s)
        if self.is_over or left_s <= 0:
            return PlainAnswer(None, {})
        content: JsonObject = (
            {"prompt": "The capital of France is"}
            if path == RAW
            else {"messages": [{"role": "user", "content": "Say hello."}]}
        )
        body = {"model": self.model, **content, "max_tokens": 1, "temperature": 0, **fields}
        answer = self.send(self.server, path, body, min(left_s, self.server.timeout_s))
        self.is_over = answer.status in _LAST
        return answer


def _text(answer: PlainAnswer) -> str:
    content = as_object(answer.choice.get("message")).get("content")
    return content.strip() if isinstance(content, str) else ""


def _key(server: Server, model: str) -> tuple[str, str, str]:
    return (f"{server.name}\n{server.base_url}", server.mode, model)

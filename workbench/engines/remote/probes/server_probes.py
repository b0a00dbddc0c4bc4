"""Find out what a server can do for a model, with small requests of one token each.

The idea: a server that does not know a field ignores it or refuses the request, and documentation does not say which
version is running. So each request demands something that no model does by itself, such as the text `~~~~`, and the
first token shows whether the server made it so.

Invariants:

- Only an answer is evidence. A request that fails, or an answer that shows nothing (for example because the model
  starts with a thought), leaves the ability unknown.
- The requests are sent one after the other, in a thread of their own. Each has the time that every request to the
  server has, so that a slow server is only slow to be known. A caller waits for some seconds; what was found out
  until then counts at once.
- An ability whose request got no answer, or a temporary refusal, is not known yet. It is asked for again at the next
  use. The first request without an answer is the last, if the server has never answered; later it is the second in a
  row. A refusal because of the key or the rate is the last one, too.
- Nothing is sent when models are listed, only when one is chosen or checked, or must be made to call a tool. The result
  is reused for `REUSED_S`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from threading import Event, Lock, Thread
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.engines.remote.probes.known_abilities import (
    CHAT_GRAMMAR,
    CHOICE_IS_TEXT,
    SPELLINGS,
    constraint_fields,
    documented,
    json_schema_format,
    spellings_of,
)
from workbench.engines.remote.server import Mode, Server, ServerKind
from workbench.engines.remote.transport.sending import FINAL, PlainAnswer, send_plain
from workbench.rollout.ports import Constraint
from workbench.rollout.server_abilities import ServerAbilities
from workbench.settings import Secret

WAIT_S: Final = 10.0
"""How long to wait for the results after a model was chosen. The requests go on in the background."""
REUSED_S: Final = 600.0
"""How long a result is reused."""
AGAIN_S: Final = 30.0
"""How long nothing is asked again after a run that left abilities open."""
STILL_ASKED: Final = "the server is still being asked"
RAW: Final = "completions"
CHAT: Final = "chat/completions"
TOOL: Final = "report_status"
OTHER_TOOL: Final = "report_weather"
"""Names of the tools that the requests require."""
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
_LOOK_EVERY_S: Final = 0.05
_ABSENT: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED)
_MOST_KNOWN: Final = 1_000
"""For how many servers and models results are remembered."""
_MOST_SILENT: Final = 2
"""How many requests in a row may get no answer from a server that has answered before."""


_ServerKey = tuple[str, str, Secret | None, Mode, str]
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


class ServerProbes:
    """Finds out what servers can do and remembers it, by server and model. Thread-safe."""

    def __init__(self, send: SendPlain = send_plain, clock: Callable[[], float] = time.monotonic) -> None:
        self._send = send
        self._clock = clock
        self._runs: dict[_ServerKey, _Probing] = {}
        self._lock = Lock()

    def known(self, server: Server, model: str) -> ProbedServer | None:
        """Return what was found out about a model so far. None if nothing was asked yet. Sends nothing."""
        run = self._runs.get(_key(server, model))
        return run.found if run else None

    def was_asked(self, server: Server, model: str) -> bool:
        """Return whether all requests for a model were sent at least once."""
        run = self._runs.get(_key(server, model))
        return run is not None and (run.is_over.is_set() or not run.is_first)

    def ask(
        self,
        server: Server,
        model: str,
        *,
        wait_s: float = WAIT_S,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Find out what the server can do for a model, unless this is known or is being asked. Never raises.

        Args:
            wait_s: How long to wait for the results.
            is_cancelled: Returns True once nobody waits for the results any more.
        """
        run = self._running(server, model)
        until_s = time.monotonic() + wait_s
        while not is_cancelled() and (left_s := until_s - time.monotonic()) > 0:
            if run.is_over.wait(min(left_s, _LOOK_EVERY_S)):
                return

    def _running(self, server: Server, model: str) -> "_Probing":
        """Return the newest run. Start one if there is none whose result can be reused."""
        key = _key(server, model)
        with self._lock:
            run = self._runs.get(key)
            age_s = self._clock() - run.ended_s if run else 0.0
            if run and age_s <= (AGAIN_S if run.found.abilities.open else REUSED_S):
                return run
            names = run.found.abilities.open if run and age_s <= REUSED_S else frozenset[str]()
            run = _Probing(server, model, self._send, self._clock, run.found if run else None, names)
            self._runs.pop(key, None)
            self._runs[key] = run
            while len(self._runs) > _MOST_KNOWN:
                del self._runs[next(iter(self._runs))]
        Thread(target=run.run, name="server-probes", daemon=True).start()
        return run


class _Probing:
    """The requests to one server for one model."""

    def __init__(
        self,
        server: Server,
        model: str,
        send: SendPlain,
        clock: Callable[[], float],
        known: ProbedServer | None,
        names: frozenset[str],
    ) -> None:
        """Send nothing yet.

        Args:
            known: What was found out before, which counts until there is something newer. None if nothing was asked.
            names: The abilities to find out. Empty finds out all of them.
        """
        self._probes: Mapping[str, Callable[[], bool | None]] = {
            "raw_completions": self._raw_completions,
            "logprobs": self._logprobs,
            "grammar": self._grammar,
            "json_schema": self._json_schema,
            "named_choice": self._named_choice,
            "required_choice": self._required_choice,
            "chat_grammar": self._chat_grammar,
        }
        before, names = known or ProbedServer(), names or frozenset(self._probes)
        self.found = replace(before, abilities=replace(before.abilities, open=names, problem=STILL_ASKED))
        """What was found out so far."""
        self.is_first = known is None
        self.is_over = Event()
        self.ended_s = float("inf")
        """When the last answer came. Infinity while requests are being sent."""
        self._server = server
        self._model = model
        self._send = send
        self._clock = clock
        self._spelling = before.spelling
        self._has_answered = self._is_last = False
        self._is_open = False
        """Whether a request for the current ability got no answer."""
        self._silent = 0
        """How many requests in a row got no answer."""
        self._problem = ""

    def run(self) -> None:
        """Send the requests whose results are open, and publish each result at once. Never raises."""
        try:
            for name, probe in self._probes.items():
                if name in self.found.abilities.open:
                    self._publish(name, probe)
        finally:
            abilities = self.found.abilities
            problem = f"{self._problem}; it will be asked again" if abilities.open else ""
            self.found = replace(self.found, abilities=replace(abilities, problem=problem))
            self.ended_s = self._clock()
            self.is_over.set()

    def _publish(self, name: str, probe: Callable[[], bool | None]) -> None:
        self._is_open = False
        state = probe()
        if state is None and self._is_open:
            return
        abilities = self.found.abilities
        newer = replace(abilities, **{name: state, "open": abilities.open - {name}})
        self.found = replace(self.found, abilities=newer, spelling=self._spelling)

    def _raw_completions(self) -> bool | None:
        if documented(self._server.kind).raw_completions is False:
            return False
        answer = self._ask(RAW, {})
        if answer.status in _ABSENT:
            return False
        return True if isinstance(answer.choice.get("text"), str) else None

    def _logprobs(self) -> bool | None:
        is_raw = self._server.mode is Mode.RAW
        answer = self._ask(RAW, {"logprobs": 1}) if is_raw else self._ask(CHAT, {"logprobs": True})
        if not answer.choice:
            return None
        sent = as_object(answer.choice.get("logprobs"))
        return bool(sent.get("tokens") or sent.get("content"))

    def _grammar(self) -> bool | None:
        """Return whether a grammar is applied, and note how the server spells it."""
        if not self._is_known("raw_completions"):
            return None
        if not self.found.abilities.raw_completions:
            return self.found.abilities.raw_completions
        states: list[bool | None] = []
        self._spelling = None
        for spelling in spellings_of(self._server.kind) or SPELLINGS:
            state = _is_marked(self._ask(RAW, constraint_fields(_GRAMMAR, (spelling,))).choice.get("text"))
            if state:
                self._spelling, self._is_open = spelling, False
                return True
            states.append(state)
        return None if None in states else False

    def _json_schema(self) -> bool | None:
        text = _text(self._ask(CHAT, {"response_format": json_schema_format(_SCHEMA, name="status")}))
        return text.startswith("{") if text else None

    def _named_choice(self) -> bool | None:
        is_text = self._server.kind in CHOICE_IS_TEXT
        choice: JsonValue = "required" if is_text else {"type": "function", "function": {"name": TOOL}}
        answer = self._ask(CHAT, {"tools": [_tool(TOOL)], "tool_choice": choice})
        return _has_called(answer, TOOL)

    def _required_choice(self) -> bool | None:
        """Ask with two tools, because some servers apply `required` only if there is one."""
        answer = self._ask(CHAT, {"tools": [_tool(TOOL), _tool(OTHER_TOOL)], "tool_choice": "required"})
        return _has_called(answer, TOOL, OTHER_TOOL)

    def _chat_grammar(self) -> bool | None:
        """Ask only if the server ignores a tool choice, or gets none. The tools are those that a request would have."""
        known = self.found.abilities
        if self._server.mode is Mode.RAW or not self._is_known("named_choice", "required_choice"):
            return None
        if self._server.writes_tools and False not in (known.named_choice, known.required_choice):
            return None
        offered: JsonObject = {"tools": [_tool(TOOL), _tool(OTHER_TOOL)], "tool_choice": "none"}
        tools = offered if self._server.writes_tools else {}
        return _is_marked(_text(self._ask(CHAT, {**tools, CHAT_GRAMMAR: _GRAMMAR.grammar})))

    def _is_known(self, *names: str) -> bool:
        """Return whether these abilities are not open. Otherwise, the one that depends on them is open as well."""
        self._is_open = bool(self.found.abilities.open.intersection(names))
        return not self._is_open

    def _ask(self, path: str, fields: JsonObject) -> PlainAnswer:
        if self._is_last:
            self._is_open = True
            return PlainAnswer(None, {})
        content: JsonObject = (
            {"prompt": "The capital of France is"}
            if path == RAW
            else {"messages": [{"role": "user", "content": "Say hello."}]}
        )
        body = {"model": self._model, **content, "max_tokens": 1, "temperature": 0, **fields}
        answer = self._send(self._server, path, body, self._server.timeout_s)
        self._silent = 0 if answer.status else self._silent + 1
        self._has_answered = self._has_answered or answer.status is not None
        self._is_last = answer.status in FINAL or self._silent >= (_MOST_SILENT if self._has_answered else 1)
        if answer.is_open:
            self._is_open, self._problem = True, answer.problem
        return answer


def _tool(name: str) -> JsonObject:
    function: JsonObject = {"name": name, "description": "Report the status", "parameters": _SCHEMA}
    return {"type": "function", "function": function}


def _has_called(answer: PlainAnswer, *names: str) -> bool | None:
    """Return whether one of the tools was called. None if the first token does not show it."""
    calls = as_object(answer.choice.get("message")).get("tool_calls")
    if isinstance(calls, Sequence) and calls:
        return as_object(as_object(calls[0]).get("function")).get("name") in names
    text = _text(answer)
    return False if text and not text.startswith(_MAY_BE_A_CALL) else None


def _is_marked(text: JsonValue) -> bool | None:
    """Return whether a text follows the grammar of the probes. None if it is empty."""
    shown = text.strip() if isinstance(text, str) else ""
    return not shown.strip(_MARK) if shown else None


def _text(answer: PlainAnswer) -> str:
    content = as_object(answer.choice.get("message")).get("content")
    return content.strip() if isinstance(content, str) else ""


def _key(server: Server, model: str) -> _ServerKey:
    return server.name, server.base_url, server.key, server.mode, model

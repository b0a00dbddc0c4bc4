"""Test a server for one of its models: what it can do, what is wrong, and what to do about it.

`server_probes` asks what it can be made to do, with one token each. This module adds what a person sees in a chat:
whether the chat template writes tools and results into the prompt, and where the calls of an answer are.

A chat template that leaves out the tools fails without an error: the model answers as if there were none. The number of
tokens shows it, without a tokenizer. For example, a prompt of 12 tokens that still has 12 after a tool with a long
description was sent does not contain that tool.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from http import HTTPStatus
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.engines.remote.probes.server_probes import CHAT, ServerProbes
from workbench.engines.remote.server import Mode, Server, ServerKind
from workbench.engines.remote.transport.model_lists import ServerLists
from workbench.engines.remote.transport.sending import PlainAnswer, send_plain
from workbench.hermes.dialects.known import DIALECTS
from workbench.hermes.parse import parse
from workbench.hermes.reading import Level
from workbench.rollout.server_abilities import ServerAbilities
from workbench.toolspec.tools_text import parse_tools

WAIT_S: Final = 60.0
"""How long the test waits for the abilities."""
TIMEOUT_S: Final = 60.0
"""How long one of the test's own requests may take."""
_CALL_TOKENS: Final = 200
"""Room for two calls, and a short thought before them."""
_WORDS: Final = "The reading is stable and within the expected range for this season. " * 8
_MIN_GROWTH: Final = 20
"""A tool or a result with `_WORDS` has more tokens than this with any tokenizer."""
_TOOL: Final[JsonObject] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": f"Get the weather of one city. {_WORDS}",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "Name of the city"}},
            "required": ["city"],
        },
    },
}
_QUESTION: Final = "Call get_weather for Paris and for Rome, both at once."
_IN_CONTRACT: Final = "use raw, where the contract writes the prompt, or a chat template with tools"


class FactState(StrEnum):
    """Whether a server can do something."""

    YES = "yes"
    NO = "no"
    """It cannot. Nothing is broken."""
    UNKNOWN = "unknown"
    """The answers do not show it."""
    PROBLEM = "problem"
    """Something is wrong that can be repaired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFact:
    """One line of a report."""

    subject: str
    state: FactState
    text: str = ""
    """What was found. Empty if the state says it all."""
    remedy: str = ""
    """What to do about it. Empty if nothing is wrong."""

    @property
    def line(self) -> str:
        """The fact as a sentence.

        >>> ServerFact(subject="logprobs", state=FactState.NO).line
        'logprobs: no'
        """
        return f"{self.subject}: {self.text or self.state.value}" + (
            f" ({self.remedy})" if self.remedy else ""
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerReport:
    """The result of a test."""

    server: Server
    """With the kind that its list shows."""
    model: str
    """The model that was tested, by its name on the server. Empty if there is none."""
    facts: tuple[ServerFact, ...]

    @property
    def problems(self) -> tuple[ServerFact, ...]:
        """What is wrong and can be repaired."""
        return tuple(fact for fact in self.facts if fact.state is FactState.PROBLEM)

    @property
    def document(self) -> JsonObject:
        """The report as JSON."""
        facts: list[JsonValue] = [
            {"subject": fact.subject, "state": fact.state.value, "text": fact.text, "remedy": fact.remedy}
            for fact in self.facts
        ]
        return {"server": self.server.name, "url": self.server.place, "kind": self.server.kind.value,
                "model": self.model, "ok": not self.problems, "facts": facts}  # fmt: skip


def report_on(server: Server, model: str, lists: ServerLists, probes: ServerProbes) -> ServerReport:
    """Test a server with about twenty short requests. Never raises because of the server.

    Args:
        model: Name of the model on the server. Empty takes the first one of its list.
    """
    failure = lists.ask_all([server]).get(server.name)
    if failure is not None:
        fact = ServerFact(
            subject="connection", state=FactState.PROBLEM, text=failure.problem, remedy=failure.remedy
        )
        return ServerReport(server=server, model=model, facts=(fact,))
    listed = lists.known(server)
    model = model or next(iter((*server.models, *listed.names)), "")
    server = server.completed(software=listed.software, context_tokens=listed.context_of(model))
    facts = [_listed(server, len(listed.names))]
    if not model:
        remedy = "start the server with a model, or name one"
        facts.append(
            ServerFact(subject="model", state=FactState.PROBLEM, text="the list is empty", remedy=remedy)
        )
    else:
        probes.ask(server, model, wait_s=WAIT_S)
        found = probes.known(server, model)
        facts += [*(_abilities(server, found.abilities) if found else ()), *_Chat(server, model).facts()]
    return ServerReport(server=server, model=model, facts=tuple(facts))


def _listed(server: Server, models: int) -> ServerFact:
    kind = "software not known" if server.kind is ServerKind.OPENAI else server.kind.value
    context = f", {server.context_tokens:,} tokens of context" if server.context_tokens else ""
    text = f"{kind}, {models:,} model{'' if models == 1 else 's'}{context}"
    return ServerFact(subject="connection", state=FactState.YES, text=text)


def _abilities(server: Server, abilities: ServerAbilities) -> list[ServerFact]:
    states = {True: FactState.YES, False: FactState.NO, None: FactState.UNKNOWN}
    facts = [
        ServerFact(
            subject=words, state=states[state], text=abilities.problem if name in abilities.open else ""
        )
        for name, (words, state) in abilities.named.items()
        if state is not None or name != "chat_grammar"
    ]
    if abilities.raw_completions is False and server.mode is Mode.RAW:
        facts[0] = replace(
            facts[0], state=FactState.PROBLEM, text="raw, but not supported", remedy="use chat"
        )
    return facts


class _Chat:
    """The chats of a test."""

    def __init__(self, server: Server, model: str) -> None:
        self._server = server
        self._model = model

    def facts(self) -> list[ServerFact]:
        question: JsonObject = {"role": "user", "content": _QUESTION}
        plain = self._ask([question])
        if plain.status != HTTPStatus.OK:
            remedy = (
                "use raw" if plain.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED) else ""
            )
            return [_failed("chat", plain, remedy)]
        yes = ServerFact(subject="chat", state=FactState.YES)
        with_tools = self._ask([question], tools=[_TOOL])
        if with_tools.status != HTTPStatus.OK:
            return [yes, _failed("tools in a chat", with_tools, self._start_with("hermes", "hermes"))]
        return [
            yes,
            _grown("tools in the prompt", plain, with_tools),
            self._results(question),
            self._calls(question),
        ]

    def _results(self, question: JsonObject) -> ServerFact:
        function: JsonObject = {"name": "get_weather", "arguments": '{"city": "Paris"}'}
        call: JsonObject = {"id": "call_0001", "type": "function", "function": function}
        asked: JsonObject = {"role": "assistant", "content": "", "tool_calls": [call]}

        def with_result(content: str) -> PlainAnswer:
            result: JsonObject = {"role": "tool", "tool_call_id": "call_0001", "content": content}
            return self._ask([question, asked, result], tools=[_TOOL])

        short, long = with_result("{}"), with_result(_WORDS)
        if long.status != HTTPStatus.OK:
            return _failed("results in the prompt", long, _IN_CONTRACT)
        return _grown("results in the prompt", short, long)

    def _calls(self, question: JsonObject) -> ServerFact:
        """Find out where an answer has its calls: in the field for calls, or in the text, where clients miss them."""
        subject = "tool calls"
        message = as_object(
            self._ask([question], tools=[_TOOL], max_tokens=_CALL_TOKENS).choice.get("message")
        )
        calls, content = message.get("tool_calls"), message.get("content")
        if isinstance(calls, list) and calls:
            text = "several at once" if len(calls) > 1 else "one at a time; parallel calls were not shown"
            return ServerFact(subject=subject, state=FactState.YES, text=text)
        reading = parse(
            content if isinstance(content, str) else "", tools=parse_tools([_TOOL]), level=Level.LENIENT
        )
        foreign = DIALECTS[reading.foreign[0].dialect] if reading.foreign else None
        if foreign is None and not reading.calls:
            text = "the model called no tool when it was asked to"
            return ServerFact(subject=subject, state=FactState.UNKNOWN, text=text)
        is_xml = bool(reading.calls) and reading.calls[0].dialect.value == "xml"
        own = "qwen3_coder" if is_xml else "hermes"
        remedy = self._start_with(foreign.vllm if foreign else own, foreign.sglang if foreign else own)
        text = "calls stay in the content; the workbench reads them, other clients do not"
        return ServerFact(subject=subject, state=FactState.PROBLEM, text=text, remedy=remedy)

    def _start_with(self, vllm: str, sglang: str) -> str:
        """Return how to start the server so that it reads calls.

        Args:
            vllm: Name of the parser in vLLM. Empty if it has none.
            sglang: Name of the parser in SGLang. Empty if it has none.
        """
        kind = self._server.kind
        if kind is ServerKind.LLAMA_SERVER:
            return "start llama-server with --jinja"
        options = {
            ServerKind.VLLM: vllm and f"start vLLM with --enable-auto-tool-choice --tool-call-parser {vllm}",
            ServerKind.SGLANG: sglang and f"start SGLang with --tool-call-parser {sglang}",
        }
        known = [option for option in options.values() if option]
        return options.get(kind, ", or ".join(known)) or "use raw"

    def _ask(
        self, messages: list[JsonValue], *, tools: list[JsonValue] | None = None, max_tokens: int = 1
    ) -> PlainAnswer:
        body: JsonObject = {
            "model": self._model,
            "messages": messages,
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        if tools:
            body = {**body, "tools": tools}
        return send_plain(self._server, CHAT, body, min(TIMEOUT_S, self._server.timeout_s))


def _failed(subject: str, answer: PlainAnswer, remedy: str) -> ServerFact:
    return ServerFact(
        subject=subject, state=FactState.PROBLEM, text=answer.message or answer.problem, remedy=remedy
    )


def _grown(subject: str, before: PlainAnswer, after: PlainAnswer) -> ServerFact:
    """Compare the lengths of two prompts, of which the second must be longer."""
    if before.prompt_tokens is None or after.prompt_tokens is None:
        text = "the server does not count the tokens of a prompt"
        return ServerFact(subject=subject, state=FactState.UNKNOWN, text=text)
    if after.prompt_tokens - before.prompt_tokens >= _MIN_GROWTH:
        return ServerFact(subject=subject, state=FactState.YES)
    text = "the chat template leaves them out"
    return ServerFact(subject=subject, state=FactState.PROBLEM, text=text, remedy=_IN_CONTRACT)

"""The test of a server says what it can do, what is wrong, and what to do about it."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from tests.engines.remote.scripted_server import Answer, RecordedRequest, refused, scripted_server
from tests.peers.fake_servers import VLLM, fake_server
from workbench.engines.remote.probes.server_report import FactState, ServerFact, ServerReport
from workbench.engines.remote.server import Server, ServerKind
from workbench.engines.remote.server_book import ServerBook

XML = "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>"
HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
MISTRAL = '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Paris"}}]'


@dataclass(frozen=True, kw_only=True)
class ToolServer:
    """What a server does with tools, besides what `VLLM` does."""

    calls: int = 2
    """Calls in an answer to a question with tools."""
    content: str = ""
    """The text of that answer."""
    drops: tuple[str, ...] = ()
    """What the chat template leaves out: `tools`, `results`."""
    refuses: str = ""
    """Why requests with tools are refused. Empty accepts them."""
    refuses_results: str = ""
    counts: bool = True
    """Whether it counts the tokens of the prompt."""


@contextmanager
def served(software: ToolServer, kind: ServerKind = ServerKind.OPENAI) -> Iterator[tuple[ServerBook, str]]:
    base = fake_server(VLLM)

    def answer(request: RecordedRequest) -> Answer:
        body: Mapping[str, Any] = request.body
        # The probes ask for one token and a choice.
        if not request.path.endswith("/chat/completions") or {
            "tool_choice",
            "response_format",
            "logprobs",
        } & set(body):
            return base(request)
        return _chat(software, body)

    with scripted_server(answer) as server:
        yield ServerBook(fixed={"lab": Server(name="lab", base_url=server.url, kind=kind)}), server.url


def _chat(software: ToolServer, body: Mapping[str, Any]) -> Answer:
    results = [message for message in body["messages"] if message["role"] == "tool"]
    if results and software.refuses_results:
        return refused(500, software.refuses_results)
    if body.get("tools") and software.refuses:
        return refused(400, software.refuses)
    seen = [message["content"] for message in body["messages"] if message["role"] == "user"]
    seen += [json.dumps(body.get("tools", "")), *(["<tool_call>"] if results else [])]
    if "tools" in software.drops:
        seen = seen[:1]
    seen += [] if "results" in software.drops else [message["content"] for message in results]
    function = {"name": "get_weather", "arguments": "{}"}
    calls = [{"id": f"c{n}", "type": "function", "function": function} for n in range(software.calls)]
    message: dict[str, Any] = {"role": "assistant", "content": software.content}
    if body.get("tools") and not results and software.calls:
        message["tool_calls"] = calls
    usage = {"usage": {"prompt_tokens": len(" ".join(seen).split())}} if software.counts else {}
    document = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], **usage}
    return Answer(headers={"Content-Type": "application/json"}, pieces=(json.dumps(document).encode(),))


def report_of(software: ToolServer, kind: ServerKind = ServerKind.OPENAI) -> ServerReport:
    with served(software, kind) as (book, _):
        return book.test("lab")


def fact(report: ServerReport, subject: str) -> ServerFact:
    return next(fact for fact in report.facts if fact.subject == subject)


def test_a_server_that_does_everything_right_has_no_problem():
    report = report_of(ToolServer())
    assert report.problems == ()
    assert (report.server.kind, report.model) == (ServerKind.VLLM, "hermes")
    lines = {fact.subject: fact.state for fact in report.facts}
    assert set(lines.values()) == {FactState.YES}
    assert list(lines) == [
        "connection", "raw completions", "logprobs", "grammar", "JSON Schema", "named tool choice",
        "required tool choice", "chat", "tools in the prompt", "results in the prompt", "tool calls",
    ]  # fmt: skip
    assert fact(report, "connection").text == "vllm, 1 model, 4,096 tokens of context"
    assert fact(report, "tool calls").text == "several at once"
    assert report.document["ok"] is True


@pytest.mark.parametrize(
    ("kind", "content", "remedy"),
    [
        (ServerKind.VLLM, HERMES, "start vLLM with --enable-auto-tool-choice --tool-call-parser hermes"),
        (ServerKind.VLLM, XML, "start vLLM with --enable-auto-tool-choice --tool-call-parser qwen3_coder"),
        (ServerKind.VLLM, MISTRAL, "start vLLM with --enable-auto-tool-choice --tool-call-parser mistral"),
        (ServerKind.SGLANG, HERMES, "start SGLang with --tool-call-parser hermes"),
        (ServerKind.LLAMA_SERVER, HERMES, "start llama-server with --jinja"),
    ],
)
def test_calls_that_stay_in_the_content_are_reported_with_the_parser_that_reads_them(kind, content, remedy):
    found = fact(report_of(ToolServer(calls=0, content=content), kind), "tool calls")
    assert (found.state, found.remedy) == (FactState.PROBLEM, remedy)
    assert found.text.startswith("calls stay in the content")


@pytest.mark.parametrize(
    ("software", "subject", "state", "words"),
    [
        (ToolServer(calls=1), "tool calls", FactState.YES, "one at a time"),
        (ToolServer(calls=0, content="It is sunny."), "tool calls", FactState.UNKNOWN, "called no tool"),
        (ToolServer(drops=("tools",)), "tools in the prompt", FactState.PROBLEM, "leaves them out"),
        (ToolServer(drops=("results",)), "results in the prompt", FactState.PROBLEM, "leaves them out"),
        (ToolServer(counts=False), "results in the prompt", FactState.UNKNOWN, "does not count"),
        (ToolServer(refuses='"auto" tool choice requires --enable-auto-tool-choice'), "tools in a chat",
         FactState.PROBLEM, "tool choice requires"),
        (ToolServer(refuses_results="Expected object at row 3"), "results in the prompt", FactState.PROBLEM, "row 3"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_tools_is_found(software, subject, state, words):
    found = fact(report_of(software), subject)
    assert (found.state, words in found.text) == (state, True), found
    assert bool(found.remedy) is (state is FactState.PROBLEM)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (refused(401, "invalid key"), "it needs an API key"),
        (refused(404, "Not Found"), "it has no list of models at this address"),
    ],
)
def test_a_server_that_cannot_be_asked_is_one_problem_with_its_remedy(answer, words):
    with scripted_server(answer) as server:
        report = ServerBook(fixed={"lab": Server(name="lab", base_url=server.url)}).test("lab")
    (found,) = report.facts
    assert words in found.text and found.remedy


def test_a_server_without_chats_is_used_with_raw_completions():
    def answer(request: RecordedRequest) -> Answer:
        is_chat = request.path.endswith("/chat/completions")
        return refused(404, "Not Found") if is_chat else fake_server(VLLM)(request)

    with scripted_server(answer) as server:
        report = ServerBook(fixed={"lab": Server(name="lab", base_url=server.url)}).test("lab")
    assert (fact(report, "chat").state, fact(report, "chat").remedy) == (FactState.PROBLEM, "use raw")

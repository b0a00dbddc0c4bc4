"""`required` and a tool's name mean the same on every server, also if nobody said which software it runs."""

from collections.abc import Callable

import pytest

from tests.engines.remote.scripted_server import Answer, RecordedRequest, scripted_server
from tests.engines.remote.test_probes import models_on
from tests.peers.fake_servers import (
    LLAMA_CPP_PYTHON,
    LLAMA_SERVER,
    MARKS,
    NO_TOOLS_IN_TEMPLATE,
    OLD_VLLM,
    OLLAMA,
    ONLY_GRAMMAR,
    PLAIN,
    SGLANG,
    VLLM,
    FakeSoftware,
    fake_server,
)
from tests.peers.outcome import TOOLS, outcome_of
from tests.peers.scenario import NAMED, REQUIRED
from workbench.engines.remote.server import Server, ToolsBy
from workbench.rollout.ports import ToolChoice

GRAMMAR_CALL = '{"name": "weather", "arguments": {}}'
SOFTWARE = {
    "vllm": VLLM,
    "old vllm": OLD_VLLM,
    "sglang": SGLANG,
    "llama-server": LLAMA_SERVER,
    "no tools in the template": NO_TOOLS_IN_TEMPLATE,
    "ollama": OLLAMA,
    "llama-cpp-python": LLAMA_CPP_PYTHON,
    "only a grammar": ONLY_GRAMMAR,
}


def unknown(software: FakeSoftware) -> Callable[[RecordedRequest], Answer]:
    """Return the answers of a server whose list of models does not show its software."""
    answer = fake_server(software, constrained=GRAMMAR_CALL)

    def answer_as_other(request: RecordedRequest) -> Answer:
        given = answer(request)
        if request.path.endswith("/models"):
            pieces = tuple(piece.replace(software.owner.encode(), b"me") for piece in given.pieces)
            return Answer(headers=given.headers, pieces=pieces)
        if request.body.get("messages", [{}])[-1].get("role") == "tool":
            return fake_server(PLAIN, free="Done.")(request)
        return given

    return answer_as_other


@pytest.mark.parametrize("choice", [REQUIRED, NAMED], ids=str)
@pytest.mark.parametrize("tools_by", ToolsBy)
@pytest.mark.parametrize("software", SOFTWARE)
def test_one_of_several_tools_is_called_although_nobody_asked_the_server_before(
    software: str, tools_by: ToolsBy, choice: ToolChoice
) -> None:
    with scripted_server(unknown(SOFTWARE[software])) as server:
        models = models_on(Server(name="", base_url=server.url, tools_by=tools_by))
        outcome = outcome_of(models.engine("openai:hermes"), choice=choice)
    assert outcome.startswith("ran weather ") and "choice-not-obeyed" not in outcome
    assert outcome.endswith("end answered")
    assert len(TOOLS.specs) == 2


@pytest.mark.parametrize("choice", [REQUIRED, NAMED], ids=str)
def test_it_is_a_finding_if_the_server_can_do_nothing_of_it(choice: ToolChoice) -> None:
    with scripted_server(unknown(PLAIN)) as server:
        models = models_on(Server(name="", base_url=server.url))
        outcome = outcome_of(models.engine("openai:hermes"), choice=choice)
    assert outcome == 'prose "Paris"; finding choice-not-obeyed; end answered'


def test_the_server_is_asked_once_and_only_before_a_forced_call() -> None:
    def paths() -> list[str]:
        return [request.path.removeprefix("/v1") for request in server.requests if not is_of_turn(request)]

    def is_of_turn(request: RecordedRequest) -> bool:
        return bool(request.body.get("stream"))

    with scripted_server(unknown(LLAMA_CPP_PYTHON)) as server:
        engine = models_on(Server(name="", base_url=server.url)).engine("openai:hermes")
        outcome_of(engine)
        assert paths() == []
        outcome_of(engine, choice=REQUIRED)
        asked = paths()
        assert asked[0] == "/models" and "/chat/completions" in asked
        outcome_of(engine, choice=REQUIRED)
        outcome_of(engine, choice=NAMED)
        assert paths() == asked


def test_software_that_is_known_is_not_asked() -> None:
    with scripted_server(fake_server(VLLM)) as server:
        models = models_on(Server(name="", base_url=server.url, kind="vllm"))
        outcome_of(models.engine("openai:hermes"), choice=REQUIRED)
    assert {request.path for request in server.requests} == {"/v1/chat/completions"}
    assert all(request.body["stream"] for request in server.requests)


def test_the_grammar_of_a_call_is_sent_with_the_tools() -> None:
    with scripted_server(unknown(LLAMA_CPP_PYTHON)) as server:
        models = models_on(Server(name="", base_url=server.url))
        outcome_of(models.engine("openai:hermes"), choice=REQUIRED)
    (body,) = (
        request.body
        for request in server.requests
        if request.body.get("stream") and "grammar" in request.body and MARKS not in request.body["grammar"]
    )
    assert [tool["function"]["name"] for tool in body["tools"]] == ["weather", "now"]
    assert body["tool_choice"] == "none" and '\\"weather\\"' in body["grammar"]

"""The basic scenarios with real servers: llama-cpp-python's and llama.cpp's, with the embedded model and an API key."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pytest

from tests.engines.remote.asking import KEY
from tests.engines.remote.real_server import llama_server, real_server
from tests.engines.test_all_models import models_for
from tests.peers.fake_servers import LLAMA_CPP_PYTHON_ABILITIES
from tests.peers.outcome import TOOLS, outcome_of
from tests.peers.scenario import NAMED, REQUIRED
from workbench.chat.message import Conversation, Message, Role
from workbench.engines.all_models import AllModels
from workbench.engines.remote.server import Mode, Server
from workbench.errors import RemoteFailed
from workbench.rollout.ports import ToolChoice
from workbench.rollout.sampling import Sampling
from workbench.rollout.server_abilities import ServerAbilities
from workbench.settings import Secret
from workbench.toolspec.spec import OfferedTools

pytestmark = [pytest.mark.model, pytest.mark.slow]

MODEL = "openai:hermes"
NO_TOOLS = OfferedTools(specs=())
LONG = Conversation(messages=(Message(role=Role.USER, text="word " * 4000),))


@dataclass(frozen=True, kw_only=True)
class RealServer:
    """What differs between the servers."""

    too_long: str
    """What an error says about a prompt that is too long."""
    wrong_paths: tuple[str, ...]
    """Ends of a base URL in place of `/v1` at which it has no chat."""
    no_path: str
    """How it says that a path does not exist."""
    abilities: ServerAbilities


LLAMA_CPP_PYTHON: Final = RealServer(
    # It ends its stream without a word.
    too_long="the answer is empty; the prompt may be too long for the model's context",
    wrong_paths=("", "/v1/v1"),
    no_path="Not Found",
    abilities=LLAMA_CPP_PYTHON_ABILITIES,
)
LLAMA_SERVER: Final = RealServer(
    too_long="it refused the request with status 400: ",
    wrong_paths=("/v1/v1",),
    no_path="File Not Found",
    abilities=ServerAbilities(
        raw_completions=True,
        logprobs=True,
        grammar=True,
        json_schema=True,
        # The chat template of the embedded model has no tools.
        named_choice=False,
        required_choice=False,
        chat_grammar=True,
    ),
)


@pytest.fixture(
    scope="module", params=[LLAMA_CPP_PYTHON, LLAMA_SERVER], ids=["llama-cpp-python", "llama-server"]
)
def served(request: pytest.FixtureRequest) -> Iterator[tuple[str, RealServer]]:
    """The base URL of a running server, and what it does. One runs at a time."""
    software: RealServer = request.param
    running = llama_server(api_key=KEY) if software is LLAMA_SERVER else real_server(api_key=KEY)
    with running as address:
        yield address, software


@pytest.fixture(scope="module")
def url(served: tuple[str, RealServer]) -> str:
    return served[0]


@pytest.fixture(scope="module")
def software(served: tuple[str, RealServer]) -> RealServer:
    return served[1]


def models_on(url: str, *, key: str = KEY, mode: Mode = Mode.CHAT) -> AllModels:
    server = Server(name="", base_url=url, key=Secret(key) if key else None, mode=mode, timeout_s=120.0)
    return models_for(default_server=server)


@pytest.fixture(scope="module")
def models(url: str) -> AllModels:
    """Models of a server that was not asked for anything yet."""
    return models_on(url)


def turn(
    models: AllModels,
    *,
    max_tokens: int = 48,
    choice: ToolChoice = ToolChoice(),
    tools: OfferedTools = NO_TOOLS,
    **options,
):
    sampling = Sampling(max_tokens=max_tokens, temperature=0.0)
    return outcome_of(models.engine(MODEL), choice=choice, sampling=sampling, tools=tools, **options)


def test_a_required_call_is_a_call_of_one_of_the_offered_tools(models: AllModels) -> None:
    """llama-cpp-python's server reads `required` as `auto`. Nobody asked the server before this turn."""
    outcome = turn(models, choice=REQUIRED, tools=TOOLS)
    assert outcome.startswith(("ran weather {", "ran now {")) and "choice-not-obeyed" not in outcome


def test_a_required_call_is_a_call_if_there_is_one_tool(models: AllModels) -> None:
    outcome = turn(models, choice=REQUIRED, tools=TOOLS.only(frozenset({"weather"})))
    assert outcome.startswith("ran weather {") and "choice-not-obeyed" not in outcome


def test_a_named_call_is_a_call_of_that_tool(models: AllModels) -> None:
    outcome = turn(models, choice=NAMED, tools=TOOLS)
    assert outcome.startswith("ran weather {") and "choice-not-obeyed" not in outcome


def test_the_model_is_listed_and_ready_and_it_is_known_what_the_server_can_do(
    models: AllModels, software: RealServer
) -> None:
    models.check(MODEL)
    assert models.ask_servers() == []
    assert MODEL in models.names()
    status = models.status(MODEL)
    assert status.is_loaded
    assert status.abilities == software.abilities


@pytest.mark.parametrize("mode", Mode)
def test_text(url: str, mode: Mode) -> None:
    question = Conversation(messages=(Message(role=Role.USER, text="What is the capital of France?"),))
    outcome = turn(models_on(url, mode=mode), conversation=question)
    assert outcome.startswith("prose ")
    # The small model says something else if a server computes it a little differently, or adds a system text.
    assert "Paris" in outcome or mode is Mode.CHAT
    assert outcome.endswith(("end answered", "end length"))


def test_cut_off_by_max_tokens(url: str) -> None:
    outcome = turn(models_on(url), max_tokens=2)
    assert outcome.startswith("prose ") and outcome.endswith("; end length")


@pytest.mark.parametrize("mode", Mode)
def test_the_prompt_is_too_long(url: str, mode: Mode, software: RealServer) -> None:
    outcome = turn(models_on(url, mode=mode), conversation=LONG)
    assert outcome.startswith(f"error SERVER: {software.too_long}")


@pytest.mark.parametrize(
    ("key", "problem"),
    [("", "it needs an API key, and none is set"), ("sk-wrong", "the API key was refused")],
)
def test_the_key_is_missing_or_wrong(url: str, key: str, problem: str) -> None:
    models = models_on(url, key=key)
    assert turn(models).startswith(f"error SERVER: {problem}: ")
    with pytest.raises(RemoteFailed, match=problem):
        models.check(MODEL)


def test_the_address_lacks_v1_or_has_it_twice(url: str, software: RealServer) -> None:
    for wrong in software.wrong_paths:
        base = url.removesuffix("/v1") + wrong
        models, remedy = models_on(base), f"(try the base URL {url})"
        outcome = f"error {base}: it has no path /chat/completions: {software.no_path} {remedy}"
        assert turn(models) == outcome.replace(base, "SERVER")
        with pytest.raises(RemoteFailed) as caught:
            models.check(MODEL)
        assert str(caught.value).endswith(f"it has no list of models at this address {remedy}")

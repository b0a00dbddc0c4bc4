"""The basic scenarios with a real server: llama-cpp-python's own, with the embedded model and an API key."""

from collections.abc import Iterator

import pytest

from tests.engines.remote.asking import KEY
from tests.engines.remote.real_server import real_server
from tests.engines.test_all_models import models_for
from tests.peers.outcome import TOOLS, outcome_of
from tests.peers.scenario import NAMED, REQUIRED
from workbench.chat.message import Conversation, Message, Role
from workbench.engines.all_models import AllModels
from workbench.engines.remote.server import Mode, Server
from workbench.errors import RemoteFailed
from workbench.rollout.ports import ToolChoice
from workbench.rollout.sampling import Sampling
from workbench.settings import Secret
from workbench.toolspec.spec import OfferedTools

pytestmark = [pytest.mark.model, pytest.mark.slow]

MODEL = "openai:hermes"
NO_TOOLS = OfferedTools(specs=())
LONG = Conversation(messages=(Message(role=Role.USER, text="word " * 4000),))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with real_server(api_key=KEY) as address:
        yield address


def models_on(url: str, *, key: str = KEY, mode: Mode = Mode.CHAT) -> AllModels:
    server = Server(name="", base_url=url, key=Secret(key) if key else None, mode=mode, timeout_s=120.0)
    return models_for(default_server=server)


@pytest.fixture(scope="module")
def checked(url: str) -> AllModels:
    """Models whose server was asked what it can do, as after choosing one on the page."""
    models = models_on(url)
    with pytest.MonkeyPatch.context() as patch:
        # A loaded machine needs more than a few seconds for a token.
        patch.setattr("workbench.engines.remote.probes.PROBE_TIMEOUT_S", 240.0)
        models.check(MODEL)
    return models


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


def test_the_model_is_listed_and_ready(checked: AllModels) -> None:
    assert checked.ask_servers() == []
    assert MODEL in checked.names()
    assert checked.status(MODEL).is_loaded


@pytest.mark.parametrize("mode", Mode)
def test_text(url: str, mode: Mode) -> None:
    question = Conversation(messages=(Message(role=Role.USER, text="What is the capital of France?"),))
    outcome = turn(models_on(url, mode=mode), conversation=question)
    assert outcome.startswith("prose ") and "Paris" in outcome
    assert outcome.endswith(("end answered", "end length"))


def test_cut_off_by_max_tokens(url: str) -> None:
    outcome = turn(models_on(url), max_tokens=2)
    assert outcome.startswith("prose ") and outcome.endswith("; end length")


def test_a_named_call_is_a_call_of_that_tool(checked: AllModels) -> None:
    outcome = turn(checked, choice=NAMED, tools=TOOLS)
    assert outcome.startswith("ran weather {") and "choice-not-obeyed" not in outcome


def test_a_required_call_is_a_call_if_there_is_one_tool(checked: AllModels) -> None:
    """This server reads `required` as `auto`, so with several tools its answer may be text."""
    outcome = turn(checked, choice=REQUIRED, tools=TOOLS.only(frozenset({"weather"})))
    assert outcome.startswith("ran weather {") and "choice-not-obeyed" not in outcome


@pytest.mark.parametrize("mode", Mode)
def test_the_prompt_is_too_long(url: str, mode: Mode) -> None:
    """This server ends its stream without a word."""
    outcome = turn(models_on(url, mode=mode), conversation=LONG)
    assert outcome == "error SERVER: the answer is empty; the prompt may be too long for the model's context"


@pytest.mark.parametrize(
    ("key", "problem"),
    [("", "it needs an API key, and none is set"), ("sk-wrong", "the API key was refused")],
)
def test_the_key_is_missing_or_wrong(url: str, key: str, problem: str) -> None:
    models = models_on(url, key=key)
    assert turn(models).startswith(f"error SERVER: {problem}: ")
    with pytest.raises(RemoteFailed, match=problem):
        models.check(MODEL)


@pytest.mark.parametrize("wrong", ["", "/v1/v1"])
def test_the_address_lacks_v1_or_has_it_twice(url: str, wrong: str) -> None:
    models, remedy = models_on(url.removesuffix("/v1") + wrong), f"(try the base URL {url})"
    assert turn(models) == f"error SERVER: it has no path /chat/completions: Not Found {remedy}"
    with pytest.raises(RemoteFailed) as caught:
        models.check(MODEL)
    assert str(caught.value).endswith(f"it has no list of models at this address {remedy}")

"""What choosing a model finds out: each scenario with each server's way of writing its list of models."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import pytest

from tests.engines.remote.scripted_server import Answer, RecordedRequest, scripted_server
from tests.engines.test_all_models import models_for
from tests.peers.wire import WIRES, Wire, document_of, models
from workbench.engines.remote.server import Server, ServerKind
from workbench.errors import RemoteFailed
from workbench.settings import Secret

OWNERS: Final = {
    "vllm": "vllm", "sglang": "sglang", "llama-server": "llamacpp", "ollama": "library", "openai": "system",
}  # fmt: skip
KEY: Final = "sk-right"
SET_KEY: Final = " (set WORKBENCH_OPENAI_API_KEY and restart)"
BASE_URL: Final = " (check the base URL, which should end with /v1)"
READY: Final = "ready"


class ListScenario(NamedTuple):
    """What a server answers to `/v1/models`, and what choosing `hermes` says."""

    name: str
    answer: Callable[[Wire], Answer]
    outcome: str | Mapping[str, str]
    """By name of the wire if it differs; the key "" is for the others."""
    key: str = KEY


def listing(wire: Wire, *names: str) -> Answer:
    return models(names, OWNERS[wire.name])


NO_SUCH_MODEL: Final = "SERVER: there is no model 'hermes' (its models are: a, b, c, d, e and 1 more)"
SCENARIOS: Final = (
    ListScenario("one model", lambda w: listing(w, "hermes"), READY),
    ListScenario("several models", lambda w: listing(w, "other", "hermes"), READY),
    ListScenario("only other models", lambda w: listing(w, *"abcdef"), {"llama-server": READY, "": NO_SUCH_MODEL}),
    ListScenario("the model with a tag", lambda w: listing(w, "hermes:latest"), READY),
    ListScenario("no models", listing, READY),
    ListScenario("no list", lambda w: w.refuse(404, "Not Found"),
                 "SERVER: it has no list of models at this address" + BASE_URL),
    ListScenario("something else", lambda _: document_of({"status": "ok"}),
                 "SERVER: the answer is not a list of models; check the base URL, which should end with /v1"),
    ListScenario("a page", lambda _: Answer(headers={"Content-Type": "text/html"}, pieces=(b"<html></html>",)),
                 "SERVER: the answer is not a list of models; check the base URL, which should end with /v1"),
    ListScenario("the key is missing", lambda w: w.refuse(401, "Invalid API Key"),
                 {"vllm": "SERVER: it needs an API key, and none is set: Unauthorized" + SET_KEY,
                  "sglang": "SERVER: it needs an API key, and none is set: Unauthorized" + SET_KEY,
                  "": "SERVER: it needs an API key, and none is set: Invalid API Key" + SET_KEY}, key=""),
    ListScenario("the key is wrong", lambda w: w.refuse(401, "Invalid API Key"),
                 {"vllm": "SERVER: the API key was refused: Unauthorized" + SET_KEY,
                  "sglang": "SERVER: the API key was refused: Unauthorized" + SET_KEY,
                  "": "SERVER: the API key was refused: Invalid API Key" + SET_KEY}),
    ListScenario("the server fails", lambda w: w.refuse(503, "Loading model"),
                 "SERVER: it failed with status 503: Loading model"),
    ListScenario("the connection is cut", lambda _: Answer(pieces=(None,)),
                 "SERVER: no answer: peer closed connection without sending complete message body (incomplete chunked "
                 "read) (check that the server is running and its address is right)"),
    ListScenario("a redirect to another host",
                 lambda _: Answer(status=307, headers={"Location": "http://127.0.0.1:9/v1/models"}),
                 "SERVER: it redirects to another host, http://127.0.0.1:9; nothing was sent there"),
)  # fmt: skip


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_choosing_a_model_says_what_the_table_says(scenario: ListScenario, wire: Wire) -> None:
    def answer(request: RecordedRequest) -> Answer:
        # Requests that find out what the server can do are not refused, but they show nothing either.
        return scenario.answer(wire) if request.path.endswith("/models") else document_of({"choices": []})

    with scripted_server(answer) as served:
        key = Secret(scenario.key) if scenario.key else None
        server = Server(name="", base_url=served.url, key=key, kind=ServerKind(wire.name))
        chosen = models_for(default_server=server)
        try:
            chosen.check("openai:hermes")
            outcome = READY if chosen.status("openai:hermes").is_loaded else "not ready"
        except RemoteFailed as error:
            outcome = str(error).replace(served.url, "SERVER")
    expected = scenario.outcome
    assert outcome == (expected if isinstance(expected, str) else expected.get(wire.name, expected.get("")))

"""The models of servers: listed without waiting, and checked when one is chosen."""

import json

import pytest

from tests.engines.remote.asking import ask
from tests.engines.remote.scripted_server import Answer, RecordedRequest, refused, said, scripted_server
from tests.engines.test_all_models import models_for
from workbench.engines.remote.server import Server, ServerKind
from workbench.engines.remote.transport.model_lists import (
    FRESH_S,
    ListedModel,
    ServerList,
    ServerLists,
    parse_list,
)
from workbench.errors import BadInput, RemoteFailed
from workbench.settings import Secret

KEY = Secret("sk-right")


def listing(*names: str, owner: str = "vllm", **fields: object) -> Answer:
    entries = [{"id": name, "object": "model", "created": 1, "owned_by": owner, **fields} for name in names]
    body = json.dumps({"object": "list", "data": entries}).encode()
    return Answer(headers={"Content-Type": "application/json"}, pieces=(body,))


def with_key(*names: str):
    """A server that wants the key for its list and for completions."""

    def answer(request: RecordedRequest) -> Answer:
        headers = {name.lower(): value for name, value in request.headers.items()}
        if headers.get("authorization") != f"Bearer {KEY.reveal()}":
            return refused(401, "invalid key")
        return listing(*names) if request.path.endswith("/models") else said("Noon.")

    return answer


def test_the_models_of_all_servers_are_listed_once_they_were_asked():
    with scripted_server(listing("org/a", "b")) as one, scripted_server(listing("b")) as two:
        models = models_for(
            default_server=Server(name="", base_url=one.url),
            servers={"lab": Server(name="lab", base_url=two.url, models=("mine",))},
        )
        assert [name for name in models.names() if name.startswith("openai:")] == ["openai:lab/mine"]
        assert one.requests == two.requests == []
        assert models.ask_servers() == []
        names = [name for name in models.names() if name.startswith("openai:")]
        assert names == ["openai:lab/mine", "openai:org/a", "openai:b", "openai:lab/b"]
        models.ask_servers()
        assert (len(one.requests), len(two.requests)) == (1, 1)
        assert one.requests[0].path == "/v1/models"


def test_a_server_that_does_not_answer_is_a_problem_and_hides_no_other(monkeypatch):
    monkeypatch.setattr("workbench.engines.remote.transport.model_lists.ASK_TIMEOUT_S", 0.3)
    slow = Answer(pieces=(20.0,))
    with scripted_server(listing("a")) as one, scripted_server(slow) as two:
        models = models_for(
            default_server=Server(name="", base_url=one.url),
            servers={"lab": Server(name="lab", base_url=two.url)},
        )
        (problem,) = models.ask_servers()
        assert two.url in problem and "no data for 0.3 s" in problem
        assert "openai:a" in models.names()


def test_a_list_that_was_known_stays_known_if_the_server_stops_answering():
    clock = iter([0.0, 2 * FRESH_S, 2 * FRESH_S, 2 * FRESH_S])
    with scripted_server(listing("a"), refused(503, "loading")) as server:
        lists, lab = ServerLists(clock=lambda: next(clock)), Server(name="", base_url=server.url)
        assert lists.ask_all([lab]) == {}
        assert lists.accepts(lab, "a")
        assert "loading" in str(lists.ask_all([lab])[""])
        assert lists.known(lab).names == ("a",)
        assert not lists.accepts(lab, "a")


def test_a_model_is_ready_only_after_its_server_was_contacted():
    with scripted_server(with_key("hermes")) as server:
        models = models_for(default_server=Server(name="", base_url=server.url, key=KEY))
        models.engine("openai:hermes")
        status = models.status("openai:hermes")
        assert (status.is_remote, status.is_loaded) == (True, False)
        models.check("openai:hermes")
        assert models.status("openai:hermes").is_loaded


def test_an_answer_is_contact_too():
    with scripted_server(said("Noon.")) as server:
        models = models_for(default_server=Server(name="", base_url=server.url))
        ask(models.engine("openai:hermes"))
        assert models.status("openai:hermes").is_loaded


@pytest.mark.parametrize(
    ("name", "key", "words"),
    [
        ("openai:hermes", Secret("sk-wrong"), "the API key was refused"),
        ("openai:hermes", None, "it needs an API key"),
        ("openai:nope", KEY, "there is no model 'nope' .*its models are: hermes, other"),
    ],
)
def test_a_wrong_key_or_model_is_found_when_it_is_chosen(name, key, words):
    with scripted_server(with_key("hermes", "other")) as server:
        models = models_for(default_server=Server(name="", base_url=server.url, key=key))
        with pytest.raises(RemoteFailed, match=words):
            models.check(name)
        assert not models.status(name).is_loaded


@pytest.mark.parametrize(
    ("path", "remedy"),
    [
        ("/v1", "check the base URL, which should end with /v1"),
        ("", "try the base URL {origin}/v1"),
        ("/v1/v1", "try the base URL {origin}/v1"),
        ("/v1/models", "try the base URL {origin}/v1"),
    ],
)
def test_a_wrong_address_is_found_when_it_is_chosen(path, remedy):
    with scripted_server(refused(404, "Not Found")) as server:
        origin = server.url.removesuffix("/v1")
        models = models_for(default_server=Server(name="", base_url=origin + path))
        with pytest.raises(RemoteFailed) as caught:
            models.check("openai:hermes")
    words = f"it has no list of models at this address ({remedy.format(origin=origin)})"
    assert str(caught.value) == f"{origin}{path}: {words}"


@pytest.mark.parametrize(
    ("owner", "kind", "name"),
    [("llamacpp", ServerKind.OPENAI, "any"), ("x", ServerKind.LLAMA_SERVER, "any"), ("library", ServerKind.OLLAMA, "a")],
)  # fmt: skip
def test_servers_that_accept_other_names_are_not_refused(owner, kind, name):
    with scripted_server(listing("a:latest", owner=owner)) as server:
        models = models_for(default_server=Server(name="", base_url=server.url, kind=kind))
        models.check(f"openai:{name}")
        assert models.status(f"openai:{name}").is_loaded


def test_other_models_are_not_checked():
    models = models_for(default="embedded")
    for name in ("embedded", "scripted:demo", "hf-inference:o/m", "openai:a"):
        models.check(name)


def test_visitors_cannot_use_a_model_only_because_the_server_lists_it():
    """Its owner pays for requests with the key."""
    with scripted_server(with_key("dear", "cheap")) as server:
        lab = Server(name="lab", base_url=server.url, key=KEY, models=("cheap",))
        models = models_for(servers={"lab": lab})
        models.ask_servers()
        assert "openai:lab/dear" in models.names()
        visitors = models.with_paths(is_permitted=False)
        assert [name for name in visitors.names() if name.startswith("openai:")] == ["openai:lab/cheap"]
        with pytest.raises(BadInput):
            visitors.engine("openai:lab/dear")


@pytest.mark.parametrize(
    ("fields", "software", "context"),
    [
        ({"owned_by": "vllm", "max_model_len": 8192}, ServerKind.VLLM, 8192),
        ({"owned_by": "sglang", "max_model_len": 4096}, ServerKind.SGLANG, 4096),
        ({"owned_by": "llamacpp", "meta": {"n_ctx_train": 131072}}, ServerKind.LLAMA_SERVER, 0),
        ({"owned_by": "llamacpp", "meta": {"n_ctx": 2048}}, ServerKind.LLAMA_SERVER, 2048),
        ({"owned_by": "library"}, ServerKind.OLLAMA, 0),
        ({"owned_by": "organization_owner"}, ServerKind.LM_STUDIO, 0),
        ({"owned_by": "me", "permissions": []}, None, 0),
        ({"owned_by": "openai", "max_model_len": "many"}, None, 0),
        ({"owned_by": None, "max_model_len": -1}, None, 0),
        ({}, None, 0),
    ],
)
def test_a_server_is_recognized_by_its_list(fields, software, context):
    listed = parse_list({"object": "list", "data": [{"id": "m", **fields}]})
    assert listed == ServerList(models=(ListedModel(name="m", context_tokens=context),), software=software)


@pytest.mark.parametrize("value", [None, [], {"data": {}}, {"models": []}, "x"])
def test_something_else_is_not_a_list(value):
    assert parse_list(value) is None

"""A model that is asked with the server's key can be named by a stranger only if the server offers it."""

import pytest

from workbench.engines.all_models import AllModels, EngineSources
from workbench.engines.llama_loading import LoadOptions
from workbench.engines.models import LocalModels
from workbench.engines.remote.server import Server
from workbench.errors import BadInput
from workbench.settings import Secret

KEY = Secret("sk-of-the-server")
PLACES = EngineSources(
    servers={
        "paid": Server(name="paid", base_url="http://127.0.0.1:9/v1", key=KEY, models=("small",)),
        "free": Server(name="free", base_url="http://127.0.0.1:9/v1", models=("small",)),
    },
    default_server=Server(name="", base_url="http://127.0.0.1:9/v1", key=KEY),
)


@pytest.fixture
def models() -> AllModels:
    local = LocalModels(
        loading=LoadOptions(context_tokens=0, threads=1, gpu_layers=0), find_cached=lambda _: None
    )
    return AllModels(local=local, default="openai:shown", sources=PLACES)


@pytest.mark.parametrize(
    "name",
    [
        "openai:huge",
        "openai:paid/huge",
        "openai:paid/",
        "openai:paid/small ",
        "openai:shown/",
        "openai:unknown/x",
        "openai:",
    ],
)
def test_a_stranger_cannot_spend_the_server_s_key(models: AllModels, name: str) -> None:
    with pytest.raises(BadInput, match="there is no such model here"):
        models.with_paths(is_permitted=False).engine(name)
    assert not models.with_paths(is_permitted=False).status(name).device


@pytest.mark.parametrize(
    "name", ["openai:shown", "openai:paid/small", "openai:free/small", "openai:free/huge"]
)
def test_offered_and_free_models_can_be_used(models: AllModels, name: str) -> None:
    assert models.with_paths(is_permitted=False).engine(name).name == name


@pytest.mark.parametrize("name", ["openai:huge", "openai:paid/huge"])
def test_people_who_may_open_files_can_use_any_model(models: AllModels, name: str) -> None:
    assert models.with_paths(is_permitted=True).engine(name).name == name

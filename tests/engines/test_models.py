"""One local model at a time."""

from dataclasses import replace

import pytest

from workbench.engines.known_models import find_embedded
from workbench.engines.llama_loading import LoadOptions
from workbench.engines.models import LocalModels
from workbench.errors import EngineError, ModelMissing

pytestmark = pytest.mark.model
LOADING = LoadOptions(context_tokens=256, threads=1, gpu_layers=0)


@pytest.fixture
def models():
    models = LocalModels(loading=LOADING, find_cached=lambda name: None)
    yield models
    models.close()


def test_another_model_frees_the_first(models):
    first = models.engine("embedded")
    assert models.engine("embedded") is first
    second = models.engine(str(find_embedded()))
    with pytest.raises(EngineError, match="unloaded to load another"):
        first.count_tokens("x")
    assert second.count_tokens("x") == 1
    assert not models.status("embedded").is_loaded


def test_a_name_that_is_not_there_frees_nothing(models):
    engine = models.engine("embedded")
    with pytest.raises(ModelMissing):
        models.engine("/nowhere.gguf")
    assert engine.count_tokens("x") == 1


def test_the_status_tells_device_layers_and_build(models):
    models.engine("embedded")
    status = models.status("embedded")
    assert status.device == "CPU, 30 layers, 1 threads"
    assert "0.3" in status.build


def test_adapters_change_the_fingerprint(models):
    from workbench.engines.llama_cpp import fingerprint_of
    from workbench.engines.llama_loading import LoraAdapter

    path = find_embedded()
    with_adapter = replace(LOADING, lora=(LoraAdapter(path=path, scale=0.5),))
    assert fingerprint_of(path, with_adapter) != fingerprint_of(path, LOADING) == fingerprint_of(path)

"""Local models that are loaded together."""

import shutil
from dataclasses import replace
from threading import Thread

import pytest

from tests.waiting import await_until
from workbench.engines.embedded_model import find_embedded
from workbench.engines.gguf_files.vetting import GgufVetting
from workbench.engines.llama_cpp import load_llama_cpp
from workbench.engines.llama_loading import LoadOptions
from workbench.engines.model_memory import memory_of
from workbench.engines.models import LocalModels
from workbench.errors import ModelMissing
from workbench.rollout.ports import GenerationRequest
from workbench.rollout.sampling import Sampling

pytestmark = pytest.mark.model
REQUEST = GenerationRequest(prompt="Once upon a time", sampling=Sampling(max_tokens=12, temperature=0))
LOADING = LoadOptions(context_tokens=256, threads=1, gpu_layers=0)


@pytest.fixture
def models():
    models = LocalModels(loading=LOADING, find_cached=lambda name: None)
    yield models
    models.close()


@pytest.fixture
def small_models(tmp_path):
    """Room for two models of three, and the names of three copies of the embedded one."""
    names = []
    for number in range(3):
        copy = tmp_path / f"model-{number}.gguf"
        shutil.copy(find_embedded(), copy)
        names.append(str(copy))
    memory = memory_of(tmp_path / "model-0.gguf", LOADING)
    budget_bytes = int(2.5 * (memory.weights_bytes + memory.context_bytes))
    models = LocalModels(loading=LOADING, find_cached=lambda name: None, budget_bytes=budget_bytes)
    yield models, names
    models.close()


def test_models_that_fit_stay_loaded_and_share_the_weights_of_their_file(models):
    first = models.engine("embedded")
    assert models.engine("embedded") is first
    second = models.engine(str(find_embedded()))
    assert second is not first
    assert models.status("embedded").is_loaded
    weights = {id(engine._loaded.binding._weights) for engine in (first, second)}
    assert len(weights) == 1
    assert first.count_tokens("x") == second.count_tokens("x") == 1


def test_the_least_recently_used_idle_model_makes_room_and_loads_itself_again(small_models):
    models, (one, two, three) = small_models
    first, second = models.engine(one), models.engine(two)
    models.engine(one)
    third = models.engine(three)
    assert [engine.is_loaded for engine in (first, second, third)] == [True, False, True]
    assert second.count_tokens("x") == 1
    assert second.is_loaded and models.engine(two) is second
    assert "".join(delta.text for delta in second.generate(REQUEST, is_cancelled=lambda: False)).strip()


def test_a_model_that_is_in_use_is_never_unloaded_and_the_other_request_waits(small_models):
    models, (one, two, three) = small_models
    first, second = models.engine(one), models.engine(two)
    in_use = [engine.generate(REQUEST, is_cancelled=lambda: False) for engine in (first, second)]
    for deltas in in_use:
        next(deltas)
    opened = []
    waiting = Thread(target=lambda: opened.append(models.engine(three)))
    waiting.start()
    waiting.join(timeout=0.5)
    assert waiting.is_alive() and first.is_loaded and second.is_loaded
    assert "".join(delta.text for delta in in_use[0])
    waiting.join(timeout=60)
    assert [engine.is_loaded for engine in (first, second, *opened)] == [False, True, True]
    assert "".join(delta.text for delta in in_use[1])


def test_a_model_that_has_no_room_loads_when_its_request_is_served(small_models):
    models, (one, two, three) = small_models
    first, second, third = (models.engine(name) for name in (one, two, three))
    assert not first.is_loaded
    in_use = [engine.generate(REQUEST, is_cancelled=lambda: False) for engine in (second, third)]
    for deltas in in_use:
        next(deltas)
    # Not here, where nobody sees it and nobody can stop it, but in the queue before its completion.
    opened = []
    asking = Thread(target=lambda: opened.append(models.engine(one)), daemon=True)
    asking.start()
    asking.join(timeout=10)
    assert opened == [first] and not first.is_loaded
    for deltas in in_use:
        assert "".join(delta.text for delta in deltas)
    assert "".join(delta.text for delta in first.generate(REQUEST, is_cancelled=lambda: False)).strip()
    assert first.is_loaded


def test_requests_that_relieve_each_other_do_not_keep_another_model_waiting_for_ever(small_models):
    models, (one, two, _) = small_models
    models.loading = replace(LOADING, side_by_side=2)
    models._budget_bytes = 1
    first = models.engine(one)
    started = first.generate(REQUEST, is_cancelled=lambda: False)
    next(started)
    opening = Thread(target=lambda: models.engine(two), daemon=True)
    opening.start()
    await_until(lambda: not models._waiting.is_empty)
    # There is a sequence for it, but it rests until the other model was opened, and then waits for it.
    second = first.generate(REQUEST, is_cancelled=lambda: False)
    assert next(second).queue_position == 1
    assert "".join(delta.text for delta in started)
    opening.join(timeout=60)
    assert not first.is_loaded
    assert "".join(delta.text for delta in second)
    assert first.is_loaded


def test_models_that_wait_for_memory_are_opened_in_the_order_in_which_they_were_asked_for(
    small_models, monkeypatch
):
    models, names = small_models
    models._budget_bytes = 1
    loaded = []

    def load(path, *, name, **options):
        loaded.append(name)
        return load_llama_cpp(path, name=name, **options)

    monkeypatch.setattr("workbench.engines.models.load_llama_cpp", load)
    in_use = models.engine(names[0]).generate(REQUEST, is_cancelled=lambda: False)
    next(in_use)
    opened = {}
    waiting = [
        Thread(target=lambda name=name: opened.update({name: models.engine(name)})) for name in names[1:]
    ]
    for place, thread in enumerate(waiting, start=1):
        thread.start()
        await_until(lambda place=place: len(models._waiting._tickets) == place)
    assert opened == {}
    assert "".join(delta.text for delta in in_use)
    for thread in waiting:
        thread.join(timeout=60)
    assert loaded[-2:] == list(names[1:])
    # There is room for one model. It is the first one if its thread only then sees that it was unloaded for the other.
    assert sorted(opened[name].is_loaded for name in names[1:]) == [False, True]


def test_a_file_that_is_opened_for_the_first_time_keeps_to_the_budget_too(small_models, tmp_path):
    fitting, (one, two, three) = small_models
    vetting = GgufVetting(memory=tmp_path / "opened.json", try_files=lambda files: None)
    models = LocalModels(
        loading=LOADING, find_cached=lambda name: None, vetting=vetting, budget_bytes=fitting._budget_bytes
    )
    engines = [models.engine(name) for name in (one, two, three)]
    assert [engine.is_loaded for engine in engines] == [False, True, True]
    models.close()


def test_a_model_that_is_bigger_than_the_budget_is_loaded_alone():
    models = LocalModels(loading=LOADING, find_cached=lambda name: None, budget_bytes=1)
    first = models.engine("embedded")
    second = models.engine(str(find_embedded()))
    assert second.is_loaded and not first.is_loaded
    models.close()


def test_the_estimate_of_a_model_counts_its_file_and_its_context():
    path = find_embedded()
    small, large = (memory_of(path, replace(LOADING, context_tokens=tokens)) for tokens in (256, 2048))
    assert small.weights_bytes == large.weights_bytes == path.stat().st_size
    # SmolLM2-135M: 30 layers, 3 heads of 64 for keys and for values, 2 bytes each.
    assert large.context_bytes - small.context_bytes == (2048 - 256) * 30 * 3 * 128 * 2


def test_threads_that_switch_between_models_all_get_answers(small_models):
    models, names = small_models
    answers = []

    def ask(number):
        engine = models.engine(names[number % 3])
        answers.append("".join(delta.text for delta in engine.generate(REQUEST, is_cancelled=lambda: False)))

    threads = [Thread(target=ask, args=(number,)) for number in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert len(answers) == 9 and all(answers)


def test_a_missing_model_unloads_nothing(models):
    engine = models.engine("embedded")
    with pytest.raises(ModelMissing):
        models.engine("/nowhere.gguf")
    assert engine.count_tokens("x") == 1


def test_the_status_has_device_layers_and_build(models):
    models.engine("embedded")
    status = models.status("embedded")
    assert status.device == "CPU, 30 layers, 1 thread"
    assert "0.3" in status.build


def test_adapters_change_the_fingerprint(models):
    from workbench.engines.llama_cpp import fingerprint_of
    from workbench.engines.llama_loading import LoraAdapter

    path = find_embedded()
    with_adapter = replace(LOADING, lora=(LoraAdapter(path=path, scale=0.5),))
    assert fingerprint_of(path, with_adapter) != fingerprint_of(path, LOADING) == fingerprint_of(path)

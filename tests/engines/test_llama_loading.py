"""llama.cpp loads a model with other options and with adapters, reports what it cannot load, and closes it."""

from dataclasses import replace
from pathlib import Path
from queue import Queue
from threading import Event, Thread

import pytest

from tests.bench.random_model import write_adapter
from tests.engines.embedded_requests import CHAT, LOADING, ask
from workbench.engines.embedded_model import find_embedded
from workbench.engines.llama_cpp import load_llama_cpp
from workbench.engines.llama_loading import LoadOptions, LoraAdapter, describe_build
from workbench.errors import EngineError, ModelMissing
from workbench.rollout.ports import FinishReason, GenerationRequest
from workbench.rollout.sampling import Sampling

pytestmark = [pytest.mark.model, pytest.mark.slow]


def test_all_requests_are_evaluated_in_the_same_thread():
    engine = load_llama_cpp(find_embedded(), name="embedded", loading=replace(LOADING, threads=2))
    tasks, go_on = Path("/proc/self/task"), Event()
    if not tasks.is_dir():
        pytest.skip("the system does not list threads under /proc/self/task")
    ask(engine, CHAT.format("Say hello."))
    answered, before = Queue(), len(list(tasks.iterdir()))

    def run():
        answered.put(ask(engine, CHAT.format("Say hello."))[0])
        go_on.wait(timeout=600)

    threads = [Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    answers = {answered.get(timeout=600) for _ in threads}
    after = len(list(tasks.iterdir()))
    go_on.set()
    for thread in threads:
        thread.join(timeout=60)
    engine.close()
    assert len(answers) == 1
    # OpenMP would create a team for each of them. Threads of earlier tests may end meanwhile.
    assert after - before <= len(threads)


def test_a_file_that_is_not_gguf_is_reported(tmp_path):
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"no model")
    with pytest.raises(EngineError, match=r"cannot load .*broken\.gguf"):
        load_llama_cpp(path, name="broken", loading=LOADING)


def test_the_context_is_limited_to_what_the_model_was_trained_with():
    loading = LoadOptions(context_tokens=1_000_000, threads=1, gpu_layers=0)
    engine = load_llama_cpp(find_embedded(), name="embedded", loading=loading)
    assert engine.context_tokens == 8192
    engine.close()


def test_the_build_is_described():
    assert "0.3" in describe_build()


def test_saved_states_stay_within_their_limit():
    loading = LoadOptions(context_tokens=512, threads=1, gpu_layers=0, prefix_cache_bytes=3_000_000)
    engine = load_llama_cpp(find_embedded(), name="embedded", loading=loading)
    for number in range(6):
        ask(engine, CHAT.format(f"{number} Say a word that begins with a letter, any letter."), max_tokens=1)
        assert engine.saved_bytes <= 3_000_000
    engine.close()


def test_a_closed_model_reports_it_after_the_running_request_has_ended():
    engine = load_llama_cpp(find_embedded(), name="embedded", loading=LOADING)
    running = engine.generate(
        GenerationRequest(prompt=CHAT.format("Count."), sampling=Sampling(max_tokens=3)),
        is_cancelled=lambda: False,
    )
    next(running)
    closing = Thread(target=engine.close)
    closing.start()
    assert list(running)[-1].finish_reason is FinishReason.LENGTH
    closing.join(timeout=30)
    with pytest.raises(EngineError, match="is closed"):
        ask(engine, "x")
    with pytest.raises(EngineError, match="is closed"):
        engine.count_tokens("x")


def test_flash_attention_and_kv_types_can_be_set():
    loading = LoadOptions(context_tokens=256, threads=1, gpu_layers=0, flash_attention="on", kv_type="q8_0")
    engine = load_llama_cpp(find_embedded(), name="embedded", loading=loading)
    assert ask(engine, CHAT.format("Say hello."), max_tokens=3)[0].strip()
    engine.close()


def test_a_missing_or_invalid_adapter_is_reported(tmp_path):
    missing = LoraAdapter(path=tmp_path / "none.gguf")
    with pytest.raises(ModelMissing, match=r"none\.gguf"):
        load_llama_cpp(find_embedded(), name="e", loading=replace(LOADING, lora=(missing,)))
    missing.path.write_bytes(b"no adapter")
    with pytest.raises(EngineError, match=r"none\.gguf"):
        load_llama_cpp(find_embedded(), name="e", loading=replace(LOADING, lora=(missing,)))


def test_an_adapter_changes_the_logits_according_to_its_scale(tmp_path):
    write_adapter(tmp_path / "adapter.gguf", layers=30, width=576, inner=1536)

    def weights(*adapters):
        engine = load_llama_cpp(find_embedded(), name="e", loading=replace(LOADING, lora=adapters))
        scored = engine.completion_logprobs(
            CHAT.format("Say hello."), "Hello there.", is_cancelled=lambda: False
        )
        fingerprint = engine.fingerprint
        engine.close()
        return [token.logprob for token in scored], fingerprint

    bare, bare_print = weights()
    without, _ = weights(LoraAdapter(path=tmp_path / "adapter.gguf", scale=0.0))
    with_adapter, its_print = weights(LoraAdapter(path=tmp_path / "adapter.gguf"))
    assert without == pytest.approx(bare, abs=1e-4)
    assert max(abs(adapted - plain) for adapted, plain in zip(with_adapter, bare, strict=True)) > 0.1
    assert its_print != bare_print

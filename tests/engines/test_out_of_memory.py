"""A model that does not fit into memory: the message says how much is missing and what to set."""

import pytest

from tests.bench.random_model import HUNGRY, write_model
from workbench.engines.gguf_files.trial import open_in_child
from workbench.engines.llama_cpp import load_llama_cpp
from workbench.engines.llama_loading import LoadOptions, explain_errors
from workbench.errors import EngineError

LOADING = LoadOptions(context_tokens=0, threads=1, gpu_layers=-1)
SETTINGS = ("WORKBENCH_CONTEXT", "WORKBENCH_KV_TYPE=q8_0", "WORKBENCH_MODEL_MEMORY")


@pytest.mark.parametrize(
    ("logged", "size", "is_gpu"),
    [
        (
            "ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 1099511627776 "
            "alloc_tensor_range: failed to allocate CPU buffer of size 1099511627776 "
            "llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache",
            "1,048,576 MB",
            False,
        ),
        (
            "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 17179.50 MiB on device 0: cudaMalloc failed: "
            "out of memory alloc_tensor_range: failed to allocate CUDA0 buffer of size 18013945856 "
            "llama_model_load: error loading model: unable to allocate CUDA0 buffer",
            "17,180 MB",
            True,
        ),
        (
            "alloc_tensor_range: failed to allocate Vulkan0 buffer of size 4194304000 "
            "llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache",
            "4,000 MB",
            True,
        ),
        (
            "alloc_tensor_range: failed to allocate CUDA0 buffer of size 4294967296 "
            "llama_model_load: error loading model: unable to allocate CUDA0 buffer "
            "llama_model_load_from_file_impl: failed to load model",
            "4,096 MB",
            True,
        ),
        ("llama_model_load: error loading model: unable to allocate CUDA_Host buffer", "", False),
        ("graph_reserve: failed to allocate compute buffers", "", False),
        ("ggml_aligned_malloc: insufficient memory (attempted to allocate 12.00 MB)", "", False),
    ],
)
def test_missing_memory_is_explained_with_what_to_set(logged, size, is_gpu):
    explained = explain_errors(logged)
    assert explained.startswith(f"not enough memory{' on the GPU' if is_gpu else ''}")
    assert size in explained
    assert all(name in explained for name in SETTINGS)
    assert ("WORKBENCH_GPU_LAYERS" in explained) is is_gpu


@pytest.mark.parametrize(
    "logged", ["error loading model: unknown model architecture: 'x'", "invalid magic characters: '????'"]
)
def test_other_errors_stay_as_they_are(logged):
    assert explain_errors(logged) == logged


def test_an_error_without_a_reason_says_so():
    assert explain_errors("") == "no reason given"


@pytest.mark.model
@pytest.mark.slow
def test_a_context_that_does_not_fit_is_reported_and_the_process_goes_on(tmp_path):
    pytest.importorskip("tokenizers", reason="the extra train is not installed: make test EXTRAS=train")
    path = write_model(tmp_path / "hungry.gguf", HUNGRY)
    for load in (
        lambda: load_llama_cpp(path, name="hungry", loading=LOADING),
        lambda: open_in_child(path, LOADING, size_bytes=path.stat().st_size),
    ):
        with pytest.raises(
            EngineError,
            match=r"^llama\.cpp cannot load .*hungry\.gguf: not enough memory.* 1,048,576 MB .*WORKBENCH_CONTEXT",
        ):
            load()

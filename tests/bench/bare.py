"""llama.cpp without the workbench, in a process of its own, to compare speeds with.

In one process, each would take the time in which the other's threads wait without sleeping.
"""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import llama_cpp

_BATCH = 512


class Completed(NamedTuple):
    """One completion."""

    first_s: float
    """Seconds from the request to the first token."""
    rate: float
    """Tokens per second after the first one."""
    text: str


class BareLlama(NamedTuple):
    """A loaded model in another process. It evaluates no prefix again that its last prompt had."""

    process: ProcessPoolExecutor

    def binding(self, prompt: str, tokens: int) -> Completed:
        """Complete a prompt with `Llama.create_completion`, at temperature 0."""
        return self.process.submit(_by_the_binding, prompt, tokens).result()

    def functions(self, prompt: str, tokens: int) -> Completed:
        """Complete a prompt with a loop over llama.cpp's own functions, at temperature 0."""
        return self.process.submit(_by_functions, prompt, tokens).result()


@contextmanager
def bare_llama(path: Path, *, threads: int, context: int = 4096, gpu_layers: int = 0) -> Iterator[BareLlama]:
    """Load a model. `gpu_layers` is -1 for all; flash attention is used on a GPU, as in the workbench."""
    loading = (os.fspath(path), threads, context, gpu_layers)
    with ProcessPoolExecutor(1, get_context("spawn"), _load, loading) as process:
        yield BareLlama(process)


def _load(path: str, threads: int, context: int, gpu_layers: int) -> None:
    global _llama
    _llama = llama_cpp.Llama(
        path,
        n_ctx=context,
        n_threads=threads,
        n_threads_batch=threads,
        n_gpu_layers=gpu_layers,
        flash_attn=bool(gpu_layers) and llama_cpp.llama_supports_gpu_offload(),
        verbose=False,
    )


def _by_the_binding(prompt: str, tokens: int) -> Completed:
    started_s, times, text = time.perf_counter(), list[float](), ""
    for piece in _llama.create_completion(prompt, max_tokens=tokens, temperature=0, stream=True):
        times.append(time.perf_counter())
        text += piece["choices"][0]["text"]
    return Completed(times[0] - started_s, (len(times) - 1) / (times[-1] - times[0]), text)


def _by_functions(prompt: str, tokens: int) -> Completed:
    context = _llama.ctx
    _llama.reset()
    llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
    sampler = llama_cpp.llama_sampler_init_greedy()
    started_s, times, text = time.perf_counter(), list[float](), b""
    ids = _llama.tokenize(prompt.encode(), special=True)
    for start in range(0, len(ids), _BATCH):
        _decode(context, ids[start : start + _BATCH])
    for _ in range(tokens):
        token = llama_cpp.llama_sampler_sample(sampler, context, -1)
        times.append(time.perf_counter())
        text += _llama.detokenize([token])
        _decode(context, [token])
    llama_cpp.llama_sampler_free(sampler)
    return Completed(
        times[0] - started_s, (tokens - 1) / (times[-1] - times[0]), text.decode(errors="replace")
    )


def _decode(context: llama_cpp.llama_context_p, tokens: list[int]) -> None:
    array = (llama_cpp.llama_token * len(tokens))(*tokens)
    code = llama_cpp.llama_decode(context, llama_cpp.llama_batch_get_one(array, len(tokens)))
    assert code == 0, code

"""Weights that llama.cpp has loaded, shared by all contexts over the same file, and the thread that evaluates them."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple, TypeVar

import llama_cpp

from workbench.engines.evaluating_thread import EvaluatingThread
from workbench.engines.llama_loading import (
    LoadOptions,
    LoraAdapter,
    WeightsKey,
    explain_errors,
    llama_log,
    weights_key,
)
from workbench.errors import EngineError

Pointer = TypeVar("Pointer")


class LlamaWeights:
    """A loaded model without a context.

    Adapters belong to the weights: llama.cpp frees them with the model, and every context may use them.

    Raises:
        EngineError: The file is not a GGUF file, or llama.cpp cannot load it.
    """

    def __init__(self, path: Path, loading: LoadOptions) -> None:
        self._log = llama_log()
        self._open = ExitStack()
        self._adapters: dict[tuple[Path, int], object] = {}
        params = llama_cpp.llama_model_default_params()
        can_offload = llama_cpp.llama_supports_gpu_offload()
        params.n_gpu_layers = loading.gpu_layers if can_offload else 0
        self._log.begin()
        self.model = self.checked(llama_cpp.llama_model_load_from_file(os.fsencode(path), params), path)
        self._open.callback(llama_cpp.llama_model_free, self.model)
        try:
            self.vocabulary = self.checked(llama_cpp.llama_model_get_vocab(self.model), path)
        except EngineError:
            self.close()
            raise
        self.vocabulary_size = llama_cpp.llama_vocab_n_tokens(self.vocabulary)
        self.layers = llama_cpp.llama_model_n_layer(self.model)
        self.offloaded = self._log.offloaded
        """Layers on the GPU and all layers, such as `33/33`. Empty if llama.cpp did not say."""
        self.devices = tuple(self._log.devices)

    def adapter(self, adapter: LoraAdapter) -> object:
        """Return llama.cpp's pointer to an adapter, loaded once for each version of its file."""
        key = (adapter.path, adapter.path.stat().st_mtime_ns)
        if key not in self._adapters:
            pointer = llama_cpp.llama_adapter_lora_init(self.model, os.fsencode(adapter.path))
            self._adapters[key] = self.checked(pointer, adapter.path)
        return self._adapters[key]

    def checked(self, pointer: Pointer | None, path: Path) -> Pointer:
        """Return `pointer` if llama.cpp returned one.

        Raises:
            EngineError: It returned a null pointer. The message has what llama.cpp logged.
        """
        if not pointer:
            raise EngineError(f"llama.cpp cannot load {path}: {explain_errors(self._log.take())}")
        return pointer

    def close(self) -> None:
        """Free the memory of the weights and their adapters. No context may be left."""
        self._open.close()


class _Shared(NamedTuple):
    weights: LlamaWeights
    users: int


class SharedLlama:
    """What all contexts of this process share: the weights of each file, and one thread for all evaluations.

    Two contexts over one file, such as a model with and without an adapter, need its memory only once. And there is
    one thread for all of them, because each thread that gives llama.cpp work gets a team of OpenMP threads of its own
    (see `EvaluatingThread`).
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._weights: dict[WeightsKey, _Shared] = {}
        self._thread: EvaluatingThread | None = None

    def take(
        self, path: Path, loading: LoadOptions
    ) -> tuple[LlamaWeights, EvaluatingThread, Callable[[], None]]:
        """Return the weights of a file, the thread, and a function that gives both back. Load the weights if needed.

        Raises:
            EngineError: See `LlamaWeights`.
        """
        key = weights_key(path, loading)
        with self._lock:
            known = self._weights.get(key)
            weights = known.weights if known else LlamaWeights(path, loading)
            self._weights[key] = _Shared(weights, known.users + 1 if known else 1)
            if self._thread is None:
                self._thread = EvaluatingThread()
            return weights, self._thread, lambda: self._give_back(key)

    def _give_back(self, key: WeightsKey) -> None:
        with self._lock:
            shared = self._weights[key]
            if shared.users > 1:
                self._weights[key] = _Shared(shared.weights, shared.users - 1)
                return
            del self._weights[key]
            shared.weights.close()
            if not self._weights and self._thread is not None:
                self._thread.close()
                self._thread = None


SHARED: Final = SharedLlama()
"""One for the whole process, like llama.cpp's memory and threads."""

"""Models that run on this machine, by the names that `--model` accepts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Condition
from typing import TYPE_CHECKING, Final

from workbench.engines.adapters import BARE, NO_ADAPTERS, PLUS, AdapterFiles, place_of, split_name
from workbench.engines.embedded_model import CHOOSE_MODEL, EMBEDDED, REMEDY, find_embedded
from workbench.engines.fifo_lock import FifoLock
from workbench.engines.gguf_files.vetting import GgufVetting, ModelFiles
from workbench.engines.llama_cpp import LlamaCppEngine, load_binding, load_llama_cpp
from workbench.engines.llama_loading import (
    LoadOptions,
    LoraAdapter,
    describe_build,
    fingerprint_of,
    weights_key,
)
from workbench.engines.model_memory import ModelMemory, default_budget_bytes, memory_of
from workbench.errors import ModelMissing
from workbench.rollout.models import ModelStatus
from workbench.rollout.ports import Engine

if TYPE_CHECKING:
    from workbench.engines.llama_binding import Binding

HUB: Final = "hf:"
LOOK_EVERY_S: Final = 0.2
"""How often a request that waits for memory tries again."""


@dataclass(slots=True)
class _OpenedModel:
    """A model that was opened, loaded or not."""

    engine: LlamaCppEngine
    files: ModelFiles
    memory: ModelMemory


class LocalModels:
    """Keeps models loaded while they fit a memory budget.

    If another one is asked for and does not fit, the least recently used model that nobody is using is unloaded.
    If all others are in use, it is loaded when its request is served; only a model that was never loaded is waited
    for, in the order of the requests. A model that is bigger than the budget is loaded alone.
    """

    def __init__(
        self,
        *,
        loading: LoadOptions,
        find_cached: Callable[[str], Path | None],
        adapters: AdapterFiles = NO_ADAPTERS,
        vetting: GgufVetting | None = None,
        budget_bytes: int = 0,
    ) -> None:
        """Load nothing yet.

        Args:
            find_cached: Returns the path of a model of the hub in the local cache, or None if it is not there.
            adapters: Finds the adapter for a name after `+`, and the default adapter of the embedded model.
            vetting: Checks files that are opened for the first time. None to check nothing.
            budget_bytes: Memory for all models together. 0 uses three quarters of this machine's memory.
        """
        self._vetting = vetting
        self.loading = loading
        self._find_cached = find_cached
        self._adapters = adapters
        self._budget_bytes = budget_bytes or default_budget_bytes()
        self._opened: dict[str, _OpenedModel] = {}
        """Every model that was opened, the least recently used first, whether it is loaded now or not."""
        self._lock = Condition()
        self._waiting = FifoLock()
        """Requests that wait for memory."""

    def names(self) -> Sequence[str]:
        """Return the names of the embedded model, if it is installed: alone, without adapter, and with each adapter."""
        if not find_embedded():
            return ()
        adapted = [adapter.model for adapter in self._adapters.available()]
        bare = (f"{EMBEDDED}{PLUS}{BARE}",) if self._calls_freely(EMBEDDED) else ()
        return tuple(dict.fromkeys((EMBEDDED, *bare, *adapted)))

    def engine(self, name: str) -> Engine:
        """Return the engine for a name; see `workbench.rollout.models.Models`.

        It is loaded, unless the memory is taken by models that are in use. Then it loads itself for the next request,
        which waits in the queue, where its place is shown and it can be stopped.
        """
        opened = self._opened.get(name) or self._open(name)
        if self._has_room(name, opened):
            # Not inside our lock, because it takes the engine's lock first and then ours.
            opened.engine.load()
        self._mark_used(name)
        return opened.engine

    def status(self, name: str) -> ModelStatus:
        """Return the status of a model without loading it."""
        opened = self._opened.get(name)
        calls_freely = self._calls_freely(name)
        if opened is None or not opened.engine.is_loaded:
            return ModelStatus(name=name, device="", is_loaded=False, calls_freely=calls_freely)
        return ModelStatus(
            name=name,
            device=opened.engine.device,
            is_loaded=True,
            build=describe_build(),
            calls_freely=calls_freely,
        )

    def loading_of(self, name: str) -> LoadOptions:
        """Return the options for loading a model.

        Raises:
            BadInput: The adapter in its name does not exist.
        """
        base, adapter = split_name(name)
        if adapter == BARE:
            return replace(self.loading, lora=())
        if adapter:
            return replace(self.loading, lora=(LoraAdapter(path=self._adapters.file(adapter)),))
        if base != EMBEDDED or self.loading.lora or self._adapters.shipped is None:
            return self.loading
        return replace(self.loading, lora=(LoraAdapter(path=self._adapters.shipped),))

    def _calls_freely(self, name: str) -> bool:
        """Return whether the model calls tools without a forced call. The embedded model needs an adapter for that."""
        base, adapter = split_name(name)
        has_adapter = bool(adapter or self.loading.lora or self._adapters.shipped)
        return base != EMBEDDED or (has_adapter and adapter != BARE)

    def close(self) -> None:
        """Free all models."""
        with self._lock:
            opened, self._opened = self._opened, {}
        for model in opened.values():
            model.engine.close()

    def _open(self, name: str) -> _OpenedModel:
        """Open a model for the first time."""
        with self._lock:
            files = ModelFiles(path=self.path(name), loading=self.loading_of(name))
            memory = self._make_room(name, files)
            if name in self._opened:  # Another request opened it meanwhile.
                return self._opened[name]
            engine = load_llama_cpp(
                files.path,
                name=name,
                loading=files.loading,
                reload=lambda: self._load_again(name),
                is_waited_for=lambda: not self._waiting.is_empty,
            )
            self._opened[name] = _OpenedModel(engine, files, memory)
            return self._opened[name]

    def _load_again(self, name: str) -> Binding:
        """Load a model that was unloaded, from the files as they are now."""
        with self._lock:
            files = ModelFiles(path=self.path(name), loading=self.loading_of(name))
            memory = self._make_room(name, files)
            opened = self._opened[name]
            opened.files, opened.memory = files, memory
            opened.engine.fingerprint = fingerprint_of(files.path, files.loading)
            return load_binding(files.path, name=name, loading=files.loading)

    def _make_room(self, name: str, files: ModelFiles) -> ModelMemory:
        """Unload idle models until `files` fit, wait for busy ones, and return what the files need.

        The caller holds the lock, which is released while it waits.

        Raises:
            BadInput: The file cannot be a model.
            ModelMissing: A file does not exist.
            EngineError: llama.cpp cannot load it, or failed to a short time ago.
        """
        is_known = self._vetting is None or self._vetting.check(files)
        memory = memory_of(files.path, files.loading) if files.path.is_file() else ModelMemory(0, 0)
        # A file that was never opened is tried in another process first. Nothing may be generated meanwhile, because
        # two processes of llama.cpp slow each other down tenfold.
        ticket = self._waiting.join()
        try:
            while True:
                is_next, has_room = not self._waiting.place(ticket), self._fits(files, memory)
                if is_next and has_room and (is_known or self._is_quiet()):
                    break
                if has_room or not is_next or not self._unload_one(name):
                    self._lock.wait(LOOK_EVERY_S)
        finally:
            self._waiting.leave(ticket)
        if self._vetting is not None and not is_known:
            self._vetting.try_first(files)
        return memory

    def _has_room(self, name: str, opened: _OpenedModel) -> bool:
        """Unload idle models until this one fits. Return False if those that are in use leave no room for it."""
        with self._lock:
            while not opened.engine.is_loaded and not self._fits(opened.files, opened.memory):
                if not self._unload_one(name):
                    return False
            return True

    def _fits(self, files: ModelFiles, memory: ModelMemory) -> bool:
        loaded = [model for model in self._opened.values() if model.engine.is_loaded]
        weights = {
            weights_key(model.files.path, model.files.loading): model.memory.weights_bytes for model in loaded
        }
        weights[weights_key(files.path, files.loading)] = memory.weights_bytes
        contexts = sum(model.memory.context_bytes + model.engine.saved_bytes for model in loaded)
        return not loaded or sum(weights.values()) + contexts + memory.context_bytes <= self._budget_bytes

    def _unload_one(self, name: str) -> bool:
        """Unload the least recently used model that nobody is using. Return False if all are in use."""
        return any(model.engine.unload() for other, model in self._opened.items() if other != name)

    def _is_quiet(self) -> bool:
        return not any(model.engine.is_busy for model in self._opened.values())

    def _mark_used(self, name: str) -> None:
        with self._lock:
            if name in self._opened:
                self._opened[name] = self._opened.pop(name)

    def path(self, name: str) -> Path:
        """Return the path of a model's file. The file may still be invalid.

        Raises:
            ModelMissing: The model is not on this machine.
        """
        name = split_name(name).base
        if name == EMBEDDED:
            path, remedy = find_embedded(), REMEDY
        elif name.startswith(HUB):
            path, remedy = self._find_cached(name), f"run `workbench models pull {name}`"
        else:
            path, remedy = place_of(name), CHOOSE_MODEL
        if path is None or not path.is_file():
            raise ModelMissing(name, remedy, path=path)
        return path

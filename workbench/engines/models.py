"""Models that run on this machine, by the names that `--model` accepts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Final

from workbench.engines.adapters import BARE, NO_ADAPTERS, PLUS, AdapterFiles, place_of, split_name
from workbench.engines.gguf_files.vetting import GgufVetting, ModelFiles
from workbench.engines.known_models import EMBEDDED, REMEDY, find_embedded
from workbench.engines.llama_cpp import LlamaCppEngine, load_llama_cpp
from workbench.engines.llama_loading import LoadOptions, LoraAdapter, describe_build
from workbench.errors import ModelMissing
from workbench.rollout.models import ModelStatus
from workbench.rollout.ports import Engine

HUB: Final = "hf:"


class LocalModels:
    """Loads one model at a time. Loading another one unloads the first."""

    def __init__(
        self,
        *,
        loading: LoadOptions,
        find_cached: Callable[[str], Path | None],
        adapters: AdapterFiles = NO_ADAPTERS,
        vetting: GgufVetting | None = None,
    ) -> None:
        """Load nothing yet.

        Args:
            find_cached: Returns the path of a model of the hub in the local cache, or None if it is not there.
            adapters: Finds the adapter for a name after `+`, and the default adapter of the embedded model.
            vetting: Checks files that are opened for the first time. None to check nothing.
        """
        self._vetting = vetting
        self.loading = loading
        self._find_cached = find_cached
        self._adapters = adapters
        self._open: LlamaCppEngine | None = None
        self._lock = Lock()

    def names(self) -> Sequence[str]:
        """Return the names of the embedded model, if it is installed: alone, without adapter, and with each adapter."""
        if not find_embedded():
            return ()
        adapted = [adapter.model for adapter in self._adapters.available()]
        bare = (f"{EMBEDDED}{PLUS}{BARE}",) if self._calls_freely(EMBEDDED) else ()
        return tuple(dict.fromkeys((EMBEDDED, *bare, *adapted)))

    def engine(self, name: str) -> Engine:
        """Return the engine for a name, loaded; see `workbench.rollout.models.Models`."""
        with self._lock:
            if self._open is None or self._open.name != name:
                path, loading = self.path(name), self.loading_of(name)
                files = ModelFiles(path=path, loading=loading)
                is_known = self._vetting is None or self._vetting.check(files)
                # Unload first, because memory may only have room for one model. Test the new file after that, because
                # a generation running at the same time would make both ten times slower.
                self._close_open()
                if self._vetting is not None and not is_known:
                    self._vetting.try_first(files)
                self._open = load_llama_cpp(path, name=name, loading=loading)
            return self._open

    def status(self, name: str) -> ModelStatus:
        """Return the status of a model without loading it."""
        engine = self._open
        calls_freely = self._calls_freely(name)
        if engine is None or engine.name != name:
            return ModelStatus(name=name, device="", is_loaded=False, calls_freely=calls_freely)
        return ModelStatus(
            name=name,
            device=engine.device,
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
        """Unload the model."""
        with self._lock:
            self._close_open()

    def _close_open(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

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
            path, remedy = place_of(name), "set WORKBENCH_MODEL to a GGUF file or 'embedded'"
        if path is None or not path.is_file():
            raise ModelMissing(name, f"there is no file {path}; {remedy}" if path else remedy)
        return path

"""Models that run on this machine, by the names that `--model` takes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Final

from workbench.desk.ports import ModelStatus
from workbench.engines.embedded import REMEDY, find_embedded
from workbench.engines.llama_cpp import LlamaCppEngine, load_llama_cpp
from workbench.engines.llama_loading import Loading, LoraAdapter, describe_build
from workbench.errors import ModelMissing
from workbench.rollout.ports import Engine

EMBEDDED: Final = "embedded"
HUB: Final = "hf:"


class LocalModels:
    """Loads one model at a time; asking for another frees the first."""

    def __init__(
        self,
        *,
        loading: Loading,
        find_cached: Callable[[str], Path | None],
        embedded_adapter: Path | None = None,
    ) -> None:
        """Nothing is loaded yet.

        Args:
            loading: How to load.
            find_cached: Where a model of the hub, by its name, is on this machine; None where it is not.
            embedded_adapter: Laid over the embedded model, where `loading` names no adapter; None leaves it bare.
        """
        self.loading = loading
        self._find_cached = find_cached
        self._embedded_adapter = embedded_adapter
        self._open: LlamaCppEngine | None = None
        self._lock = Lock()

    def names(self) -> Sequence[str]:
        """The embedded model, where it is installed."""
        return (EMBEDDED,) if find_embedded() else ()

    def engine(self, name: str) -> Engine:
        """The engine of that name, loaded; see `workbench.desk.ports.Models`."""
        with self._lock:
            if self._open is None or self._open.name != name:
                path = self.path(name)
                # Freed before the other is loaded: memory may hold only one of them.
                self._close_open()
                self._open = load_llama_cpp(path, name=name, loading=self._loading_of(name))
            return self._open

    def status(self, name: str) -> ModelStatus:
        """What is known without loading it."""
        engine = self._open
        if engine is None or engine.name != name:
            return ModelStatus(name=name, device="", is_loaded=False)
        return ModelStatus(name=name, device=engine.device, is_loaded=True, build=describe_build())

    def _loading_of(self, name: str) -> Loading:
        if name != EMBEDDED or self.loading.lora or self._embedded_adapter is None:
            return self.loading
        return replace(self.loading, lora=(LoraAdapter(path=self._embedded_adapter),))

    def close(self) -> None:
        """Frees what is loaded."""
        with self._lock:
            self._close_open()

    def _close_open(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def path(self, name: str) -> Path:
        """The model's file, which may still turn out to be none.

        Raises:
            ModelMissing: It is not on this machine.
        """
        if name == EMBEDDED:
            path, remedy = find_embedded(), REMEDY
        elif name.startswith(HUB):
            path, remedy = self._find_cached(name), f"run `workbench models pull {name}`"
        else:
            path, remedy = Path(name).expanduser(), "set WORKBENCH_MODEL to a GGUF file or 'embedded'"
        if path is None or not path.is_file():
            raise ModelMissing(name, f"no file {path}; {remedy}" if path else remedy)
        return path

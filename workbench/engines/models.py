"""Models that run on this machine, by the names that `--model` takes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Final, Protocol

from workbench.desk.ports import ModelStatus
from workbench.engines.embedded import REMEDY, find_embedded
from workbench.engines.llama_cpp import Loading, load_llama_cpp
from workbench.engines.zero_gpu import PREFIX as ZERO_GPU
from workbench.engines.zero_gpu import ZeroGpuEngine
from workbench.errors import ModelMissing
from workbench.rollout.ports import Engine

EMBEDDED: Final = "embedded"
HUB: Final = "hf:"


class _OpenEngine(Engine, Protocol):
    """An engine that holds something until it is closed."""

    @property
    def device(self) -> str: ...

    def close(self) -> None: ...


class LocalModels:
    """Loads one model at a time; asking for another frees the first."""

    def __init__(self, *, loading: Loading, find_cached: Callable[[str], Path | None]) -> None:
        """Nothing is loaded yet.

        Args:
            loading: How to load.
            find_cached: Where a model of the hub, by its name, is on this machine; None where it is not.
        """
        self._loading = loading
        self._find_cached = find_cached
        self._open: _OpenEngine | None = None
        self._lock = Lock()

    def names(self) -> Sequence[str]:
        """The embedded model, where it is installed."""
        return (EMBEDDED,) if find_embedded() else ()

    def engine(self, name: str) -> Engine:
        """The engine of that name, loaded; see `workbench.desk.ports.Models`."""
        with self._lock:
            if self._open is None or self._open.name != name:
                loaded = self._load(name)
                self._close_open()
                self._open = loaded
            return self._open

    def status(self, name: str) -> ModelStatus:
        """What is known without loading it."""
        engine = self._open
        if engine is None or engine.name != name:
            return ModelStatus(name=name, device="", is_loaded=False)
        return ModelStatus(name=name, device=engine.device, is_loaded=True)

    def close(self) -> None:
        """Frees what is loaded."""
        with self._lock:
            self._close_open()

    def _close_open(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _load(self, name: str) -> _OpenEngine:
        if name.startswith(ZERO_GPU):
            inner = name.removeprefix(ZERO_GPU)
            return ZeroGpuEngine(self._path(inner), name=name, loading=self._loading)
        return load_llama_cpp(self._path(name), name=name, loading=self._loading)

    def _path(self, name: str) -> Path:
        """The GGUF file of a name: embedded, of the hub's cache, or a path."""
        if name.startswith(HUB):
            cached = self._find_cached(name)
            if cached is None:
                raise ModelMissing(name, f"run `workbench models pull {name}`")
            return cached
        if name != EMBEDDED:
            return Path(name).expanduser()
        path = find_embedded()
        if path is None:
            raise ModelMissing(name, REMEDY)
        return path

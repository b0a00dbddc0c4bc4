"""The models that can be chosen, by the names that `--model` takes."""

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Final, Protocol

from workbench.desk.ports import ModelStatus
from workbench.engines.embedded import REMEDY, find_embedded
from workbench.engines.llama_cpp import load_llama_cpp
from workbench.engines.llama_loading import Loading
from workbench.engines.scripted import load_scripted
from workbench.errors import ModelMissing
from workbench.rollout.ports import Engine

EMBEDDED: Final = "embedded"
SCRIPTED: Final = "scripted:"


class _OpenEngine(Engine, Protocol):
    """An engine that holds something until it is closed."""

    @property
    def device(self) -> str: ...

    def close(self) -> None: ...


class LocalModels:
    """Loads one model at a time; asking for another frees the first."""

    def __init__(self, *, loading: Loading, default: str) -> None:
        self._loading = loading
        self._default = default
        self._open: _OpenEngine | None = None
        self._lock = Lock()

    def names(self) -> Sequence[str]:
        """The default, and the embedded model where it is installed."""
        embedded = (EMBEDDED,) if find_embedded() else ()
        return tuple(dict.fromkeys((self._default, *embedded)))

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
        if name.startswith(SCRIPTED):
            path = Path(name.removeprefix(SCRIPTED)).expanduser()
            return load_scripted(path, name=name, wait=time.sleep)
        if name != EMBEDDED:
            return load_llama_cpp(Path(name).expanduser(), name=name, loading=self._loading)
        path = find_embedded()
        if path is None:
            raise ModelMissing(name, REMEDY)
        return load_llama_cpp(path, name=name, loading=self._loading)

"""Keep files that would crash llama.cpp away from it: check headers, then try the file in a child process.

A file that was opened well is remembered with this build and these settings, and is not tried again.
"""

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final, cast

from workbench.engines.gguf_files.checks import check_adapter_file, check_model_file
from workbench.engines.gguf_files.trial import open_in_child
from workbench.engines.hub.hub_models import parts_of
from workbench.engines.llama_cpp import fingerprint_of
from workbench.engines.llama_loading import LoadOptions, describe_build
from workbench.errors import BadInput, EngineError, ModelMissing

FAILED_FOR_S: Final = 60.0
"""A file that failed is refused at once for this long, and not tried again."""
MOST_REMEMBERED: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """What is to be loaded, and how."""

    path: Path
    """Of the model; its first part, if it has several."""
    loading: LoadOptions

    @property
    def all(self) -> tuple[Path, ...]:
        """The model's parts, then its adapters."""
        parts = (self.path.with_name(name) for name in parts_of(self.path.name))
        return (*parts, *(adapter.path for adapter in self.loading.lora))

    @property
    def size_bytes(self) -> int:
        return sum(path.stat().st_size for path in self.all)


class GgufVetting:
    """Decides whether a file may be loaded into this process. For one caller at a time."""

    def __init__(
        self,
        *,
        memory: Path,
        trusted: frozenset[Path] = frozenset(),
        try_files: "Callable[[ModelFiles], None] | None" = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is looked at yet.

        Args:
            memory: JSON file that keeps what was opened well.
            trusted: Files that are never checked.
            try_files: Opens files where a crash does no harm; None does so in a child process.
        """
        self._memory = memory
        self._trusted = trusted
        self._try_files = try_files or try_in_child
        self._clock = clock
        self._failed: dict[str, tuple[float, EngineError]] = {}

    def check(self, files: ModelFiles) -> bool:
        """Checks headers; True if the files may be loaded at once, False if they must be tried first.

        Raises:
            BadInput: A header cannot be true.
            EngineError: The files failed a short time ago.
            ModelMissing: A file is not there.
        """
        missing = next((path for path in files.all if not path.is_file()), None)
        if missing is not None:
            raise ModelMissing(files.path.name, f"no file {missing}; all parts of a model must be there")
        if self._trusted.issuperset(files.all) or find_spec("llama_cpp") is None:
            return True  # Without llama.cpp, whoever loads the model says so.
        try:
            key = _key(files)
        except OSError as error:
            problem = error.strerror or "cannot be read"
            raise BadInput(f"model file {files.path.name!r}", problem, "name a .gguf file") from error
        if key in self._remembered():
            return True
        self._refuse_again(key)
        if files.path not in self._trusted:
            check_model_file(files.path)
        for adapter in files.loading.lora:
            if adapter.path not in self._trusted:
                check_adapter_file(adapter.path)
        return False

    def try_first(self, files: ModelFiles) -> None:
        """Opens the files where a crash does no harm, and remembers them if all went well.

        Raises:
            EngineError: llama.cpp refused a file, crashed on it, or did not come to an end.
        """
        key = _key(files)
        try:
            self._try_files(files)
        except EngineError as error:
            self._failed[key] = (self._clock(), error)
            raise
        self._remember(key, files)

    def _refuse_again(self, key: str) -> None:
        failed_s, error = self._failed.get(key, (0.0, None))
        if error is not None and self._clock() - failed_s < FAILED_FOR_S:
            raise error

    def _remembered(self) -> dict[str, str]:
        """Name of the model's file by key; empty if nothing was written yet, or it cannot be read."""
        try:
            found: object = json.loads(self._memory.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return cast(dict[str, str], found) if isinstance(found, dict) else {}

    def _remember(self, key: str, files: ModelFiles) -> None:
        kept = list(self._remembered().items())[1 - MOST_REMEMBERED :]
        text = json.dumps({**dict(kept), key: files.path.name}, indent=1)
        draft = self._memory.with_name(f"{self._memory.name}.{os.getpid()}")
        # Without a place to write to, the file is tried again the next time.
        with suppress(OSError):
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(text, encoding="utf-8")
            draft.replace(self._memory)


def try_in_child(files: ModelFiles) -> None:
    """Opens the files in a child process; see `workbench.engines.gguf_files.trial`."""
    open_in_child(files.path, files.loading, size_bytes=files.size_bytes)


def _key(files: ModelFiles) -> str:
    """Of these files as they are now, loaded in this way, by this build."""
    found = [(str(path.absolute()), path.stat().st_mtime_ns, fingerprint_of(path)) for path in files.all]
    loading = files.loading
    way = (loading.context_tokens, loading.gpu_layers, loading.flash_attention, loading.kv_type)
    return sha256(repr((found, way, describe_build())).encode()).hexdigest()

"""Protect this process from files that crash llama.cpp: check headers, then load the file in a child process.

A file that loaded without problems is remembered with the build and the settings, and is not tried again.
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
from workbench.engines.llama_loading import LoadOptions, describe_build, fingerprint_of
from workbench.errors import BadInput, EngineError, ModelMissing

FAILED_FOR_S: Final = 60.0
"""For this long, a file that failed is refused without another trial."""
MOST_REMEMBERED: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """The files of a model and the options to load them with."""

    path: Path
    """File of the model, or its first part if it has several."""
    loading: LoadOptions

    @property
    def all(self) -> tuple[Path, ...]:
        """The parts of the model, then its adapters."""
        parts = (self.path.with_name(name) for name in parts_of(self.path.name))
        return (*parts, *(adapter.path for adapter in self.loading.lora))

    @property
    def size_bytes(self) -> int:
        return sum(path.stat().st_size for path in self.all)


class GgufVetting:
    """Decides whether a file may be loaded into this process. Not safe for several threads."""

    def __init__(
        self,
        *,
        memory: Path,
        trusted: frozenset[Path] = frozenset(),
        try_files: "Callable[[ModelFiles], None] | None" = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Check nothing yet.

        Args:
            memory: JSON file that remembers the files that loaded without problems.
            trusted: Files that are never checked.
            try_files: Loads files where a crash does no harm. None uses a child process.
        """
        self._memory = memory
        self._trusted = trusted
        self._try_files = try_files or try_in_child
        self._clock = clock
        self._failed: dict[str, tuple[float, EngineError]] = {}

    def check(self, files: ModelFiles) -> bool:
        """Check headers. Return True if the files may be loaded, or False if `try_first` must be called before.

        Raises:
            BadInput: A header is impossible.
            EngineError: The files failed a short time ago.
            ModelMissing: A file does not exist.
        """
        missing = next((path for path in files.all if not path.is_file()), None)
        if missing is not None:
            raise ModelMissing(files.path.name, f"there is no file {missing}; a model needs all of its parts")
        if self._trusted.issuperset(files.all) or find_spec("llama_cpp") is None:
            return True  # Without llama.cpp, loading the model reports it.
        try:
            key = _key(files)
        except OSError as error:
            problem = error.strerror or "cannot be read"
            raise BadInput(f"model file {files.path.name!r}", problem, "choose a .gguf file") from error
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
        """Load the files where a crash does no harm, and remember them if there was no problem.

        Raises:
            EngineError: llama.cpp refused a file, crashed or took too long.
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
        """Return the names of remembered models by key. Empty if there is no readable file."""
        try:
            document: object = json.loads(self._memory.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return cast(dict[str, str], document) if isinstance(document, dict) else {}

    def _remember(self, key: str, files: ModelFiles) -> None:
        recent = list(self._remembered().items())[1 - MOST_REMEMBERED :]
        text = json.dumps({**dict(recent), key: files.path.name}, indent=1)
        draft = self._memory.with_name(f"{self._memory.name}.{os.getpid()}")
        # If it cannot be written, the file is tried again next time.
        with suppress(OSError):
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(text, encoding="utf-8")
            draft.replace(self._memory)


def try_in_child(files: ModelFiles) -> None:
    """Load the files in a child process; see `workbench.engines.gguf_files.trial`."""
    open_in_child(files.path, files.loading, size_bytes=files.size_bytes)


def _key(files: ModelFiles) -> str:
    """Return a key of the files as they are now, the options and the build."""
    versions = [(str(path.absolute()), path.stat().st_mtime_ns, fingerprint_of(path)) for path in files.all]
    loading = files.loading
    options = (loading.context_tokens, loading.gpu_layers, loading.flash_attention, loading.kv_type)
    return sha256(repr((versions, options, describe_build())).encode()).hexdigest()

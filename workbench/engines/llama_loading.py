"""Options for loading a GGUF file, the features of the installed llama.cpp, and what it logs."""

import ctypes
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from workbench.settings import FlashAttention

MEGABYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LoraAdapter:
    """Weights that are laid over a model's own."""

    path: Path
    """GGUF file of the adapter."""
    scale: float = 1.0
    """How much of it counts."""

    @property
    def name(self) -> str:
        """What it is called: its folder, where the file has the name that all of them have."""
        return self.path.parent.name if self.path.stem == "adapter" else self.path.name


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """How to load a model."""

    context_tokens: int
    """Wanted context; 0, and anything above it, takes what the model was trained with."""
    threads: int
    """0 takes one a core."""
    gpu_layers: int
    """-1 takes all, where the build can."""
    flash_attention: FlashAttention = "auto"
    """`auto` uses it on a GPU that can, and where the KV type needs it."""
    kv_type: str = "f16"
    """One of `workbench.settings.KV_TYPES`; a quantised one needs flash attention."""
    lora: tuple[LoraAdapter, ...] = ()
    """Adapters, all at once."""
    prefix_cache_bytes: int = 1024 * MEGABYTE
    """Room for evaluated prefixes of conversations that are not under way; 0 keeps none."""


def describe_build() -> str:
    """Version of the binding, what the build can use, and the processor's instruction sets that it knows."""
    import llama_cpp

    can_offload = llama_cpp.llama_supports_gpu_offload()
    system = llama_cpp.llama_print_system_info().decode(errors="replace")
    sets = [part.split("=")[0].strip().removeprefix("CPU : ") for part in system.split("|") if "= 1" in part]
    return f"{llama_cpp.__version__}, {'GPU offload' if can_offload else 'CPU only'}, {' '.join(sets)}"


_ERROR: Final = 4
_CONTINUED: Final = 5
_OFFLOADED: Final = re.compile(rb"offloaded (\d+)/(\d+) layers to GPU")
_DEVICE: Final = re.compile(rb"using device (\S+) \(([^)]*)\)")


class LlamaLog:
    """The last lines of error that llama.cpp wrote in this process, and where it put the last model."""

    def __init__(self) -> None:
        self.offloaded: str = ""
        self.devices: list[str] = []
        self._lines: deque[str] = deque(maxlen=3)
        self._is_error = False
        self.callback: Callable[..., None] | None = None

    def take(self) -> str:
        """The lines so far, which are then forgotten; empty where there are none."""
        text = " ".join(line.strip() for line in self._lines)
        self._lines.clear()
        return text

    def begin(self) -> None:
        """A model is loaded from here on: what was said of another one is forgotten."""
        self._lines.clear()
        self.devices.clear()
        self.offloaded = ""

    def write(self, level: int, text: bytes, _: ctypes.c_void_p) -> None:
        """One message of llama.cpp; level 5 goes on with the line before."""
        if level != _CONTINUED:
            self._is_error = level == _ERROR
        if device := _DEVICE.search(text):
            self.devices.append(b" ".join(device.groups()).decode(errors="replace"))
        if layers := _OFFLOADED.search(text):
            self.offloaded = b"/".join(layers.groups()).decode()
        if self._is_error and text.strip():
            self._lines.append(text.decode(errors="replace"))


@cache
def llama_log() -> LlamaLog:
    """The process's one log; the first call takes it over from the binding, which prints warnings."""
    import llama_cpp

    log = LlamaLog()
    # C keeps only the address: the wrapper must live as long as the process.
    log.callback = llama_cpp.llama_log_callback(log.write)
    llama_cpp.llama_log_set(log.callback, ctypes.c_void_p(0))
    return log

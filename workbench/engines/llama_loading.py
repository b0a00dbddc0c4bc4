"""Options for loading a GGUF file, the features of the installed llama.cpp, and its log."""

import ctypes
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from workbench.settings import FlashAttention

MEGABYTE: Final = 1 << 20
FINGERPRINT_BYTES: Final = 1 << 20
"""Number of bytes at each end of a GGUF file that go into its fingerprint."""

MOST_SIDE_BY_SIDE: Final = 8
"""Turns that run side by side on a GPU, if nobody has set it."""
MOST_CONTEXT_TOKENS: Final = 65_536
"""Size of all their contexts together. If each is large, fewer turns run side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoraAdapter:
    """A LoRA adapter: weights that are added to those of a model."""

    path: Path
    """The GGUF file of the adapter."""
    scale: float = 1.0
    """Factor for the weights."""

    @property
    def name(self) -> str:
        """The name to show: that of the folder if the file is called `adapter.gguf`, otherwise that of the file."""
        return self.path.parent.name if self.path.stem == "adapter" else self.path.name


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """How to load a model."""

    context_tokens: int
    """Requested size of the context. 0, or more than the model was trained with, uses the trained size."""
    threads: int
    """Number of threads; 0 uses one per core."""
    gpu_layers: int
    """Layers to offload to the GPU; -1 offloads all, if the build can."""
    flash_attention: FlashAttention = "auto"
    """`auto` uses it on GPUs that support it, and if the KV type needs it."""
    kv_type: str = "f16"
    """One of `workbench.settings.KV_TYPES`; a quantized type needs flash attention."""
    lora: tuple[LoraAdapter, ...] = ()
    """Adapters that are applied together."""
    side_by_side: int = 0
    """Turns that run side by side; 0 decides by the device."""
    prefix_cache_bytes: int = 1024 * MEGABYTE
    """Memory for the saved states of other conversations; 0 saves none."""
    call_threshold: float | None = None
    """Call threshold of the model; 0 for none. None uses the one in the receipt of its adapter, if there is one."""


class WeightsKey(NamedTuple):
    """What makes two loads of a file the same."""

    path: Path
    size: int
    changed_ns: int
    gpu_layers: int


def weights_key(path: Path, loading: LoadOptions) -> WeightsKey:
    """Return the key under which the weights of a file are shared."""
    status = path.stat()
    return WeightsKey(path.resolve(), status.st_size, status.st_mtime_ns, loading.gpu_layers)


def sequences_of(loading: LoadOptions, context_tokens: int) -> int:
    """Return how many turns run side by side: up to eight on a GPU, if nobody has set it.

    A GPU reads the weights once for all of them. On the two cores of a free Space, eight turns write 1.6 times as many
    tokens in sum, but each of them waits five times as long for the next one.
    """
    if loading.side_by_side:
        return loading.side_by_side
    if loading.gpu_layers == 0 or not can_offload():
        return 1
    return min(max(MOST_CONTEXT_TOKENS // context_tokens, 1), MOST_SIDE_BY_SIDE)


def can_offload() -> bool:
    """Return whether there is a GPU that the installed llama.cpp can use."""
    try:
        import llama_cpp
    except ImportError:
        return False
    return llama_cpp.llama_supports_gpu_offload()


def describe_build() -> str:
    """Describe the build of llama.cpp: version of the binding, GPU support and the instruction sets that it uses."""
    import llama_cpp

    can_offload = llama_cpp.llama_supports_gpu_offload()
    system = llama_cpp.llama_print_system_info().decode(errors="replace")
    sets = [part.split("=")[0].strip().removeprefix("CPU : ") for part in system.split("|") if "= 1" in part]
    return f"{llama_cpp.__version__}, {'GPU offload' if can_offload else 'CPU only'}, {' '.join(sets)}"


_ERROR: Final = 4
_CONTINUED: Final = 5
_OFFLOADED: Final = re.compile(rb"offloaded (\d+)/(\d+) layers to GPU")
_DEVICE: Final = re.compile(rb"using device (\S+) \(([^)]*)\)")


_NO_MEMORY: Final = re.compile(r"(?:failed|unable) to allocate|out of memory|insufficient memory")
_ON_GPU: Final = re.compile(r"allocate (?:CUDA|ROCm|Vulkan|MTL|Metal|SYCL)\d* buffer|on device \d")
_SIZE: Final = re.compile(r"(?:failed to allocate (?:\w+ )?buffer of size|allocating) ([\d.]+)( MiB)?")


def explain_errors(logged: str) -> str:
    """Explain why llama.cpp failed, from the errors that it logged. If memory is short, say what to change.

    >>> explain_errors("alloc_tensor_range: failed to allocate CUDA0 buffer of size 17179869184")[:52]
    'not enough memory on the GPU: 16,384 MB could not be'
    """
    if not _NO_MEMORY.search(logged):
        return logged or "no reason given"
    size = _SIZE.search(logged)
    megabytes = float(size[1]) / (1 if size[2] else MEGABYTE) if size else 0
    amount = f": {megabytes:,.0f} MB could not be allocated" if megabytes else ""
    is_gpu = bool(_ON_GPU.search(logged))
    fewer = "offload fewer layers (WORKBENCH_GPU_LAYERS), " if is_gpu else ""
    fewer += "run fewer turns side by side (WORKBENCH_SIDE_BY_SIDE), " if is_gpu else ""
    return (
        f"not enough memory{' on the GPU' if is_gpu else ''}{amount}. Use a smaller context (WORKBENCH_CONTEXT), "
        f"{fewer}store the context in fewer bits (WORKBENCH_KV_TYPE=q8_0), keep fewer models loaded "
        "(WORKBENCH_MODEL_MEMORY), or use a smaller model"
    )


class LlamaLog:
    """The last errors that llama.cpp logged in this process, and the devices of the last model."""

    def __init__(self) -> None:
        self.offloaded: str = ""
        self.devices: list[str] = []
        self._lines: deque[str] = deque(maxlen=3)
        self._is_error = False
        self.callback: Callable[..., None] | None = None

    def take(self) -> str:
        """Return the errors so far as one line, and clear them. Empty without errors."""
        text = " ".join(line.strip() for line in self._lines)
        self._lines.clear()
        return text

    def begin(self) -> None:
        """Clear everything, before a model is loaded."""
        self._lines.clear()
        self.devices.clear()
        self.offloaded = ""

    def write(self, level: int, text: bytes, _: ctypes.c_void_p) -> None:
        """Record one message of llama.cpp. Level 5 continues the previous message."""
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
    """Return the log of this process. The first call redirects it from the binding, which prints warnings."""
    import llama_cpp

    log = LlamaLog()
    # C only stores the address, so the wrapper must live as long as the process.
    log.callback = llama_cpp.llama_log_callback(log.write)
    llama_cpp.llama_log_set(log.callback, ctypes.c_void_p(0))
    return log


def fingerprint_of(path: Path, loading: LoadOptions | None = None) -> str:
    """Return a SHA-256 (hex) of the size and both ends of a GGUF file and its adapters: metadata and last tensors.

    Hashing all of a file of many GB would take longer than loading it.
    """
    ends = _ends_of(path)
    for adapter in loading.lora if loading else ():
        ends += f"+{adapter.scale}".encode() + _ends_of(adapter.path)
    return sha256(ends).hexdigest()


def _ends_of(path: Path) -> bytes:
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(FINGERPRINT_BYTES)
        file.seek(max(size - FINGERPRINT_BYTES, 0))
        tail = file.read()
    return str(size).encode() + head + tail

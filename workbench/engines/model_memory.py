"""How much memory a local model needs, estimated from its file, and how much this machine gives to models."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import psutil

from workbench.engines.gguf_files.header import GgufArray, GgufValue, read_values
from workbench.engines.gguf_files.vetting import ModelFiles
from workbench.engines.llama_loading import MEGABYTE, LoadOptions, sequences_of

_KV_BYTES: Final = {
    "f32": 4.0,
    "f16": 2.0,
    "q8_0": 34 / 32,
    "q5_1": 24 / 32,
    "q5_0": 22 / 32,
    "q4_1": 20 / 32,
    "q4_0": 18 / 32,
    "iq4_nl": 18 / 32,
}
"""Bytes of one value by the type of keys and values."""
_WORKING_BYTES: Final = 64 * MEGABYTE
"""Approximate size of the buffers of a context without its keys and values. It depends on the batch only."""
_KEYS: Final = (
    "block_count",
    "context_length",
    "embedding_length",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.value_length",
)
_LIMIT_FILES: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


@dataclass(frozen=True, slots=True)
class ModelMemory:
    """Memory that a model needs."""

    weights_bytes: int
    """Size of the weights, which all contexts of the same file share."""
    context_bytes: int


def memory_of(path: Path, loading: LoadOptions) -> ModelMemory:
    """Estimate the memory of a model: the size of its file, and the keys and values of its context.

    Raises:
        BadInput: The file is not a valid GGUF file.
    """
    values = read_values(path, lambda key: key == "general.architecture" or key.endswith(_KEYS))
    architecture = values.get("general.architecture", "")
    sizes = {key: _number(values.get(f"{architecture}.{key}")) for key in _KEYS}
    heads = max(sizes["attention.head_count"], 1)
    head = sizes["embedding_length"] // heads
    width = (sizes["attention.key_length"] or head) + (sizes["attention.value_length"] or head)
    trained = sizes["context_length"]
    tokens = min(loading.context_tokens or trained, trained or loading.context_tokens)
    kv_heads = sizes["attention.head_count_kv"] or heads
    cells = sequences_of(loading, max(tokens, 1)) * tokens
    kv_bytes = cells * sizes["block_count"] * kv_heads * width * _KV_BYTES.get(loading.kv_type, 4.0)
    adapters = sum(adapter.path.stat().st_size for adapter in loading.lora if adapter.path.is_file())
    parts = ModelFiles(path=path, loading=replace(loading, lora=())).all
    return ModelMemory(sum(part.stat().st_size for part in parts), int(kv_bytes) + _WORKING_BYTES + adapters)


def default_budget_bytes() -> int:
    """Return three quarters of the memory of this machine or container, in bytes."""
    limits = [psutil.virtual_memory().total, *filter(None, map(_container_limit, _LIMIT_FILES))]
    return min(limits) * 3 // 4


def _container_limit(file: Path) -> int:
    """Return the container's limit in bytes; 0 without a limit."""
    try:
        text = file.read_text(encoding="ascii").strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() else 0


def _number(value: GgufValue | None) -> int:
    """Return a size, or the largest one if there is one for each layer. 0 if the file has none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, GgufArray):
        return int(max(value.numbers, default=0))
    return 0

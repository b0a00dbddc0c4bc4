"""How a GGUF file is loaded, and what the build of llama.cpp can do."""

from dataclasses import dataclass
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

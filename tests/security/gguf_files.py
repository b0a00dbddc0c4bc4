"""GGUF files byte by byte: a tiny model that llama.cpp opens, and what becomes of it when one thing in it is wrong."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

UINT8, UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY, UINT64, FLOAT64 = 0, 4, 5, 6, 7, 8, 9, 10, 12
_LAYOUTS = {UINT8: "<B", UINT32: "<I", INT32: "<i", FLOAT32: "<f", BOOL: "<B", UINT64: "<Q", FLOAT64: "<d"}

WIDTH, HEADS, GROUPS, FORWARD, CONTEXT = 64, 2, 1, 96, 64
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
TOKENS = ["<unk>", "<s>", "</s>", *BYTES, "a", "b"]
TYPES = [2, 3, 3, *[6] * 256, 1, 1]


@dataclass(frozen=True)
class Value:
    """A value with its type; a list is an array of that type."""

    kind: int
    value: object

    def packed(self) -> bytes:
        if isinstance(self.value, bytes):
            return struct.pack("<I", self.kind) + self.value
        if isinstance(self.value, list):
            items = b"".join(item_bytes(self.kind, one) for one in self.value)
            return struct.pack("<IIQ", ARRAY, self.kind, len(self.value)) + items
        return struct.pack("<I", self.kind) + item_bytes(self.kind, self.value)


def item_bytes(kind: int, value: object) -> bytes:
    if kind == STRING:
        data = value if isinstance(value, bytes) else str(value).encode()
        return struct.pack("<Q", len(data)) + data
    return struct.pack(_LAYOUTS[kind], value)


@dataclass(frozen=True)
class Tensor:
    """A tensor of 32-bit floats, unless another type is said; what is None follows from the rest."""

    shape: tuple[int, ...]
    kind: int = 0
    offset: int | None = None
    dimensions: int | None = None
    size: int | None = None


@dataclass
class Gguf:
    """A file; each part of it can be made wrong."""

    values: dict[str, Value] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    magic: bytes = b"GGUF"
    version: int = 3
    key_count: int | None = None
    tensor_count: int | None = None
    extra: bytes = b""
    """Key and value pairs that are written as they are."""
    cut: int | None = None
    """How many bytes of the file there are."""
    fill: bytes = b"\0"

    def bytes(self) -> bytes:
        count = len(self.values) if self.key_count is None else self.key_count
        tensors = len(self.tensors) if self.tensor_count is None else self.tensor_count
        head = self.magic + struct.pack("<IQQ", self.version, tensors, count)
        for key, value in self.values.items():
            head += item_bytes(STRING, key) + value.packed()
        head += self.extra
        infos, data = b"", b""
        for name, tensor in self.tensors.items():
            size = 4
            for one in tensor.shape:
                size *= one
            size = min(size, 1 << 20) if tensor.size is None else tensor.size
            offset = len(data) if tensor.offset is None else tensor.offset
            dimensions = len(tensor.shape) if tensor.dimensions is None else tensor.dimensions
            infos += item_bytes(STRING, name) + struct.pack("<I", dimensions)
            infos += struct.pack(f"<{len(tensor.shape)}Q", *tensor.shape) + struct.pack(
                "<IQ", tensor.kind, offset
            )
            data += (self.fill * size)[:size] + b"\0" * (-size % 32)
        whole = head + infos
        whole += b"\0" * (-len(whole) % 32) + data
        return whole if self.cut is None else whole[: self.cut]

    def write(self, path: Path) -> Path:
        path.write_bytes(self.bytes())
        return path


def tiny_model() -> Gguf:
    """A llama of one layer, some 200 KB large; all weights are zero."""
    values: Mapping[str, tuple[int, object]] = {
        "general.architecture": (STRING, "llama"),
        "general.type": (STRING, "model"),
        "general.name": (STRING, "tiny"),
        "llama.block_count": (UINT32, 1),
        "llama.context_length": (UINT32, CONTEXT),
        "llama.embedding_length": (UINT32, WIDTH),
        "llama.feed_forward_length": (UINT32, FORWARD),
        "llama.attention.head_count": (UINT32, HEADS),
        "llama.attention.head_count_kv": (UINT32, GROUPS),
        "llama.attention.layer_norm_rms_epsilon": (FLOAT32, 1e-5),
        "llama.rope.freq_base": (FLOAT32, 10000.0),
        "llama.rope.dimension_count": (UINT32, WIDTH // HEADS),
        "llama.vocab_size": (UINT32, len(TOKENS)),
        "tokenizer.ggml.model": (STRING, "llama"),
        "tokenizer.ggml.tokens": (STRING, TOKENS),
        "tokenizer.ggml.scores": (FLOAT32, [0.0] * len(TOKENS)),
        "tokenizer.ggml.token_type": (INT32, TYPES),
        "tokenizer.ggml.bos_token_id": (UINT32, 1),
        "tokenizer.ggml.eos_token_id": (UINT32, 2),
        "tokenizer.ggml.unknown_token_id": (UINT32, 0),
    }
    layer = {
        "attn_norm": (WIDTH,),
        "attn_q": (WIDTH, WIDTH),
        "attn_k": (WIDTH, WIDTH // HEADS * GROUPS),
        "attn_v": (WIDTH, WIDTH // HEADS * GROUPS),
        "attn_output": (WIDTH, WIDTH),
        "ffn_norm": (WIDTH,),
        "ffn_gate": (WIDTH, FORWARD),
        "ffn_up": (WIDTH, FORWARD),
        "ffn_down": (FORWARD, WIDTH),
    }
    shapes = {
        "token_embd.weight": (WIDTH, len(TOKENS)),
        "output_norm.weight": (WIDTH,),
        **{f"blk.0.{name}.weight": shape for name, shape in layer.items()},
    }
    return Gguf(
        values={key: Value(kind, value) for key, (kind, value) in values.items()},
        tensors={name: Tensor(shape) for name, shape in shapes.items()},
    )


def tiny_adapter() -> Gguf:
    """A LoRA of rank 4 over the tiny model."""
    values: Mapping[str, tuple[int, object]] = {
        "general.architecture": (STRING, "llama"),
        "general.type": (STRING, "adapter"),
        "adapter.type": (STRING, "lora"),
        "adapter.lora.alpha": (FLOAT32, 8.0),
    }
    return Gguf(
        values={key: Value(kind, value) for key, (kind, value) in values.items()},
        tensors={
            "blk.0.attn_q.weight.lora_a": Tensor((WIDTH, 4)),
            "blk.0.attn_q.weight.lora_b": Tensor((4, WIDTH)),
        },
    )

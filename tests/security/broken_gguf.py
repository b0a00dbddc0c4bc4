"""GGUF files with one error each: models, adapters, and files with errors that only llama.cpp finds."""

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.security.gguf_files import (
    ARRAY,
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    STRING,
    TOKENS,
    TYPES,
    UINT8,
    UINT32,
    UINT64,
    Gguf,
    Tensor,
    Value,
    item_bytes,
    tiny_model,
)

Wreck = Callable[[Gguf], object]


def value(key: str, kind: int, content: object) -> Wreck:
    return lambda file: file.values.update({key: Value(kind, content)})


def without(key: str) -> Wreck:
    return lambda file: file.values.pop(key)


def tensor(name: str, **changes: object) -> Wreck:
    return lambda file: file.tensors.update({name: replace(file.tensors[name], **changes)})


def part(name: str, content: object) -> Wreck:
    return lambda file: setattr(file, name, content)


def extra(key: bytes, rest: bytes) -> Wreck:
    def wreck(file: Gguf) -> None:
        file.extra, file.key_count = item_bytes(STRING, key) + rest, len(file.values) + 1

    return wreck


def array(kind: int, count: int, data: bytes = b"") -> bytes:
    return struct.pack("<IIQ", ARRAY, kind, count) + data


FIRST = "token_embd.weight"
NORM = "output_norm.weight"

MODELS: dict[str, Wreck] = {
    # The frame.
    "another magic": part("magic", b"GGML"),
    "version 0": part("version", 0),
    "version 1": part("version", 1),
    "version 4": part("version", 4),
    "big endian": part("version", 3 << 24),
    "2**63 keys": part("key_count", 1 << 63),
    "2**64 - 1 keys": part("key_count", (1 << 64) - 1),
    "a key too many": part("key_count", len(tiny_model().values) + 1),
    "a key too few": part("key_count", len(tiny_model().values) - 1),
    "no keys": part("key_count", 0),
    "2**63 tensors": part("tensor_count", 1 << 63),
    "2**32 tensors": part("tensor_count", 1 << 32),
    "a tensor too many": part("tensor_count", len(tiny_model().tensors) + 1),
    "no tensors": part("tensors", {}),
    "only a magic": part("cut", 4),
    "only counts": part("cut", 24),
    "cut in the keys": part("cut", 300),
    "cut in the tensors": part("cut", 7000),
    "cut in the weights": part("cut", 190_000),
    "cut by a byte": part("cut", len(tiny_model().bytes()) - 257),
    # Keys and their values.
    "a key of 2**60 bytes": part("extra", struct.pack("<Q", 1 << 60)),
    "a key that is not UTF-8": extra(b"\xff\xfe", struct.pack("<IB", UINT8, 0)),
    "a key twice": extra(b"general.name", struct.pack("<I", STRING) + item_bytes(STRING, "again")),
    "a text of 2**63 bytes": extra(b"x", struct.pack("<IQ", STRING, 1 << 63)),
    "a text of 2**64 - 1 bytes": extra(b"x", struct.pack("<IQ", STRING, (1 << 64) - 1)),
    "an unknown type": extra(b"x", struct.pack("<II", 13, 0)),
    "a type of 2**32 - 1": extra(b"x", struct.pack("<II", (1 << 32) - 1, 0)),
    "a truth of 2": extra(b"x", struct.pack("<IB", BOOL, 2)),
    "an array of 2**63 bytes": extra(b"x", array(UINT8, 1 << 63)),
    "an array of 2**61 numbers": extra(b"x", array(UINT64, 1 << 61)),
    "an array of 2**61 + 1 numbers": extra(b"x", array(UINT64, (1 << 61) + 1)),
    "an array of 2**62 texts": extra(b"x", array(STRING, 1 << 62)),
    "an array of arrays": extra(b"x", array(ARRAY, 1, array(UINT8, 1, b"\0"))),
    "an array of an unknown type": extra(b"x", array(77, 1, b"\0")),
    "a text in an array of 2**60 bytes": extra(b"x", array(STRING, 1, struct.pack("<Q", 1 << 60))),
    "not a number": value("llama.attention.layer_norm_rms_epsilon", FLOAT32, float("nan")),
    "infinity": value("llama.rope.freq_base", FLOAT32, float("inf")),
    "less than infinity, twice as exact": value("llama.rope.scaling.factor", FLOAT64, float("-inf")),
    # Alignment.
    "alignment 0": value("general.alignment", UINT32, 0),
    "alignment 3": value("general.alignment", UINT32, 3),
    "alignment 2**31": value("general.alignment", UINT32, 1 << 31),
    "alignment in words": value("general.alignment", STRING, "32"),
    "alignment of another type": value("general.alignment", UINT64, 32),
    # Tensors.
    "a name of 64 bytes": lambda file: file.tensors.update({"x" * 64: Tensor((32,))}),
    "a name that is not UTF-8": lambda file: file.tensors.update({b"\xff": Tensor((32,))}),  # type: ignore[dict-item]
    "no dimensions": tensor(NORM, shape=()),
    "five dimensions": tensor(NORM, shape=(64, 1, 1, 1, 1)),
    "2**32 - 1 dimensions": tensor(NORM, dimensions=(1 << 32) - 1),
    "a side of 0": tensor(NORM, shape=(0,)),
    "a side of 2**63": tensor(NORM, shape=(1 << 63,)),
    "sides that overflow to 0": tensor(NORM, shape=(1 << 32, 1 << 32)),
    "sides that overflow to 64": tensor(NORM, shape=(64, 1 << 32, 1 << 32)),
    "an unknown type of tensor": tensor(NORM, kind=99),
    "a type of tensor that was given up": tensor(NORM, kind=4),
    "a type of tensor below 0": tensor(NORM, kind=(1 << 32) - 1),
    "a row that fills no block": tensor(NORM, shape=(63,), kind=8),
    "an offset beyond the end": tensor(NORM, offset=1 << 40),
    "an offset of 2**64 - 32": tensor(NORM, offset=(1 << 64) - 32),
    "an offset that is not aligned": tensor(NORM, offset=5),
    "two tensors at one place": tensor(NORM, offset=0),
    "a tensor larger than the file": tensor(FIRST, shape=(64, 1 << 20), size=261 * 256),
    # The architecture.
    "no architecture": without("general.architecture"),
    "an architecture that is a number": value("general.architecture", UINT32, 7),
    "an architecture of strange letters": value("general.architecture", STRING, "../x %s"),
    "an adapter as a model": value("general.type", STRING, "adapter"),
    "no block count": without("llama.block_count"),
    "block count 0": value("llama.block_count", UINT32, 0),
    "block count 2**32 - 1": value("llama.block_count", UINT32, (1 << 32) - 1),
    "block count below 0": value("llama.block_count", INT32, -1),
    "block count as text": value("llama.block_count", STRING, "1"),
    "block count as float": value("llama.block_count", FLOAT32, 1.0),
    "block count as truth": value("llama.block_count", BOOL, 1),
    "no width": without("llama.embedding_length"),
    "width 0": value("llama.embedding_length", UINT32, 0),
    "width 2**31": value("llama.embedding_length", UINT32, 1 << 31),
    "another width": value("llama.embedding_length", UINT32, 128),
    "context 0": value("llama.context_length", UINT32, 0),
    "context 2**32 - 1": value("llama.context_length", UINT32, (1 << 32) - 1),
    "feed forward below 0": value("llama.feed_forward_length", INT32, -1),
    "no heads": without("llama.attention.head_count"),
    "heads 0": value("llama.attention.head_count", UINT32, 0),
    "heads 0 in every layer": value("llama.attention.head_count", UINT32, [0, 0]),
    "heads in an empty array": value("llama.attention.head_count", UINT32, []),
    "heads 3": value("llama.attention.head_count", UINT32, 3),
    "groups 0": value("llama.attention.head_count_kv", UINT32, 0),
    "groups 3": value("llama.attention.head_count_kv", UINT32, 3),
    "keys of length 0": value("llama.attention.key_length", UINT32, 0),
    "rotation beyond the head": value("llama.rope.dimension_count", UINT32, 33),
    "rotation that is odd": value("llama.rope.dimension_count", UINT32, 31),
    "experts of which none is used": value("llama.expert_count", UINT32, 8),
    "experts 2**32 - 1": value("llama.expert_count", UINT32, (1 << 32) - 1),
    "experts used of none": value("llama.expert_used_count", UINT32, 2),
    # The vocabulary.
    "no vocabulary": without("tokenizer.ggml.tokens"),
    "an empty vocabulary": value("tokenizer.ggml.tokens", STRING, []),
    "a vocabulary of numbers": value("tokenizer.ggml.tokens", UINT32, [1] * len(TOKENS)),
    "a token too few": value("tokenizer.ggml.tokens", STRING, TOKENS[:-1]),
    "a score too few": value("tokenizer.ggml.scores", FLOAT32, [0.0]),
    "scores of another size": value("tokenizer.ggml.scores", UINT8, [0] * len(TOKENS)),
    "a score that is NaN": value("tokenizer.ggml.scores", FLOAT32, [float("nan")] * len(TOKENS)),
    "a type too few": value("tokenizer.ggml.token_type", INT32, TYPES[:-1]),
    "types of another size": value("tokenizer.ggml.token_type", UINT8, TYPES),
    "merges of numbers": value("tokenizer.ggml.merges", UINT32, [1, 2]),
    "an end beyond the vocabulary": value("tokenizer.ggml.eos_token_id", UINT32, len(TOKENS)),
    "a beginning at 2**31": value("tokenizer.ggml.bos_token_id", UINT32, 1 << 31),
    "an end that is a text": value("tokenizer.ggml.eos_token_id", STRING, "</s>"),
    "a vocabulary of 2**31": value("llama.vocab_size", UINT32, 1 << 31),
}
"""Files with one error each."""

ADAPTERS: dict[str, Wreck] = {
    "a model": value("general.type", STRING, "model"),
    "no kind": without("adapter.type"),
    "another kind": value("adapter.type", STRING, "vector"),
    "no alpha": without("adapter.lora.alpha"),
    "alpha of another type": value("adapter.lora.alpha", UINT32, 8),
    "alpha that is not a number": value("adapter.lora.alpha", FLOAT32, float("nan")),
    "no tensors": part("tensors", {}),
    "half a pair": lambda file: file.tensors.pop("blk.0.attn_q.weight.lora_b"),
    "two ranks": tensor("blk.0.attn_q.weight.lora_b", shape=(8, 64)),
    "a vector": tensor("blk.0.attn_q.weight.lora_a", shape=(256,)),
    "2**63 tensors": part("tensor_count", 1 << 63),
    "cut": part("cut", 200),
}


def wrecked(file: Gguf, wreck: Wreck, folder: Path) -> Path:
    wreck(file)
    return file.write(folder / "strange.gguf")


def first_reported(folder: Path) -> Path:
    """Write the 288 bytes that once crashed a server."""
    keys = {"general.architecture": Value(STRING, "llama"), "llama.block_count": Value(UINT32, 0)}
    path = Gguf(values=keys).write(folder / "small.gguf")
    with path.open("ab") as file:
        file.write(b"\0" * (288 - path.stat().st_size))
    return path


CRASHES: dict[str, tuple[Wreck, Wreck | None]] = {
    "no token for a byte": (
        lambda file: file.values.update({
            "tokenizer.ggml.tokens": Value(STRING, [f"t{number}" for number in range(len(TOKENS))]),
            "tokenizer.ggml.token_type": Value(INT32, [1] * len(TOKENS)),
        }),
        None,
    ),
    "no token for one byte": (
        lambda file: file.values.update({
            "tokenizer.ggml.tokens": Value(STRING, [one.replace("<0xE2>", "<0xe2>") for one in TOKENS])
        }),
        None,
    ),
    "an adapter of halves": (lambda _: None, tensor("blk.0.attn_q.weight.lora_b", shape=(4, 96))),
}  # fmt: skip
"""Errors that only llama.cpp finds."""

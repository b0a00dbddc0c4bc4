"""Check whether a GGUF header describes a model or an adapter that can exist.

llama.cpp checks much of this with assertions, which end the process and everyone's work with it. Some of it is not
checked at all: if scores are missing, llama.cpp reads whatever is in memory after the array.

*Source:* llama.cpp as of llama-cpp-python 0.3.36: `llama-model.cpp`, `llama-vocab.cpp`, `llama-adapter.cpp`,
`llama-hparams.h`.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from workbench.engines.gguf_files.header import (
    FLOAT32,
    INT32,
    REMEDY,
    STRING,
    UINT32,
    GgufArray,
    GgufHeader,
    GgufTensor,
    read_header,
)
from workbench.engines.hub.hub_models import parts_of
from workbench.errors import BadInput

MOST_LAYERS: Final = 512
"""*Source:* `LLAMA_MAX_LAYERS`."""
MOST_EXPERTS: Final = 1024
MOST_WIDTH: Final = 1 << 20
MOST_CONTEXT: Final = 1 << 28
MOST_TOKENS: Final = 1 << 22
NO_TOKEN: Final = 0xFFFFFFFF
"""Value that some files use for a special token that they do not have."""
WITHOUT_HEADS: Final = ("mamba", "rwkv", "arwkv")
"""Prefixes of architectures without attention."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SPECIAL: Final = re.compile(r"tokenizer\.ggml\..+_token_id")
_TOKENS: Final = "tokenizer.ggml.tokens"


class _Wrong(ValueError):
    """Something in a header is impossible."""


def check_model_file(path: Path) -> None:
    """Check the header of a model's file, and of its other parts if it has several.

    Raises:
        BadInput: A file is missing or has an impossible header.
    """
    parts = [path.with_name(name) for name in parts_of(path.name)]
    headers = [read_header(part) for part in parts]
    _checked(
        path, lambda: _check_model(headers[0], [tensor for header in headers for tensor in header.tensors])
    )


def check_adapter_file(path: Path) -> None:
    """Check the header of an adapter's file.

    Raises:
        BadInput: The file is missing or has an impossible header.
    """
    header = read_header(path)
    _checked(path, lambda: _check_adapter(header))


def _checked(path: Path, check: Callable[[], None]) -> None:
    try:
        check()
    except _Wrong as error:
        raise BadInput(f"model file {path.name!r}", str(error), REMEDY) from error


def _check_model(header: GgufHeader, tensors: list[GgufTensor]) -> None:
    if header.values.get("general.type", "model") != "model":
        raise _Wrong(f"it contains an object of type {header.values['general.type']!r}, not a model")
    if not tensors:
        raise _Wrong("it contains no weights")
    numbers = _Numbers(header)
    numbers.check_shape()
    width = numbers.number("embedding_length", least=1, most=MOST_WIDTH)
    tokens = _check_vocabulary(header)
    embedding = next((tensor for tensor in tensors if tensor.name == "token_embd.weight"), None)
    if embedding is not None and tokens and embedding.shape != (width, tokens):
        raise _Wrong(
            f"tensor 'token_embd.weight' has the shape {embedding.shape}; expected {(width, tokens)}"
        )


class _Numbers:
    """The numbers of a model's architecture, by their keys without the name of the architecture."""

    def __init__(self, header: GgufHeader) -> None:
        self._header = header
        name = header.values.get("general.architecture")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise _Wrong("'general.architecture' does not name an architecture")
        self._name = name

    def number(self, key: str, *, least: int, most: int, default: int | None = None) -> int:
        """Return a whole number, checked to be within the range."""
        values = self.numbers(key, least=least, most=most)
        if len(values) == 1:
            return values[0]
        if default is None or values:
            raise _Wrong(f"{self._key(key)!r} should be one number")
        return default

    def numbers(self, key: str, *, least: int, most: int) -> tuple[int, ...]:
        """Return one whole number, or one for each layer. Empty if the key is missing."""
        value = self._header.values.get(self._key(key))
        if value is None:
            return ()
        entries = value.numbers if isinstance(value, GgufArray) else (value,)
        numbers = [entry for entry in entries if isinstance(entry, int) and not isinstance(entry, bool)]
        if not entries or len(numbers) < len(entries):
            raise _Wrong(f"{self._key(key)!r} should be a whole number")
        wrong = next((number for number in numbers if not least <= number <= most), None)
        if wrong is not None:
            raise _Wrong(f"{self._key(key)!r} is {wrong}; expected {least} to {most}")
        return tuple(numbers)

    def check_shape(self) -> None:
        """Check layers, width, context, attention and experts."""
        self.number("block_count", least=1, most=MOST_LAYERS)
        width = self.number("embedding_length", least=1, most=MOST_WIDTH)
        self.number("context_length", least=1, most=MOST_CONTEXT)
        self.numbers("feed_forward_length", least=0, most=1 << 24)
        self.number("vocab_size", least=1, most=MOST_TOKENS, default=1)
        experts = self.number("expert_count", least=0, most=MOST_EXPERTS, default=0)
        used = self.numbers("expert_used_count", least=0, most=experts)
        if experts and not any(used):
            raise _Wrong(
                f"{self._key('expert_used_count')!r} should be the number of experts in use, out of {experts}"
            )
        if not self._name.startswith(WITHOUT_HEADS):
            self._check_heads(width)

    def _check_heads(self, width: int) -> None:
        heads = self.numbers("attention.head_count", least=0, most=65_536)
        if not any(heads):
            raise _Wrong(f"{self._key('attention.head_count')!r} should be 1 or more")
        groups = self.numbers("attention.head_count_kv", least=0, most=max(heads))
        if len(heads) == len(groups) == 1 and (not groups[0] or heads[0] % groups[0]):
            raise _Wrong(f"{heads[0]} attention heads cannot share {groups[0]} keys and values")
        size = self.number("attention.key_length", least=1, most=65_536, default=0)
        self.number("attention.value_length", least=1, most=65_536, default=1)
        if not size and width % max(heads):
            raise _Wrong(f"a width of {width} is not divisible by {max(heads)} attention heads")
        size = size or width // max(heads)
        rotated = self.number("rope.dimension_count", least=0, most=size, default=0)
        if rotated % 2:
            raise _Wrong(f"{self._key('rope.dimension_count')!r} is {rotated}, but should be even")

    def _key(self, key: str) -> str:
        return f"{self._name}.{key}"


def _check_vocabulary(header: GgufHeader) -> int:
    """Check the vocabulary and return its number of tokens. 0 for a model without a vocabulary."""
    kind = header.values.get("tokenizer.ggml.model")
    if kind in ("none", "no_vocab"):
        return 0
    tokens = header.values.get(_TOKENS)
    if not isinstance(kind, str) or not isinstance(tokens, GgufArray) or tokens.kind != STRING:
        raise _Wrong(f"it has no vocabulary: {_TOKENS!r} should be an array of texts")
    if not 1 <= tokens.count <= MOST_TOKENS:
        raise _Wrong(f"{_TOKENS!r} has {tokens.count} tokens; expected 1 to {MOST_TOKENS}")
    for problem in _vocabulary_problems(header, tokens.count):
        raise _Wrong(problem)
    return tokens.count


def _vocabulary_problems(header: GgufHeader, tokens: int) -> Iterator[str]:
    for key, kinds in (("scores", (FLOAT32,)), ("token_type", (INT32, UINT32))):
        values = header.values.get(f"tokenizer.ggml.{key}")
        if values is None:
            continue
        if not isinstance(values, GgufArray) or values.kind not in kinds or values.count != tokens:
            yield f"'tokenizer.ggml.{key}' should have one number for each of {tokens} tokens"
        elif values.has_nan:
            yield f"'tokenizer.ggml.{key}' contains a value that is not a number (NaN)"
    merges = header.values.get("tokenizer.ggml.merges")
    if merges is not None and not (isinstance(merges, GgufArray) and merges.kind == STRING):
        yield "'tokenizer.ggml.merges' should be an array of texts"
    for key, value in header.values.items():
        if _SPECIAL.fullmatch(key) and not _is_token(value, tokens):
            yield f"{key!r} is {value!r}, which is not one of the {tokens} tokens"


def _is_token(value: object, tokens: int) -> bool:
    return (
        isinstance(value, int) and not isinstance(value, bool) and (0 <= value < tokens or value == NO_TOKEN)
    )


def _check_adapter(header: GgufHeader) -> None:
    values = header.values
    if values.get("general.type") != "adapter" or values.get("adapter.type") != "lora":
        raise _Wrong("it is not an adapter: 'general.type' and 'adapter.type' should be 'adapter' and 'lora'")
    if header.kinds.get("adapter.lora.alpha") != FLOAT32:
        raise _Wrong("'adapter.lora.alpha' should be a 32-bit float")
    by_name = {tensor.name: tensor for tensor in header.tensors}
    if not by_name:
        raise _Wrong("it contains no weights")
    for name, tensor in by_name.items():
        if name.endswith((".lora_a", ".lora_b")):
            _check_pair(name, tensor, by_name)


def _check_pair(name: str, tensor: GgufTensor, by_name: dict[str, GgufTensor]) -> None:
    """Check that both halves of a pair have the same rank. For token embeddings, the first half is transposed."""
    stem, _, half = name.rpartition(".lora_")
    other = by_name.get(f"{stem}.lora_{'b' if half == 'a' else 'a'}")
    if other is None:
        raise _Wrong(f"tensor {name!r} has no other half")
    if len(tensor.shape) < 2 or len(other.shape) < 2:
        raise _Wrong(f"tensor {name!r} or its other half is not a matrix")
    is_embedding = stem.startswith("token_embd.")
    if half == "a" and not is_embedding and tensor.shape[1] != other.shape[0]:
        raise _Wrong(f"the halves of {stem!r} have different ranks: {tensor.shape[1]} and {other.shape[0]}")

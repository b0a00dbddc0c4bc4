"""Convert a LoRA adapter from Hugging Face's format to the GGUF file that llama.cpp loads."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple

import gguf
import numpy as np
from numpy.typing import NDArray

from workbench.errors import BadInput

Numbers = NDArray[np.float32]
StoredAs = Literal["f16", "q8_0"]
"""How numbers are stored; of q8_0 a row whose length is no multiple of 32 stays f16."""
PERMUTED: Final = frozenset({"llama"})
"""Architectures whose query and key rows stand in another order in GGUF than in Hugging Face's files.

*Source:* llama.cpp, `convert_hf_to_gguf.py`, `LlamaModel.permute`.
"""
_BLOCK: Final = 32
_ROLES: Final = (".lora_A.weight", ".lora_B.weight")


class AttentionHeads(NamedTuple):
    """Attention heads of a model."""

    queries: int
    keys: int


class AdapterFacts(NamedTuple):
    """What of the base and the training the file needs."""

    architecture: str
    """GGUF's word, such as `llama`."""
    layers: int
    heads: AttentionHeads
    alpha: float
    """Scale of the adapter times its rank."""
    name: str


def write_adapter(
    path: Path, weights: Mapping[str, Numbers], facts: AdapterFacts, *, stored_as: StoredAs = "f16"
) -> None:
    """Writes the file.

    Args:
        weights: By names of peft, such as `base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight`.
        facts: Of base and training.
        stored_as: How numbers are stored.

    Raises:
        BadInput: A weight has no place in the architecture.
    """
    writer = gguf.GGUFWriter(path, facts.architecture)
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_name(facts.name)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, facts.alpha)
    for name, numbers in gguf_weights(weights, facts).items():
        _add(writer, name, numbers, stored_as)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read_adapter(path: Path, weights: Iterable[str], facts: AdapterFacts) -> dict[str, Numbers]:
    """The numbers of a file as peft holds them: what `write_adapter` wrote, read back.

    Args:
        weights: Names of peft, each of which it must have.
        facts: Of the base and the training that goes on from here.

    Raises:
        BadInput: It is no adapter in GGUF, or lacks one of them.
    """
    where = f"adapter {path}"
    try:
        reader = gguf.GGUFReader(path)
    except (OSError, ValueError) as error:
        raise BadInput(where, f"not a GGUF file: {error}", "name an adapter.gguf") from error
    alpha = reader.get_field(gguf.Keys.Adapter.LORA_ALPHA)
    if alpha is None:
        raise BadInput(where, "it holds no LoRA adapter", "name an adapter.gguf")
    held = {tensor.name: tensor for tensor in reader.tensors}
    found: dict[str, Numbers] = {}
    for name, place in _places(weights, facts).items():
        tensor = held.get(place.name)
        if tensor is None:
            raise BadInput(where, f"it has no {place.name}", "name one for this base")
        numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        if place.is_output:
            numbers = numbers * np.float32(float(alpha.contents()) / facts.alpha)
        found[name] = unpermuted(numbers, place.heads) if place.heads else numbers
    return found


def gguf_weights(weights: Mapping[str, Numbers], facts: AdapterFacts) -> dict[str, Numbers]:
    """The weights under GGUF's names, the outputs of query and key projections in GGUF's order.

    Raises:
        BadInput: A weight has no place in the architecture.
    """
    return {
        place.name: permuted(weights[name], place.heads) if place.heads else weights[name]
        for name, place in _places(weights, facts).items()
    }


def permuted(numbers: Numbers, heads: int) -> Numbers:
    """Rows of a query or key projection from Hugging Face's order, halves of a head one behind the other, to
    GGUF's, both halves in turn.

    >>> permuted(np.arange(4, dtype=np.float32).reshape(4, 1), 1).ravel().tolist()
    [0.0, 2.0, 1.0, 3.0]
    """
    rows, *others = numbers.shape
    split = numbers.reshape(heads, 2, rows // heads // 2, *others)
    return np.ascontiguousarray(split.swapaxes(1, 2).reshape(rows, *others))


def unpermuted(numbers: Numbers, heads: int) -> Numbers:
    """Rows from GGUF's order to Hugging Face's: `permuted`, undone.

    >>> unpermuted(np.array([[0.0], [2.0], [1.0], [3.0]], dtype=np.float32), 1).ravel().tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    rows, *others = numbers.shape
    split = numbers.reshape(heads, rows // heads // 2, 2, *others)
    return np.ascontiguousarray(split.swapaxes(1, 2).reshape(rows, *others))


class _Place(NamedTuple):
    """Where a weight of peft stands in a file."""

    name: str
    is_output: bool
    heads: int
    """Of those whose rows stand in another order; 0 for none."""


def _places(weights: Iterable[str], facts: AdapterFacts) -> dict[str, _Place]:
    names = gguf.get_tensor_name_map(_architecture(facts.architecture), facts.layers)
    found: dict[str, _Place] = {}
    for weight in weights:
        role = next((role for role in _ROLES if weight.endswith(role)), "")
        own = weight.removesuffix(role).removeprefix("base_model.model.")
        name = names.get_name(own) if role else None
        if name is None:
            raise BadInput(f"adapter weight {weight!r}", f"{facts.architecture} has no place for it in GGUF")
        is_output = role == _ROLES[1]
        heads = 0
        if is_output and facts.architecture in PERMUTED and own.endswith((".q_proj", ".k_proj")):
            heads = facts.heads.queries if own.endswith(".q_proj") else facts.heads.keys
        found[weight] = _Place(f"{name}.weight.lora_{'b' if is_output else 'a'}", is_output, heads)
    return found


def _architecture(word: str) -> gguf.MODEL_ARCH:
    return next(arch for arch, name in gguf.MODEL_ARCH_NAMES.items() if name == word)


def _add(writer: gguf.GGUFWriter, name: str, numbers: Numbers, stored_as: StoredAs) -> None:
    if stored_as == "q8_0" and numbers.shape[-1] % _BLOCK == 0:
        kind = gguf.GGMLQuantizationType.Q8_0
        writer.add_tensor(name, gguf.quants.quantize(numbers, kind), raw_dtype=kind)
        return
    writer.add_tensor(name, numbers.astype(np.float16))


class TunedWeights(NamedTuple):
    """Weights, and how they came about."""

    steps: int
    """So many were done."""
    steps_planned: int
    """So many were wanted."""
    tokens: int
    """Of all texts, prompts included."""
    tokens_trained: int
    """Of these, those that the loss counts."""
    examples: int
    """So many were trained on."""
    texts: int
    """In so many texts; examples under one system text share one."""
    too_long: int
    """So many were left out for their length."""
    curve: list[tuple[int, float]]
    """Loss by step, as it was logged."""
    weights: Mapping[str, Numbers]
    """Of the adapter, by names of peft; empty where all weights were trained."""

    @property
    def is_whole(self) -> bool:
        """False where it was stopped before its end."""
        return self.steps >= self.steps_planned

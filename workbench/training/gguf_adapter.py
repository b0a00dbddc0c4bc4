"""The GGUF file of a LoRA adapter, for llama.cpp: read it, write it, convert weights of Hugging Face's format."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple

import gguf
import numpy as np
from numpy.typing import NDArray

from workbench.errors import BadInput

Numbers = NDArray[np.float32]
StoredAs = Literal["f16", "q8_0"]
"""How weights are stored. With q8_0, tensors whose rows are not a multiple of 32 long stay f16."""
PERMUTED: Final = frozenset({"llama"})
"""Architectures whose query and key rows have another order in GGUF than in Hugging Face's files.

*Source:* llama.cpp, `convert_hf_to_gguf.py`, `LlamaModel.permute`.
"""
_BLOCK: Final = 32
_ROLES: Final = (".lora_A.weight", ".lora_B.weight")


class AttentionHeads(NamedTuple):
    """Numbers of attention heads of a model."""

    queries: int
    keys: int


class AdapterFacts(NamedTuple):
    """Facts about base and training that the file contains."""

    architecture: str
    """Name of the architecture in GGUF, such as `llama`."""
    layers: int
    heads: AttentionHeads
    alpha: float
    """The scale of the adapter times its rank."""
    name: str


class AdapterFile(NamedTuple):
    """An adapter as its GGUF file stores it."""

    architecture: str
    alpha: float
    """The scale of the adapter times its rank."""
    tensors: Mapping[str, Numbers]
    """Weights by their names in GGUF, such as `blk.0.attn_q.weight.lora_a` (rank × inputs) and `….lora_b`
    (outputs × rank)."""


def write_adapter(
    path: Path, weights: Mapping[str, Numbers], facts: AdapterFacts, *, stored_as: StoredAs = "f16"
) -> None:
    """Write an adapter as a GGUF file.

    Args:
        weights: By their names in peft, such as `base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight`.
        stored_as: How weights are stored.

    Raises:
        BadInput: The architecture has no such weight.
    """
    file = AdapterFile(facts.architecture, facts.alpha, gguf_weights(weights, facts))
    write_file(path, file, name=facts.name, stored_as=stored_as)


def read_adapter(path: Path, weights: Iterable[str], facts: AdapterFacts) -> dict[str, Numbers]:
    """Load an adapter from a GGUF file, in the order and scale of peft. The opposite of `write_adapter`.

    Args:
        weights: Names of weights in peft that the file must have.
        facts: Facts about the base and the new training.

    Raises:
        BadInput: The file is not a GGUF adapter, or lacks a weight.
    """
    file = read_file(path)
    adapter: dict[str, Numbers] = {}
    for name, place in _places(weights, facts).items():
        numbers = file.tensors.get(place.name)
        if numbers is None:
            raise BadInput(
                f"adapter {path}", f"it has no tensor {place.name!r}", "use an adapter for this base"
            )
        if place.is_output:
            numbers = numbers * np.float32(file.alpha / facts.alpha)
        adapter[name] = unpermuted(numbers, place.heads) if place.heads else numbers
    return adapter


def read_file(path: Path) -> AdapterFile:
    """Load an adapter as it is stored, with the weights as float32.

    Raises:
        BadInput: The file is not a GGUF adapter.
    """
    where = f"adapter {path}"
    try:
        reader = gguf.GGUFReader(path)
    except (OSError, ValueError) as error:
        raise BadInput(where, f"not a GGUF file: {error}", "use an adapter.gguf") from error
    alpha = reader.get_field(gguf.Keys.Adapter.LORA_ALPHA)
    architecture = reader.get_field(gguf.Keys.General.ARCHITECTURE)
    if alpha is None or architecture is None:
        raise BadInput(where, "it contains no LoRA adapter", "use an adapter.gguf")
    tensors = {
        tensor.name: gguf.quants.dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors
    }
    return AdapterFile(str(architecture.contents()), float(alpha.contents()), tensors)


def write_file(path: Path, file: AdapterFile, *, name: str, stored_as: StoredAs = "f16") -> None:
    """Write an adapter whose weights have GGUF's names and order."""
    writer = gguf.GGUFWriter(path, file.architecture)
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_name(name)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, file.alpha)
    for tensor, numbers in file.tensors.items():
        _add(writer, tensor, numbers, stored_as)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def gguf_weights(weights: Mapping[str, Numbers], facts: AdapterFacts) -> dict[str, Numbers]:
    """Return the weights under GGUF's names, with the outputs of query and key projections in GGUF's order.

    Raises:
        BadInput: The architecture has no such weight.
    """
    return {
        place.name: permuted(weights[name], place.heads) if place.heads else weights[name]
        for name, place in _places(weights, facts).items()
    }


def permuted(numbers: Numbers, heads: int) -> Numbers:
    """Reorder the rows of a query or key projection from Hugging Face's order to GGUF's.

    Hugging Face stores the two halves of a head one after the other, GGUF alternates their rows.

    >>> permuted(np.arange(4, dtype=np.float32).reshape(4, 1), 1).ravel().tolist()
    [0.0, 2.0, 1.0, 3.0]
    """
    rows, *others = numbers.shape
    split = numbers.reshape(heads, 2, rows // heads // 2, *others)
    return np.ascontiguousarray(split.swapaxes(1, 2).reshape(rows, *others))


def unpermuted(numbers: Numbers, heads: int) -> Numbers:
    """Reorder rows from GGUF's order to Hugging Face's. The opposite of `permuted`.

    >>> unpermuted(np.array([[0.0], [2.0], [1.0], [3.0]], dtype=np.float32), 1).ravel().tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    rows, *others = numbers.shape
    split = numbers.reshape(heads, rows // heads // 2, 2, *others)
    return np.ascontiguousarray(split.swapaxes(1, 2).reshape(rows, *others))


class _Place(NamedTuple):
    """Where a weight of peft is in a GGUF file."""

    name: str
    is_output: bool
    heads: int
    """Number of heads if the rows have another order in GGUF, otherwise 0."""


def _places(weights: Iterable[str], facts: AdapterFacts) -> dict[str, _Place]:
    names = gguf.get_tensor_name_map(_architecture(facts.architecture), facts.layers)
    places: dict[str, _Place] = {}
    for weight in weights:
        role = next((role for role in _ROLES if weight.endswith(role)), "")
        name_in_model = weight.removesuffix(role).removeprefix("base_model.model.")
        name = names.get_name(name_in_model) if role else None
        if name is None:
            raise BadInput(f"adapter weight {weight!r}", f"{facts.architecture} has no such weight in GGUF")
        is_output = role == _ROLES[1]
        heads = 0
        if is_output and facts.architecture in PERMUTED and name_in_model.endswith((".q_proj", ".k_proj")):
            heads = facts.heads.queries if name_in_model.endswith(".q_proj") else facts.heads.keys
        places[weight] = _Place(f"{name}.weight.lora_{'b' if is_output else 'a'}", is_output, heads)
    return places


def _architecture(gguf_name: str) -> gguf.MODEL_ARCH:
    return next(arch for arch, name in gguf.MODEL_ARCH_NAMES.items() if name == gguf_name)


def _add(writer: gguf.GGUFWriter, name: str, numbers: Numbers, stored_as: StoredAs) -> None:
    if stored_as == "q8_0" and numbers.shape[-1] % _BLOCK == 0:
        kind = gguf.GGMLQuantizationType.Q8_0
        writer.add_tensor(name, gguf.quants.quantize(numbers, kind), raw_dtype=kind)
        return
    writer.add_tensor(name, numbers.astype(np.float16))

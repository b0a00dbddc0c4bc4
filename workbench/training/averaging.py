"""Average LoRA adapters of the same base.

An adapter adds a matrix to each projection: its scale times B · A. The average of adapters has the weighted sums of
these matrices, and their product form is just longer:

    w₁ s₁ B₁ A₁ + w₂ s₂ B₂ A₂  =  [w₁ s₁ B₁, w₂ s₂ B₂] · [A₁; A₂]

That is an adapter with the sum of the ranks. A singular value decomposition cuts it to fewer ranks with the least
possible squared error. Adapters that were trained from each other differ little, so that almost nothing is lost: of two
adapters of rank 32, one trained for 1,600 steps from the other, rank 32 keeps 99.9 % of the squared norm.

*Source:* the average of fine-tuned weights is often better than each of them: "Model soups", arXiv:2203.05482.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from workbench import __version__
from workbench.chat.json_value import JsonObject, JsonValue, as_object, json_for_people
from workbench.errors import BadInput
from workbench.training.gguf_adapter import AdapterFile, Numbers, StoredAs, read_file, write_file
from workbench.training.receipt import ADAPTER, CARD, RECEIPT, adapter_facts, file_facts

_INPUT: Final = ".lora_a"
_OUTPUT: Final = ".lora_b"


class Part(NamedTuple):
    """An adapter with its weight in an average."""

    path: Path
    """Its GGUF file."""
    weight: float


class Average(NamedTuple):
    """An average of adapters."""

    file: AdapterFile
    rank: int
    lost: float
    """Share of the squared norm that the cut to this rank lost, from 0 to 1."""


def write_average(
    parts: Sequence[Part],
    out: Path,
    *,
    rank: int = 0,
    stored_as: StoredAs = "f16",
    licence: str = "apache-2.0",
) -> Average:
    """Average adapters, and write the result with a receipt and a model card into the folder `out`.

    Args:
        rank: Highest rank of the result; 0 uses the highest rank of the adapters.

    Raises:
        BadInput: A file is not an adapter, a receipt is not valid JSON, the adapters do not belong to the same base, or
            `out` has an adapter already.
    """
    if (out / ADAPTER).exists():
        raise BadInput(f"--out {out}", "the folder contains an adapter", "use another folder")
    facts = [adapter_facts(part.path) for part in parts]
    base = _common_base(parts, facts)
    average = average_of([(read_file(part.path), part) for part in parts], rank)
    out.mkdir(parents=True, exist_ok=True)
    write_file(out / ADAPTER, average.file, name=f"{out.name}: average", stored_as=stored_as)
    averaged: list[JsonValue] = [
        {**fact, "weight": part.weight} for fact, part in zip(facts, parts, strict=True)
    ]
    receipt: JsonObject = {
        "base": base,
        "averaged": averaged,
        "settings": {"lora_rank": average.rank, "stored_as": stored_as, "licence": licence},
        "lost": round(average.lost, 6),
        "files": [file_facts(out / ADAPTER)],
        "versions": {"workbench": __version__, "numpy": version("numpy"), "gguf": version("gguf")},
    }
    (out / RECEIPT).write_text(json_for_people(receipt) + "\n", encoding="utf-8")
    (out / CARD).write_text(_card(receipt, title=out.name), encoding="utf-8")
    return average


def average_of(adapters: Sequence[tuple[AdapterFile, Part]], rank: int = 0) -> Average:
    """Return the average of adapters, cut to a rank.

    Args:
        rank: Highest rank of the result; 0 uses the highest rank of the adapters.

    Raises:
        BadInput: The adapters change other projections, or projections of other shapes.
    """
    first, first_part = adapters[0]
    shapes = _shapes(first)
    for other, part in adapters[1:]:
        if other.architecture != first.architecture or _shapes(other) != shapes:
            raise BadInput(
                f"adapter {part.path}",
                f"it changes other projections than {first_part.path}",
                "average adapters of the same base",
            )
    names = [name.removesuffix(_INPUT) for name in first.tensors if name.endswith(_INPUT)]
    ranks = [[file.tensors[name + _INPUT].shape[0] for file, _ in adapters] for name in names]
    rank = min(rank or max(map(max, ranks)), max(map(sum, ranks)))
    tensors: dict[str, Numbers] = {}
    lost = total = 0.0
    for name in names:
        inputs = np.concatenate([file.tensors[name + _INPUT] for file, _ in adapters], axis=0)
        outputs = np.concatenate(
            [_scaled_outputs(file, part.weight, name) for file, part in adapters], axis=1
        )
        # The product has as many rows as the projection, but only few ranks. So decompose its small core alone.
        left, left_core = np.linalg.qr(outputs)
        right, right_core = np.linalg.qr(inputs.T)
        turns, sizes, turned = np.linalg.svd(left_core @ right_core.T)
        lost, total = lost + float(np.sum(sizes[rank:] ** 2)), total + float(np.sum(sizes**2))
        # Both factors get the root of the size. Rows of zeros fill up a projection that had fewer ranks than others.
        roots = np.sqrt(sizes[:rank])
        fill = (0, rank - len(roots))
        rows = np.pad((roots[:, None] * turned[:rank]) @ right.T, (fill, (0, 0)))
        columns = np.pad((left @ turns[:, :rank]) * roots, ((0, 0), fill))
        tensors[name + _INPUT] = np.ascontiguousarray(rows, np.float32)
        tensors[name + _OUTPUT] = np.ascontiguousarray(columns, np.float32)
    # llama.cpp divides alpha by the rank, so the scale is 1.
    return Average(
        AdapterFile(first.architecture, float(rank), tensors), rank, lost / total if total else 0.0
    )


def _scaled_outputs(file: AdapterFile, weight: float, name: str) -> Numbers:
    outputs = file.tensors[name + _OUTPUT]
    return outputs * np.float32(weight * file.alpha / outputs.shape[1])


def _shapes(file: AdapterFile) -> Mapping[str, int]:
    """Return the number of inputs or outputs of each tensor, whatever its rank."""
    return {
        name: numbers.shape[1] if name.endswith(_INPUT) else numbers.shape[0]
        for name, numbers in file.tensors.items()
    }


def _common_base(parts: Sequence[Part], facts: Sequence[JsonObject]) -> JsonObject:
    """Return the base that the receipts name. Receipts that name none are left out."""
    common: JsonObject = {}
    for part, fact in zip(parts, facts, strict=True):
        base = as_object(as_object(fact.get("receipt")).get("base"))
        if base and common and base.get("sha256") != common.get("sha256"):
            raise BadInput(
                f"adapter {part.path}",
                f"its base is {base.get('name')}, not {common.get('name')}",
                "average adapters of the same base",
            )
        common = common or base
    return common


def _card(receipt: JsonObject, *, title: str) -> str:
    settings, base = as_object(receipt["settings"]), as_object(receipt["base"])
    averaged = receipt["averaged"]
    assert isinstance(averaged, list)
    names = [
        f"{str(as_object(entry)['sha256'])[:12]}… × {as_object(entry)['weight']:g}" for entry in averaged
    ]
    lines = (
        "---",
        f"license: {settings['licence']}",
        "tags: [function-calling, tool-use, hermes]",
        "---",
        f"# {title}: tool calls for {base.get('name') or 'an unnamed base'}",
        "",
        f"This is the average of {len(names)} LoRA adapters, of rank {settings['lora_rank']}: {', '.join(names)}.",
        "",
        "`receipt.json` in this folder has the receipts of all of them.",
        "",
    )
    return "\n".join(lines)

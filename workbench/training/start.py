"""The adapter that a run goes on from."""

import json
from pathlib import Path

import torch
from torch import Tensor
from transformers import PreTrainedModel

from workbench.chat.json_value import JsonObject, as_object
from workbench.errors import BadInput
from workbench.training.base_model import ARCHITECTURES, Base
from workbench.training.gguf_adapter import AdapterFacts, Heads, read_adapter
from workbench.training.receipt import RECEIPT, file_facts
from workbench.training.terms import TrainTerms


def facts_of(base: Base, terms: TrainTerms) -> AdapterFacts | None:
    """What an adapter's GGUF says of base and run; None where GGUF has no such architecture."""
    config = base.model.config
    architecture = ARCHITECTURES.get(config.model_type)
    if architecture is None:
        return None
    return AdapterFacts(
        architecture=architecture,
        layers=config.num_hidden_layers,
        heads=Heads(config.num_attention_heads, config.num_key_value_heads),
        alpha=terms.lora_alpha,
        name=terms.out.name,
    )


def lora_parameters(model: PreTrainedModel) -> dict[str, Tensor]:
    """The adapter's own parameters, by peft's names as files have them."""
    return {
        name.replace(".default.", "."): parameter
        for name, parameter in model.named_parameters()
        if ".lora_A." in name or ".lora_B." in name
    }


def lay_in(model: PreTrainedModel, path: Path, facts: AdapterFacts | None) -> None:
    """Puts an adapter's numbers into a model that is about to be trained.

    Raises:
        BadInput: It is no such file, or of another base or rank.
    """
    where = f"--start {path}"
    if facts is None:
        raise BadInput(where, "this base's architecture has no adapters in GGUF", "leave it out")
    own = lora_parameters(model)
    for name, numbers in read_adapter(path, own, facts).items():
        parameter = own[name]
        if tuple(parameter.shape) != numbers.shape:
            shapes = f"{name} is {list(numbers.shape)} there and {list(parameter.shape)} here"
            raise BadInput(where, f"another base or rank: {shapes}", "name its base and --lora-rank")
        parameter.detach().copy_(torch.from_numpy(numbers))


def start_receipt(path: Path) -> JsonObject:
    """What a run went on from: the file, and the receipt beside it; None there where none is.

    Raises:
        BadInput: The receipt cannot be read.
    """
    beside = path.with_name(RECEIPT)
    try:
        told = as_object(json.loads(beside.read_text(encoding="utf-8"))) if beside.is_file() else None
    except ValueError as error:
        raise BadInput(f"receipt {beside}", f"no JSON: {error}", "mend it or move it away") from error
    return {**file_facts(path), "receipt": told}

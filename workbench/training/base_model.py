"""Load the model that a training run starts from, with its tokenizer and an earlier adapter."""

import json
import os
from hashlib import file_digest
from pathlib import Path
from typing import Final, NamedTuple

import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from workbench.chat.json_value import JsonObject, as_object
from workbench.errors import BadInput
from workbench.training.gguf_adapter import (
    AdapterFacts,
    AttentionHeads,
    read_adapter,
)
from workbench.training.receipt import RECEIPT, Precision, TrainOptions, file_facts

_TYPES: Final = {"f32": torch.float32, "bf16": torch.bfloat16}


ARCHITECTURES: Final = {"llama": "llama", "mistral": "llama", "qwen2": "qwen2", "qwen3": "qwen3"}
"""Hugging Face's word for a kind of model, to GGUF's."""


class Base(NamedTuple):
    """A loaded base."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    fingerprint: str
    """SHA-256 (hex) of a GGUF file; empty for other forms."""


def load_base(name: str, precision: Precision) -> Base:
    """The base, loaded.

    Raises:
        BadInput: transformers cannot read it.
    """
    path = Path(name).expanduser()
    try:
        if path.is_file():
            return _load_gguf(path, precision)
        model = AutoModelForCausalLM.from_pretrained(name, dtype=_TYPES[precision])
        return Base(model, AutoTokenizer.from_pretrained(name), name, "")
    except (OSError, ValueError) as error:
        raise BadInput(
            f"base {name}", str(error).splitlines()[0][:200], "name a folder or a GGUF file"
        ) from error


def is_slow(precision: Precision) -> bool:
    """Whether the processor that trains has no instructions for such numbers.

    *Source:* a step of 1,040 tokens took over two minutes in bf16 and eight seconds in f32 where there is AVX2 alone.
    """
    is_plain = torch.backends.cpu.get_cpu_capability() == "AVX2"
    return precision == "bf16" and is_plain and not torch.cuda.is_available()


def encode_with(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    """The tokens of a text, none put before or behind."""
    return tokenizer.encode(text, add_special_tokens=False)


def begin_tokens(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """The tokens that this model's tokenizer puts before every text."""
    added = tokenizer.encode("", add_special_tokens=True)
    return [token for token in added if token == tokenizer.bos_token_id]


def _load_gguf(path: Path, precision: Precision) -> Base:
    folder, file = os.fspath(path.parent), path.name
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
    read = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=_TYPES[precision])
    # What is read calls itself quantised, and no trainer takes that: the same numbers go into a plain model.
    config = read.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=_TYPES[precision])
    model.load_state_dict(read.state_dict())
    with path.open("rb") as opened:
        return Base(model, tokenizer, path.name, file_digest(opened, "sha256").hexdigest())


def facts_of(base: Base, terms: TrainOptions) -> AdapterFacts | None:
    """What an adapter's GGUF says of base and run; None where GGUF has no such architecture."""
    config = base.model.config
    architecture = ARCHITECTURES.get(config.model_type)
    if architecture is None:
        return None
    return AdapterFacts(
        architecture=architecture,
        layers=config.num_hidden_layers,
        heads=AttentionHeads(config.num_attention_heads, config.num_key_value_heads),
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


def load_adapter_into(model: PreTrainedModel, path: Path, facts: AdapterFacts | None) -> None:
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

"""Load the model that a training run starts from, with its tokenizer and an earlier adapter."""

import os
from hashlib import file_digest
from pathlib import Path
from typing import Final, NamedTuple

import torch
from torch import Tensor
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from workbench.errors import BadInput
from workbench.training.gguf_adapter import (
    AdapterFacts,
    AttentionHeads,
    read_adapter,
)
from workbench.training.receipt import Precision, TrainOptions

_KEPT_BYTES: Final = 60
"""Bytes that a layer with an adapter keeps for each token and each number of the hidden state, in bf16.

Measured: 32 GB for 32,768 tokens of SmolLM2-135M, with 30 layers and 576 numbers.
"""
_TYPES: Final = {"f32": torch.float32, "bf16": torch.bfloat16}


ARCHITECTURES: Final = {"llama": "llama", "mistral": "llama", "qwen2": "qwen2", "qwen3": "qwen3"}
"""Hugging Face's name of a model type to GGUF's name of the architecture."""


class Base(NamedTuple):
    """A loaded base model."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    fingerprint: str
    """SHA-256 (hex) of a GGUF file. Empty for other formats."""


def load_base(name: str, precision: Precision) -> Base:
    """Load the base model.

    Args:
        name: Folder, repository or GGUF file.

    Raises:
        BadInput: transformers cannot load it.
    """
    path = Path(name).expanduser()
    try:
        if path.is_file():
            return _load_gguf(path, precision)
        model = AutoModelForCausalLM.from_pretrained(name, dtype=_TYPES[precision])
        return Base(model, AutoTokenizer.from_pretrained(name), name, "")
    except (OSError, ValueError) as error:
        raise BadInput(
            f"base {name}", str(error).splitlines()[0][:200], "use a folder, a repository or a GGUF file"
        ) from error


def has_gpu() -> bool:
    """Return whether PyTorch can use a GPU."""
    return torch.cuda.is_available()


def fits_without_recomputing(config: PretrainedConfig, tokens: int) -> bool:
    """Return whether the memory of the GPU has room for what a step keeps for its backward pass.

    If not, the layers are computed a second time, which costs a third of the speed.

    Args:
        tokens: Number of tokens of a step.
    """
    free, _ = torch.cuda.mem_get_info()
    kept = tokens * config.num_hidden_layers * config.hidden_size * _KEPT_BYTES
    return kept < free / 2


def is_slow(precision: Precision) -> bool:
    """Return whether training in this precision is slow, because the processor has no instructions for it.

    With AVX2 only, a step of 1,040 tokens took over two minutes in bf16 and eight seconds in f32.
    """
    has_only_avx2 = torch.backends.cpu.get_cpu_capability() == "AVX2"
    return precision == "bf16" and has_only_avx2 and not has_gpu()


def encode_with(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    """Return the tokens of a text, without begin and end tokens."""
    return tokenizer.encode(text, add_special_tokens=False)


def begin_tokens(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """Return the tokens that the tokenizer adds before every text."""
    added = tokenizer.encode("", add_special_tokens=True)
    return [token for token in added if token == tokenizer.bos_token_id]


def _load_gguf(path: Path, precision: Precision) -> Base:
    folder, file = os.fspath(path.parent), path.name
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
    loaded = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=_TYPES[precision])
    # The loaded model is marked as quantized, which trainers refuse. So copy its weights into a plain model.
    config = loaded.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=_TYPES[precision])
    model.load_state_dict(loaded.state_dict())
    with path.open("rb") as opened:
        return Base(model, tokenizer, path.name, file_digest(opened, "sha256").hexdigest())


def facts_of(base: Base, options: TrainOptions) -> AdapterFacts | None:
    """Return what the adapter's GGUF file needs to know. None if GGUF does not have the base's architecture."""
    config = base.model.config
    architecture = ARCHITECTURES.get(config.model_type)
    if architecture is None:
        return None
    return AdapterFacts(
        architecture=architecture,
        layers=config.num_hidden_layers,
        heads=AttentionHeads(config.num_attention_heads, config.num_key_value_heads),
        alpha=options.lora_alpha,
        name=options.out.name,
    )


def lora_parameters(model: PreTrainedModel) -> dict[str, Tensor]:
    """Return the adapter's parameters, by their names in peft's files."""
    return {
        name.replace(".default.", "."): parameter
        for name, parameter in model.named_parameters()
        if ".lora_A." in name or ".lora_B." in name
    }


def load_adapter_into(model: PreTrainedModel, path: Path, facts: AdapterFacts | None) -> None:
    """Copy the weights of an adapter file into the adapter of a model, before it is trained.

    Raises:
        BadInput: The file is not an adapter, or belongs to another base or rank.
    """
    where = f"--start {path}"
    if facts is None:
        raise BadInput(where, "GGUF has no adapters for the architecture of this base", "leave out --start")
    own = lora_parameters(model)
    for name, numbers in read_adapter(path, own, facts).items():
        parameter = own[name]
        if tuple(parameter.shape) != numbers.shape:
            shapes = f"{name} has the shape {list(numbers.shape)}; expected {list(parameter.shape)}"
            raise BadInput(
                where, f"the adapter has another base or rank: {shapes}", "use its --base and --lora-rank"
            )
        parameter.detach().copy_(torch.from_numpy(numbers))

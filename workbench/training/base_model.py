"""The model that is trained: a folder or repository of Hugging Face's form, or a GGUF file."""

import os
from hashlib import file_digest
from pathlib import Path
from typing import Final, NamedTuple

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from workbench.errors import BadInput
from workbench.training.terms import Precision

_TYPES: Final = {"f32": torch.float32, "bf16": torch.bfloat16}
ARCHITECTURES: Final = {"llama": "llama", "mistral": "llama", "qwen2": "qwen2", "qwen3": "qwen3"}
"""Hugging Face's word for a kind of model, to GGUF's."""


class Base(NamedTuple):
    """A loaded base."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    """As the card names it."""
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

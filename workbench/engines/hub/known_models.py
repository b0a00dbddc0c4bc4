"""Recommended models: repositories of GGUF files with a note on each."""

from typing import Final

from workbench.engines.hub.hub_models import KnownModel

KNOWN_MODELS: Final = (
    KnownModel(
        title="Hermes 3, 3B",
        repository="NousResearch/Hermes-3-Llama-3.2-3B-GGUF",
        family="hermes-3",
        template="Hermes-3 tool_use (ChatML)",
        context_tokens=131_072,
        note="Calls tools on its own and runs on a laptop; about 2 GB as Q4_K_M",
    ),
    KnownModel(
        title="Hermes 3, 8B",
        repository="NousResearch/Hermes-3-Llama-3.1-8B-GGUF",
        family="hermes-3",
        template="Hermes-3 tool_use (ChatML)",
        context_tokens=131_072,
        note="A good first choice with 8 GB of free memory; about 5 GB as Q4_K_M",
    ),
    KnownModel(
        title="Hermes 2 Pro, 7B",
        repository="NousResearch/Hermes-2-Pro-Mistral-7B-GGUF",
        family="hermes-3",
        template="Hermes-2-Pro tool_use (ChatML)",
        context_tokens=32_768,
        note="The first model with this format; about 4.4 GB as Q4_K_M",
    ),
    KnownModel(
        title="Hermes 4, 14B",
        repository="bartowski/NousResearch_Hermes-4-14B-GGUF",
        family="qwen3",
        template="Qwen3 (ChatML), calls between thoughts",
        context_tokens=40_960,
        note="Thinks before it calls; about 9 GB as Q4_K_M",
    ),
    KnownModel(
        title="Qwen3 Coder, 30B (3B active)",
        repository="unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF",
        family="qwen3-coder",
        template="Qwen3-Coder (ChatML), XML calls",
        context_tokens=262_144,
        note="Calls in the XML dialect, fast for its size; about 18 GB as Q4_K_M",
    ),
)
"""Recommended models. *Source:* the model cards; the template of Hermes 2 Pro gives the bytes of Hermes 3."""


def known_model(repository: str) -> KnownModel | None:
    """Return the recommended model that a repository contains, or None. The owner of the repository is ignored.

    >>> known_model("somebody/Hermes-4-14B-GGUF").family
    'qwen3'
    """
    name = _model_name(repository)
    return next((model for model in KNOWN_MODELS if _model_name(model.repository) == name), None)


def _model_name(repository: str) -> str:
    name = repository.rpartition("/")[2].lower().removesuffix("-gguf")
    return name.removeprefix("nousresearch_").removeprefix("qwen_")

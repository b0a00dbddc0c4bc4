"""Models that are recommended: repositories of GGUF files, with what is known of each."""

from typing import Final

from workbench.engines.hub.hub_models import KnownModel

KNOWN_MODELS: Final = (
    KnownModel(
        title="Hermes 3, 3B",
        repository="NousResearch/Hermes-3-Llama-3.2-3B-GGUF",
        family="hermes-3",
        template="Hermes-3 tool_use (ChatML)",
        context_tokens=131_072,
        note="Calls tools by itself on a laptop; about 2 GB as Q4_K_M",
    ),
    KnownModel(
        title="Hermes 3, 8B",
        repository="NousResearch/Hermes-3-Llama-3.1-8B-GGUF",
        family="hermes-3",
        template="Hermes-3 tool_use (ChatML)",
        context_tokens=131_072,
        note="The one to begin with where there are 8 GB to spare; about 5 GB as Q4_K_M",
    ),
    KnownModel(
        title="Hermes 2 Pro, 7B",
        repository="NousResearch/Hermes-2-Pro-Mistral-7B-GGUF",
        family="hermes-3",
        template="Hermes-2-Pro tool_use (ChatML)",
        context_tokens=32_768,
        note="The first model of the format; about 4.4 GB as Q4_K_M",
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
"""Recommended models. *Source:* their model cards; Hermes-2-Pro's template gives the bytes of Hermes-3's."""


def known_model(repository: str) -> KnownModel | None:
    """What is known of the model of a repository, whoever packed it; None where nothing is.

    >>> known_model("somebody/Hermes-4-14B-GGUF").family
    'qwen3'
    """
    wanted = _model_name(repository)
    return next((one for one in KNOWN_MODELS if _model_name(one.repository) == wanted), None)


def _model_name(repository: str) -> str:
    name = repository.rpartition("/")[2].lower().removesuffix("-gguf")
    return name.removeprefix("nousresearch_").removeprefix("qwen_")

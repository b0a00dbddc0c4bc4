"""Load a model in a child process first, so that a crash of llama.cpp only ends the child."""

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
"""Time for starting the process, without the time for the model."""
SLOWEST_BYTES_PER_S: Final = 50 << 20
"""Expected minimum speed of the disk. On a slower one, a large model looks as if it hangs."""
REFUSED: Final = 3
"""Exit status of the child if llama.cpp reported an error."""
_OUTPUT_BYTES: Final = 8 << 10
_MESSAGE_CHARS: Final = 600
_VARIABLES: Final = ("PATH", "HOME", "TMPDIR", "TEMP", "TMP", "LANG", "SYSTEMROOT", "LD_LIBRARY_PATH")
_PREFIXES: Final = ("LC_", "DYLD_", "CUDA", "NVIDIA_", "HIP_", "ROCR_", "HSA_", "VK_", "GGML_", "LLAMA_", "OMP_",
                    "GOMP_", "OPENBLAS_", "MKL_")  # fmt: skip


def open_in_child(path: Path, loading: LoadOptions, *, size_bytes: int, limit_s: float | None = None) -> None:
    """Load a model in a child process and evaluate a few tokens.

    Args:
        loading: The options that the model will be loaded with.
        size_bytes: Size of all parts and adapters.
        limit_s: Time limit for the child. None derives it from the size.

    Raises:
        EngineError: llama.cpp refused the model or an adapter.
        ModelBroken: llama.cpp crashed or took too long.
    """
    limit_s = limit_s or FIXED_LIMIT_S + size_bytes / SLOWEST_BYTES_PER_S
    task = json.dumps({"limit_s": limit_s, "path": str(path.absolute()), **_described(loading)}).encode()
    with tempfile.TemporaryFile() as output:
        try:
            result = subprocess.run(
                # -P: a folder `workbench/` in the current folder is not ours.
                [sys.executable, "-P", "-m", CHILD],
                input=task,
                stdout=output,
                stderr=output,
                env=child_environment(),
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ModelBroken(path.name, f"llama.cpp did not load it within {limit_s:.0f} s") from None
        if result.returncode == 0:
            return
        message = _end_of(output)
    if result.returncode == REFUSED:
        raise EngineError(message or f"llama.cpp cannot load {path.name}")
    raise ModelBroken(
        path.name, f"llama.cpp crashed while loading it {_cause(result.returncode)}: {message}".rstrip(": ")
    )


def _described(loading: LoadOptions) -> dict[str, object]:
    return {
        "context_tokens": loading.context_tokens,
        "threads": loading.threads,
        "gpu_layers": loading.gpu_layers,
        "flash_attention": loading.flash_attention,
        "kv_type": loading.kv_type,
        "side_by_side": loading.side_by_side,
        "lora": [[str(adapter.path.absolute()), adapter.scale] for adapter in loading.lora],
    }


def child_environment() -> dict[str, str]:
    """Return the variables that llama.cpp may need, without tokens and passwords, because the file is not trusted."""
    variables = {
        name: value for name, value in os.environ.items() if name in _VARIABLES or name.startswith(_PREFIXES)
    }
    # GGML_NO_BACKTRACE: without it, a crash would start a debugger if there is one.
    return {**variables, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "GGML_NO_BACKTRACE": "1"}


def _cause(status: int) -> str:
    if status >= 0:
        return f"with exit status {status}"
    try:
        return f"with {signal.Signals(-status).name}"
    except ValueError:
        return f"with signal {-status}"


def _end_of(output: BinaryIO) -> str:
    """Return the end of the child's output as one line."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(size - _OUTPUT_BYTES, 0))
    return " ".join(output.read().decode("utf-8", "replace").split())[-_MESSAGE_CHARS:]

"""The child process of a trial: load a model, evaluate a few tokens, exit.

Standard input has the task as JSON. Exit status 0 means success. `REFUSED` means that llama.cpp reported an error,
which is written to standard output. Any other status is a crash.
"""

import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workbench.engines.gguf_files.trial import REFUSED
from workbench.engines.llama_loading import LoadOptions, LoraAdapter
from workbench.errors import EngineError

if TYPE_CHECKING:
    # Needs llama-cpp-python, which is an extra.
    from workbench.engines.llama_binding import Binding

EVERY_BYTE: Final = "".join(
    map(
        chr,
        (*range(1, 0x800), *range(0x800, 0xD800, 0x800), 0xE000, 0xFFFD, *range(0x10000, 0x110000, 0x10000)),
    )
)
"""A text with every byte that occurs in UTF-8, except zero."""


def main() -> int:
    """Load the model of the task and return the exit status."""
    task: dict[str, Any] = json.load(sys.stdin)
    confine(limit_s=task.pop("limit_s"))
    path, lora = Path(task.pop("path")), task.pop("lora")
    adapters = tuple(LoraAdapter(path=Path(file), scale=scale) for file, scale in lora)
    from workbench.engines.llama_binding import Binding

    try:
        binding = Binding(path, LoadOptions(**task, lora=adapters, prefix_cache_bytes=0))
        _use(binding)
    except EngineError as error:
        sys.stdout.write(f"{error}\n")
        return REFUSED
    # Freeing the model can fail too.
    binding.close()
    return 0


def _use(binding: "Binding") -> None:
    """Use every function once that later texts may use.

    A token without text, or a byte without a token, crashes llama.cpp just like a wrong shape.
    """
    for token in range(binding.vocabulary_size):
        binding.piece(token)
        binding.is_end(token)
        binding.is_mark(token)
    binding.tokenize(EVERY_BYTE, is_start=True)
    binding.chat_template()
    tokens = [0, binding.vocabulary_size - 1, *binding.tokenize("Hello", is_start=True)]
    binding.decode(tokens[: min(len(tokens), binding.context_tokens)])
    binding.restore(binding.save())
    binding.cut(1)


def confine(*, limit_s: float, memory_bytes: int | None = None) -> None:
    """Limit the process: a time limit that works without the parent, no core dump, and first to go if memory runs out.

    Args:
        limit_s: The time limit.
        memory_bytes: Limit on the address space. None for no limit.
    """
    if sys.platform == "win32":
        return
    import resource

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(limit_s) + 5)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory_bytes is not None:
        # macOS does not know such a limit.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # Not `sys.exit`: it would also run the exit handlers of libraries, which are not part of the trial.
    os._exit(status)

"""The child process of a trial: open one model, evaluate one token, exit.

Standard input holds the task as JSON. Exit status 0 says that all went well, `REFUSED` that llama.cpp gave an error,
which is written to standard output. Anything else is a crash.
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
"""A text that holds every byte that UTF-8 uses, except zero."""


def main() -> int:
    """Opens the model of the task; the exit status."""
    task: dict[str, Any] = json.load(sys.stdin)
    _confine(limit_s=task.pop("limit_s"))
    path, lora = Path(task.pop("path")), task.pop("lora")
    adapters = tuple(LoraAdapter(path=Path(file), scale=scale) for file, scale in lora)
    from workbench.engines.llama_binding import Binding

    try:
        binding = Binding(path, LoadOptions(**task, lora=adapters, prefix_cache_bytes=0))
        _use(binding)
    except EngineError as error:
        sys.stdout.write(f"{error}\n")
        return REFUSED
    # What freeing it would find wrong is found here too.
    binding.close()
    return 0


def _use(binding: "Binding") -> None:
    """Does once all that later texts may lead to: a token that cannot be spelled, or a byte without a token, ends the
    process as surely as a wrong shape."""
    for token in range(binding.vocabulary_size):
        binding.piece(token)
        binding.is_end(token)
        binding.is_mark(token)
    binding.tokenize(EVERY_BYTE, is_start=True)
    binding.chat_template()
    tokens = [0, binding.vocabulary_size - 1, *binding.tokenize("Hello", is_start=True)]
    binding.decode(tokens[: min(len(tokens), binding.context_tokens)])
    binding.logits()
    binding.restore(binding.save())
    binding.cut(1)


def _confine(*, limit_s: float) -> None:
    """Ends with the parent's patience even if the parent is gone, leaves no core, and is the first to run out of
    memory."""
    if sys.platform == "win32":
        return
    import resource

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(limit_s) + 5)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # Not by `sys.exit`: what libraries do at the end of a process is not on trial.
    os._exit(status)

"""Experimental: a GGUF model on a Space with ZeroGPU, which lends a GPU for the duration of one call.

The decorated function runs in a forked process. Its arguments and results are pickled, it must be synchronous, and it
loads the model itself, because llama.cpp must not use CUDA before. A worker that is used again still has its model.

*Source:* spaces 0.51, `zero/decorator.py`, `zero/wrappers.py`; the decorator does nothing outside such a Space.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, cast

from workbench.engines.llama_cpp import LlamaCppEngine, load_llama_cpp
from workbench.engines.llama_loading import LoadOptions, fingerprint_of
from workbench.errors import ModelMissing
from workbench.rollout.ports import Capabilities, Delta, FinishReason, GenerationRequest

CHARS_PER_TOKEN: Final = 4
LEAST_SECONDS: Final = 15
"""Time for loading a model of some GB."""
MOST_SECONDS: Final = 120
TOKENS_PER_SECOND: Final = 20
"""A cautious estimate. Note that a request for more time than a visitor has left is refused."""

Write = Callable[[str, str, LoadOptions, GenerationRequest], Iterator[Delta]]
"""Generates a completion on the lent GPU: path, name, options and request."""


class ZeroGpuEngine:
    """A GGUF file that is loaded on a lent GPU; see `workbench.rollout.ports.Engine`."""

    def __init__(self, path: Path, *, name: str, loading: LoadOptions) -> None:
        """Load nothing yet.

        Raises:
            ModelMissing: The file or the package `spaces` is missing.
        """
        if not path.is_file():
            raise ModelMissing(name, "add the file to preload_from_hub in the Space's README", path=path)
        self._path = path
        self._loading = loading
        self._write = register()
        self.name = name
        self.device = "ZeroGPU, lent for each completion (experimental)"
        self.context_tokens = loading.context_tokens
        self.fingerprint = fingerprint_of(path, loading)
        self.capabilities = Capabilities(has_exact_prompt=True, has_grammar=True, has_tokenizer=False)

    def count_tokens(self, text: str) -> int:
        """Estimate the number of tokens, because the model is not in this process."""
        return -(-len(text) // CHARS_PER_TOKEN)

    def close(self) -> None:
        """Do nothing: the worker with the model ends on its own."""

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """Yield the completion in pieces. Stopping it releases the GPU."""
        deltas = self._write(str(self._path), self.name, self._loading, request)
        for delta in deltas:
            if is_cancelled() and delta.finish_reason is None:
                yield Delta(finish_reason=FinishReason.CANCELLED)
                break
            yield delta
        cast(Any, deltas).close()


@cache
def register() -> Write:
    """Return the function that runs on a lent GPU. ZeroGPU must know it before the page is served.

    Raises:
        ModelMissing: The package `spaces` is not installed.
    """
    try:
        spaces: Any = import_module("spaces")  # It ships no types.
    except ImportError as error:
        raise ModelMissing(
            "zerogpu",
            "the package 'spaces' is not installed; ZeroGPU models only work on a Space with ZeroGPU",
        ) from error
    return cast(Write, spaces.GPU(duration=seconds_for)(write))


def seconds_for(path: str, name: str, loading: LoadOptions, request: GenerationRequest) -> int:
    """Return the time in seconds to request the GPU for; it has the parameters of `write`.

    >>> from workbench.rollout.sampling import Sampling
    >>> request = GenerationRequest(prompt="", sampling=Sampling(max_tokens=400))
    >>> seconds_for("", "", LoadOptions(context_tokens=0, threads=0, gpu_layers=-1), request)
    35
    """
    del path, name, loading
    return min(MOST_SECONDS, LEAST_SECONDS + request.sampling.max_tokens // TOKENS_PER_SECOND)


def write(path: str, name: str, loading: LoadOptions, request: GenerationRequest) -> Iterator[Delta]:
    """Load the model unless this process has it already, and generate."""
    yield from _loaded(path, name, loading).generate(request, is_cancelled=lambda: False)


@cache
def _loaded(path: str, name: str, loading: LoadOptions) -> LlamaCppEngine:
    return load_llama_cpp(Path(path), name=name, loading=loading)

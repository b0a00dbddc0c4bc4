"""GGUF models through llama.cpp, on CPU or GPU."""

import codecs
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Final, Protocol, cast

from workbench.engines.grammar_text import grammar_text
from workbench.engines.llama_log import llama_log
from workbench.engines.stop_texts import StopTexts
from workbench.errors import EngineError, ModelMissing, PromptTooLong
from workbench.rollout.ports import Capabilities, Delta, FinishReason, GenerationRequest, Sampling, Usage

LEAST_ROOM_TOKENS: Final = 16
"""A prompt that leaves less room than this for the completion is refused."""
FINGERPRINT_BYTES: Final = 1 << 20
"""How much of each end of a GGUF file goes into its fingerprint."""


class _Llama(Protocol):
    """The part of `llama_cpp.Llama` that we use; version 0.3.36."""

    input_ids: Sequence[int]
    n_tokens: int
    model: Any  # a ctypes handle
    metadata: dict[str, str]

    def n_ctx(self) -> int: ...
    def tokenize(self, text: bytes, *, add_bos: bool, special: bool) -> list[int]: ...
    def detokenize(self, tokens: list[int], *, special: bool) -> bytes: ...
    def set_seed(self, seed: int) -> None: ...
    def generate(self, tokens: Sequence[int], **sampling: Any) -> Iterator[int]: ...
    def reset(self) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """How to load a model."""

    context_tokens: int
    """Wanted context; 0, and anything above it, takes what the model was trained with."""
    threads: int
    """0 takes one a core."""
    gpu_layers: int
    """-1 takes all, where the build can."""


class LlamaCppEngine:
    """One loaded GGUF; one generation at a time, the others wait."""

    def __init__(self, llama: _Llama, *, name: str, fingerprint: str, device: str) -> None:
        self._llama = llama
        self._lock = Lock()
        self.name = name
        self.fingerprint = fingerprint
        self.device = device
        self.capabilities = Capabilities(has_exact_prompt=True, has_grammar=True)

    @property
    def context_tokens(self) -> int:
        """Room for prompt and completion together."""
        return self._llama.n_ctx()

    def count_tokens(self, text: str) -> int:
        """Length of `text` in tokens; a control mark is one."""
        return len(self._tokenize(text))

    def close(self) -> None:
        """Frees the model's memory."""
        with self._lock:
            self._llama.close()

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """The completion in pieces; see `workbench.rollout.ports.Engine`."""
        # Not a `with`: a stream may be closed from another thread than the one that began it.
        while not self._lock.acquire(timeout=0.05):
            if is_cancelled():
                yield _last(
                    FinishReason.CANCELLED, Usage(prompt_tokens=0, cached_tokens=0, completion_tokens=0)
                )
                return
        try:
            yield from self._generate(request, is_cancelled)
        finally:
            self._lock.release()

    def _generate(self, request: GenerationRequest, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        prompt = self._tokenize(request.prompt)
        room = self.context_tokens - len(prompt)
        reserved = min(LEAST_ROOM_TOKENS, request.sampling.max_tokens)
        if room < reserved:
            raise PromptTooLong(
                prompt_tokens=len(prompt), context_tokens=self.context_tokens, reserved_tokens=reserved
            )
        cached = self._common_prefix(prompt)
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        stops = StopTexts(request.stop)
        limit = min(request.sampling.max_tokens, room)
        written = 0
        finish = FinishReason.LENGTH
        for token in self._tokens(prompt, request):
            written += 1
            if self._ends(token):
                finish = FinishReason.STOP
                break
            text, is_stopped = stops.feed(decoder.decode(self._llama.detokenize([token], special=True)))
            yield Delta(text=text)
            if is_stopped:
                finish = FinishReason.STOP
                break
            if is_cancelled():
                finish = FinishReason.CANCELLED
                break
            if written >= limit:
                break
        yield Delta(text=stops.flush(decoder.decode(b"", final=True)))
        yield _last(finish, Usage(prompt_tokens=len(prompt), cached_tokens=cached, completion_tokens=written))

    def _tokens(self, prompt: list[int], request: GenerationRequest) -> Iterator[int]:
        from llama_cpp import LlamaGrammar

        grammar = None
        if request.constraint is not None:
            grammar = LlamaGrammar.from_string(grammar_text(request.constraint), verbose=False)
        self._llama.set_seed(request.sampling.seed)
        try:
            yield from self._llama.generate(prompt, grammar=grammar, **_sampling(request.sampling))
        except (RuntimeError, ValueError, OSError) as error:
            # What is in the cache is unknown now: begin anew, so that the next turn works.
            self._llama.reset()
            raise EngineError(f"llama.cpp stopped: {error}") from error

    def _tokenize(self, text: str) -> list[int]:
        # add_bos asks for it where the vocabulary wants one, and only there.
        return self._llama.tokenize(text.encode(errors="replace"), add_bos=True, special=True)

    def _ends(self, token: int) -> bool:
        import llama_cpp

        vocabulary = llama_cpp.llama_model_get_vocab(self._llama.model)
        return vocabulary is not None and bool(llama_cpp.llama_vocab_is_eog(vocabulary, token))

    def _common_prefix(self, prompt: list[int]) -> int:
        """Tokens of the prompt that need no evaluation; the last one always does."""
        count = 0
        for old, new in zip(self._llama.input_ids[: self._llama.n_tokens], prompt, strict=False):
            if old != new:
                break
            count += 1
        return min(count, len(prompt) - 1)


def load_llama_cpp(path: Path, *, name: str, loading: Loading) -> LlamaCppEngine:
    """A GGUF file, loaded.

    Raises:
        ModelMissing: The file or llama-cpp-python is not there.
        EngineError: The file is no GGUF, or llama.cpp cannot load it.
    """
    if not path.is_file():
        raise ModelMissing(name, f"no file {path}; set WORKBENCH_MODEL to a GGUF file or 'embedded'")
    try:
        import llama_cpp
    except ImportError as error:
        raise ModelMissing(name, "llama-cpp-python is not installed; run `make run` once") from error
    log = llama_log()
    gpu_layers = loading.gpu_layers if llama_cpp.llama_supports_gpu_offload() else 0
    threads = loading.threads or os.cpu_count() or 1
    try:
        trained = _trained_context(path)
        context = min(loading.context_tokens or trained, trained)
        llama = llama_cpp.Llama(
            str(path),
            n_ctx=context,
            n_gpu_layers=gpu_layers,
            n_threads=threads,
            n_threads_batch=threads,
            verbose=False,
        )
    except (ValueError, RuntimeError, OSError, AssertionError) as error:
        raise EngineError(f"llama.cpp cannot load {path}: {log.take() or error}") from error
    device = (
        f"GPU, {'all' if gpu_layers < 0 else gpu_layers} layers"
        if gpu_layers
        else f"CPU, {llama.n_threads} threads"
    )
    return LlamaCppEngine(cast(_Llama, llama), name=name, fingerprint=fingerprint_of(path), device=device)


def describe_build() -> str:
    """Version of the binding, what the build can use, and the processor's instruction sets that it knows."""
    import llama_cpp

    can_offload = llama_cpp.llama_supports_gpu_offload()
    system = llama_cpp.llama_print_system_info().decode(errors="replace")
    sets = [part.split("=")[0].strip().removeprefix("CPU : ") for part in system.split("|") if "= 1" in part]
    return f"{llama_cpp.__version__}, {'GPU offload' if can_offload else 'CPU only'}, {' '.join(sets)}"


def fingerprint_of(path: Path) -> str:
    """SHA-256 (hex) of a GGUF file's size and both ends: its metadata and its last tensors.

    Hashing all of a file of many GB would take longer than loading it.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(FINGERPRINT_BYTES)
        file.seek(max(size - FINGERPRINT_BYTES, 0))
        tail = file.read()
    return sha256(str(size).encode() + head + tail).hexdigest()


def _trained_context(path: Path) -> int:
    import llama_cpp

    vocabulary = llama_cpp.Llama(str(path), vocab_only=True, verbose=False)
    try:
        metadata = vocabulary.metadata
        return int(metadata.get(f"{metadata.get('general.architecture')}.context_length", "4096"))
    finally:
        vocabulary.close()


def _sampling(sampling: Sampling) -> dict[str, float | int]:
    return {
        "temp": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "min_p": sampling.min_p,
        "repeat_penalty": sampling.repeat_penalty,
    }


def _last(reason: FinishReason, usage: Usage) -> Delta:
    return Delta(finish_reason=reason, usage=usage)

"""GGUF models through llama.cpp, on CPU or GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeVar

from workbench.engines.llama_line import FifoLock
from workbench.engines.llama_loading import LoadOptions, LoraAdapter
from workbench.engines.token_places import placed_tokens
from workbench.errors import EngineError, ModelMissing, PromptTooLong
from workbench.rollout.logprobs import CallOpening, Decision
from workbench.rollout.ports import (
    Capabilities,
    Delta,
    EmittedToken,
    FinishReason,
    GenerationRequest,
    Usage,
)
from workbench.trajectory.mask import Token

if TYPE_CHECKING:
    # Needs llama-cpp-python, which is an extra.
    from workbench.engines.llama_binding import Binding
    from workbench.engines.llama_decision import LlamaLogprobs

LEAST_ROOM_TOKENS: Final = 16
"""A prompt that leaves less room than this for the completion is refused."""
FINGERPRINT_BYTES: Final = 1 << 20
"""How much of each end of a GGUF file goes into its fingerprint."""
LOOK_EVERY_S: Final = 0.05
"""How often one who waits in line asks whether to go on waiting."""

_Found = TypeVar("_Found")


class LlamaCppEngine:
    """One loaded GGUF; it serves one at a time, first come, first served."""

    def __init__(
        self, binding: Binding, *, name: str, fingerprint: str, device: str, cache_bytes: int
    ) -> None:
        from workbench.engines.llama_prefix import Prefixes

        self._binding = binding
        self._prefixes = Prefixes(binding, limit_bytes=cache_bytes)
        self._line = FifoLock()
        self._freeing = Lock()
        self._is_closed = False
        self.name = name
        self.fingerprint = fingerprint
        self.device = device
        self.context_tokens = binding.context_tokens
        self.capabilities = Capabilities(
            has_exact_prompt=True, has_grammar=True, has_logprobs=True, is_one_at_a_time=True
        )

    def count_tokens(self, text: str) -> int:
        """Length of `text` in tokens; a control mark is one."""
        with self._freeing:
            self._check_open()
            return len(self._binding.tokenize(text, is_start=True))

    def tokens(self, text: str) -> tuple[Token, ...]:
        """The tokens of `text` with their places, as a prompt is made of them.

        Raises:
            EngineError: The vocabulary changes texts, so that its tokens have no places in this one.
        """
        with self._freeing:
            self._check_open()
            ids = self._binding.tokenize(text, is_start=True)
            pieces = [self._binding.piece(one) for one in ids]
        return placed_tokens(text, ids, pieces)

    def chat_template(self) -> str | None:
        """The model's own; see `workbench.rollout.models.Templated`."""
        with self._freeing:
            self._check_open()
            return self._binding.chat_template("tool_use") or self._binding.chat_template()

    def close(self) -> None:
        """Frees the model's memory, once the generation under way is over; who waits is told that it is gone."""
        ticket = self._line.join()
        try:
            while self._line.wait(ticket):
                pass
            with self._freeing:
                if not self._is_closed:
                    self._is_closed = True
                    self._binding.close()
        finally:
            self._line.leave(ticket)

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """The completion in pieces; see `workbench.rollout.ports.Engine`."""
        # Not a `with`: a stream may be closed from another thread than the one that began it.
        ticket = self._line.join()
        try:
            told, place = 0, self._line.place(ticket)
            while place:
                if is_cancelled():
                    yield _last(FinishReason.CANCELLED, prompt=0, cached=0, evaluated=0, written=0)
                    return
                if place != told:
                    told = place
                    yield Delta(place_in_line=place)
                place = self._line.wait(ticket, timeout_s=LOOK_EVERY_S)
            self._check_open()
            yield from self._generate(request, is_cancelled)
        finally:
            self._line.leave(ticket)

    def decide(
        self, prompt: str, opening: CallOpening, names: Sequence[str], *, is_cancelled: Callable[[], bool]
    ) -> Decision | None:
        """How an answer would begin; see `workbench.rollout.logprobs.LogprobsEngine`."""
        longest = max((opening.mark + opening.before_name + name for name in names), key=len, default="")
        return self._weighing(
            prompt + longest, is_cancelled, lambda weighing: weighing.decide(prompt, opening, names)
        )

    def completion_logprobs(
        self, prompt: str, completion: str, *, is_cancelled: Callable[[], bool]
    ) -> tuple[EmittedToken, ...] | None:
        """The tokens of a completion with their log-probabilities; see `workbench.rollout.logprobs.LogprobsEngine`."""
        return self._weighing(
            prompt + completion,
            is_cancelled,
            lambda weighing: weighing.completion_logprobs(prompt, completion),
        )

    def _generate(self, request: GenerationRequest, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        from workbench.engines.llama_completion import LlamaCompletion

        prompt = self._prefixes.tokenize(request.prompt)
        room = self._room_behind(prompt, reserved=min(LEAST_ROOM_TOKENS, request.sampling.max_tokens))
        evaluated = self._prefixes.evaluate(prompt, is_cancelled)
        completion = LlamaCompletion(
            binding=self._binding,
            prefixes=self._prefixes,
            request=request,
            limit=min(request.sampling.max_tokens, room),
            is_cancelled=is_cancelled,
            finish_reason=FinishReason.LENGTH if evaluated.is_whole else FinishReason.CANCELLED,
        )
        if evaluated.is_whole:
            yield from completion.pieces()
        yield _last(
            completion.finish_reason,
            prompt=len(prompt),
            cached=evaluated.cached_tokens,
            evaluated=evaluated.evaluated_tokens,
            written=len(completion.tokens),
        )

    def _weighing(
        self, text: str, is_cancelled: Callable[[], bool], ask: Callable[[LlamaLogprobs], _Found | None]
    ) -> _Found | None:
        """What `ask` finds out, once it is its turn; None where it was cancelled."""
        from workbench.engines.llama_decision import LlamaLogprobs

        ticket = self._line.join()
        try:
            while self._line.wait(ticket, timeout_s=LOOK_EVERY_S):
                if is_cancelled():
                    return None
            self._check_open()
            self._room_behind(self._binding.tokenize(text, is_start=True), reserved=1)
            return ask(LlamaLogprobs(self._binding, self._prefixes, is_cancelled))
        finally:
            self._line.leave(ticket)

    def _room_behind(self, prompt: Sequence[int], *, reserved: int) -> int:
        """Tokens that the context has left for a completion."""
        room = self.context_tokens - len(prompt)
        if room < reserved:
            raise PromptTooLong(
                prompt_tokens=len(prompt), context_tokens=self.context_tokens, reserved_tokens=reserved
            )
        return room

    def _check_open(self) -> None:
        if self._is_closed:
            raise EngineError(
                f"the model {self.name!r} was freed to load another; send again to load it anew"
            )


def load_llama_cpp(path: Path, *, name: str, loading: LoadOptions) -> LlamaCppEngine:
    """A GGUF file, loaded.

    Raises:
        ModelMissing: The file, an adapter or llama-cpp-python is not there.
        EngineError: The file is no GGUF, llama.cpp cannot load it, or an adapter does not fit.
    """
    if not path.is_file():
        raise ModelMissing(name, f"no file {path}; set WORKBENCH_MODEL to a GGUF file or 'embedded'")
    for adapter in loading.lora:
        if not adapter.path.is_file():
            raise ModelMissing(str(adapter.path), "no such file; WORKBENCH_LORA names a GGUF adapter")
    try:
        from workbench.engines.llama_binding import Binding
    except ImportError as error:
        raise ModelMissing(name, "llama-cpp-python is not installed; run `make run` once") from error
    binding = Binding(path, loading)
    return LlamaCppEngine(
        binding,
        name=name,
        fingerprint=fingerprint_of(path, loading),
        device=", ".join((binding.device, *map(_told, loading.lora))),
        cache_bytes=loading.prefix_cache_bytes,
    )


def _told(adapter: LoraAdapter) -> str:
    scale = "" if adapter.scale == 1 else f" x {adapter.scale:g}"
    return f"adapter {adapter.name}{scale}"


def fingerprint_of(path: Path, loading: LoadOptions | None = None) -> str:
    """SHA-256 (hex) of a GGUF file's size and both ends: its metadata and its last tensors; of adapters too.

    Hashing all of a file of many GB would take longer than loading it.
    """
    ends = _ends_of(path)
    for adapter in loading.lora if loading else ():
        ends += f"+{adapter.scale}".encode() + _ends_of(adapter.path)
    return sha256(ends).hexdigest()


def _ends_of(path: Path) -> bytes:
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(FINGERPRINT_BYTES)
        file.seek(max(size - FINGERPRINT_BYTES, 0))
        tail = file.read()
    return str(size).encode() + head + tail


def _last(reason: FinishReason, *, prompt: int, cached: int, evaluated: int, written: int) -> Delta:
    usage = Usage(
        prompt_tokens=prompt,
        cached_tokens=cached,
        completion_tokens=written,
        evaluated_tokens=evaluated,
    )
    return Delta(finish_reason=reason, usage=usage)

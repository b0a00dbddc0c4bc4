"""The engine for local GGUF models. It serves requests in order of arrival, one or more at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from workbench.chat.finding import Span
from workbench.engines.adapters import read_receipt
from workbench.engines.embedded_model import CHOOSE_MODEL
from workbench.engines.fifo_lock import FifoLock
from workbench.engines.llama_loading import LoadOptions, LoraAdapter, fingerprint_of
from workbench.errors import EngineError, ModelMissing, PromptTooLong
from workbench.rollout.logprobs import CallOpening, Decision
from workbench.rollout.ports import Capabilities, Delta, EmittedToken, FinishReason, GenerationRequest, Usage
from workbench.trajectory.mask import Token

if TYPE_CHECKING:
    from workbench.engines.llama_binding import Binding
    from workbench.engines.llama_decision import LlamaLogprobs
    from workbench.engines.llama_prefix import Prefixes


def placed_tokens(text: str, ids: Sequence[int], pieces: Sequence[bytes]) -> tuple[Token, ...]:
    """Return the tokens of a text with their spans in code points.

    A token that contains a part of a code point covers all of it.

    Args:
        ids: The tokens, in order. Some, such as a begin token, may come before the text.
        pieces: The bytes of each token.

    Raises:
        EngineError: The pieces do not end with the text, because the vocabulary changes texts.

    >>> [token.span for token in placed_tokens("aé", [0, 1, 2, 3], [b"<s>", b"a", b"\\xc3", b"\\xa9"])]
    [Span(start=0, end=0), Span(start=0, end=1), Span(start=1, end=2), Span(start=1, end=2)]
    """
    data = text.encode(errors="replace")
    ends = list(accumulate(map(len, pieces)))
    before = (ends[-1] if ends else 0) - len(data)
    if before < 0 or not b"".join(pieces).endswith(data):
        raise EngineError("the model's vocabulary changes the text, so its tokens have no position in it")
    starts_char = [index for index, byte in enumerate(data) if byte & 0xC0 != 0x80]
    char_at = _chars_at(starts_char, len(data))
    tokens: list[Token] = []
    for token, piece, end in zip(ids, pieces, ends, strict=True):
        first, last = max(0, end - len(piece) - before), end - before
        span = Span(0, 0) if last <= 0 else Span(char_at[first], char_at[last - 1] + 1)
        tokens.append(Token(token, span))
    return tuple(tokens)


def _chars_at(starts: Sequence[int], size: int) -> list[int]:
    """Return for each byte the index of the code point that it belongs to."""
    indices = [0] * size
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else size
        indices[start:end] = [place] * (end - start)
    return indices


LEAST_ROOM_TOKENS: Final = 16
"""A prompt is refused if it leaves fewer tokens than this for the completion."""
LOOK_EVERY_S: Final = 0.05
"""How often a waiting request checks whether it was cancelled."""

_Result = TypeVar("_Result")


class LlamaCppEngine:
    """A local GGUF model. It serves as many requests at a time as the context has sequences, first come, first served.

    It may be unloaded while nobody uses it, to make room for another model, and is loaded again for the next request.
    So an engine stays usable as long as there is a reference to it.
    """

    def __init__(
        self,
        binding: Binding,
        *,
        name: str,
        fingerprint: str,
        device: str,
        cache_bytes: int,
        call_threshold: float = 0.0,
        reload: Callable[[], Binding] | None = None,
        is_waited_for: Callable[[], bool] = lambda: False,
    ) -> None:
        """Serve a loaded model.

        Args:
            call_threshold: Used if the sampling settings give none; 0 if the model has none.
            reload: Loads the model again after `unload`. None if it is never unloaded.
            is_waited_for: Returns whether a model waits for the memory of models that are in use.
        """
        self._cache_bytes = cache_bytes
        self._reload = reload
        self._is_waited_for = is_waited_for
        self._line = FifoLock(binding.sequences)
        self._switching = Lock()
        """Held while the model is loaded, unloaded, or used outside of the queue."""
        self._is_closed = False
        self._loaded: _InMemory | None = _InMemory.of(binding, cache_bytes)
        self.name = name
        self.fingerprint = fingerprint
        self.device = device
        self.context_tokens = binding.context_tokens
        self.capabilities = Capabilities(
            has_exact_prompt=True,
            has_grammar=True,
            takes_many=binding.sequences > 1,
            own_width=binding.sequences,
            call_threshold=call_threshold,
        )

    @property
    def is_loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._loaded is not None

    @property
    def is_busy(self) -> bool:
        """Whether the loaded model serves a request."""
        return self.is_loaded and not self._line.is_empty

    @property
    def saved_bytes(self) -> int:
        """Size of the prefix cache."""
        loaded = self._loaded
        return loaded.prefixes.saved_bytes if loaded else 0

    def count_tokens(self, text: str) -> int:
        """Return the length of `text` in tokens. A special token in it counts as one."""
        with self._switching:
            return len(self._ready().binding.tokenize(text, is_start=True))

    def tokens(self, text: str) -> tuple[Token, ...]:
        """Return the tokens of `text` with their spans, tokenized like a prompt.

        Raises:
            EngineError: The vocabulary changes texts, so that the tokens have no position in this one.
        """
        with self._switching:
            binding = self._ready().binding
            ids = binding.tokenize(text, is_start=True)
            pieces = [binding.piece(token) for token in ids]
        return placed_tokens(text, ids, pieces)

    def chat_template(self) -> str | None:
        """Return the model's own chat template; see `workbench.rollout.models.Templated`."""
        with self._switching:
            binding = self._ready().binding
            return binding.chat_template("tool_use") or binding.chat_template()

    def load(self) -> None:
        """Load the model if it was unloaded.

        Raises:
            EngineError: It can no longer be loaded.
        """
        with self._switching:
            self._ready()

    def unload(self) -> bool:
        """Free the model's memory if nobody uses it. Return whether it was freed."""
        if self._reload is None or not self._switching.acquire(blocking=False):
            return False
        try:
            # A request that joins the queue now waits for `_switching` before it uses the model.
            if self._loaded is None or not self._line.is_empty:
                return False
            self._loaded.binding.close()
            self._loaded = None
            return True
        finally:
            self._switching.release()

    def close(self) -> None:
        """Free the memory for good, after the current requests. Waiting requests fail."""
        with self._switching:
            self._is_closed = True
        ticket = self._line.join()
        try:
            self._line.wait_for_all(ticket)
            with self._switching:
                if self._loaded is not None:
                    self._loaded.binding.close()
                    self._loaded = None
        finally:
            self._line.leave(ticket)

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """Yield the completion in pieces; see `workbench.rollout.ports.Engine`."""
        if self._must_rest():
            yield Delta(queue_position=1)
        while self._must_rest() and not is_cancelled():
            time.sleep(LOOK_EVERY_S)
        # No `with` statement: a stream may be closed in another thread than the one that started it.
        ticket = self._line.join()
        try:
            reported, place = 0, self._line.place(ticket)
            while place:
                if is_cancelled():
                    yield Delta(finish_reason=FinishReason.CANCELLED)
                    return
                if place != reported:
                    reported = place
                    yield Delta(queue_position=place)
                place = self._line.wait(ticket, timeout_s=LOOK_EVERY_S)
            yield from self._generate(request, is_cancelled)
        finally:
            self._line.leave(ticket)

    def decide(
        self, prompt: str, opening: CallOpening, names: Sequence[str], *, is_cancelled: Callable[[], bool]
    ) -> Decision | None:
        """Return how an answer would begin; see `workbench.rollout.logprobs.LogprobsEngine`."""
        longest = max((opening.mark + opening.before_name + name for name in names), key=len, default="")
        return self._with_logprobs(
            prompt + longest, is_cancelled, lambda logprobs: logprobs.decide(prompt, opening, names)
        )

    def completion_logprobs(
        self, prompt: str, completion: str, *, is_cancelled: Callable[[], bool]
    ) -> tuple[EmittedToken, ...] | None:
        """Return the tokens of a completion with their logprobs; see `workbench.rollout.logprobs.LogprobsEngine`."""
        return self._with_logprobs(
            prompt + completion,
            is_cancelled,
            lambda logprobs: logprobs.completion_logprobs(prompt, completion),
        )

    def _generate(self, request: GenerationRequest, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        from workbench.engines.llama_completion import LlamaCompletion

        with self._switching:
            binding, prefixes = self._ready()
        prompt = prefixes.tokenize(request.prompt)
        room = self._room_after(prompt, reserved=min(LEAST_ROOM_TOKENS, request.sampling.max_tokens))
        with prefixes.sequence(prompt) as sequence:
            evaluated = sequence.evaluate(prompt, is_cancelled)
            completion = LlamaCompletion(
                binding=binding,
                sequence=sequence,
                request=request,
                prompt=prompt,
                call_threshold=request.sampling.call_threshold or self.capabilities.call_threshold,
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

    def _must_rest(self) -> bool:
        """Return whether no request may begin, so that this model can make room for another one.

        Requests that run side by side could relieve each other, so that the model would never be idle.
        """
        return self.is_loaded and self._is_waited_for()

    def _with_logprobs(
        self, text: str, is_cancelled: Callable[[], bool], ask: Callable[[LlamaLogprobs], _Result | None]
    ) -> _Result | None:
        """Wait in the queue, then return the result of `ask`. None if cancelled."""
        from workbench.engines.llama_decision import LlamaLogprobs

        ticket = self._line.join()
        try:
            while self._line.wait(ticket, timeout_s=LOOK_EVERY_S):
                if is_cancelled():
                    return None
            with self._switching:
                binding, prefixes = self._ready()
            tokens = binding.tokenize(text, is_start=True)
            self._room_after(tokens, reserved=1)
            with prefixes.sequence(tokens) as sequence:
                return ask(LlamaLogprobs(binding, sequence, is_cancelled))
        finally:
            self._line.leave(ticket)

    def _room_after(self, prompt: Sequence[int], *, reserved: int) -> int:
        """Return the number of tokens that the context has left for a completion."""
        room = self.context_tokens - len(prompt)
        if room < reserved:
            raise PromptTooLong(
                prompt_tokens=len(prompt), context_tokens=self.context_tokens, reserved_tokens=reserved
            )
        return room

    def _ready(self) -> _InMemory:
        """Return the loaded model, loaded again if it was unloaded. The caller holds `_switching`."""
        if self._is_closed:
            raise EngineError(f"model {self.name!r} is closed; the workbench is shutting down")
        if self._loaded is None:
            assert self._reload is not None
            self._loaded = _InMemory.of(self._reload(), self._cache_bytes)
        return self._loaded


class _InMemory(NamedTuple):
    """The binding and the prefix cache of a loaded model."""

    binding: Binding
    prefixes: Prefixes

    @classmethod
    def of(cls, binding: Binding, cache_bytes: int) -> _InMemory:
        from workbench.engines.llama_prefix import Prefixes

        return cls(binding, Prefixes(binding, limit_bytes=cache_bytes))


def load_binding(path: Path, *, name: str, loading: LoadOptions) -> Binding:
    """Load a GGUF file into memory.

    Raises:
        ModelMissing: The file, an adapter or llama-cpp-python is missing.
        EngineError: The file is not a GGUF file, llama.cpp cannot load it, or an adapter does not fit.
    """
    if not path.is_file():
        raise ModelMissing(name, CHOOSE_MODEL, path=path)
    for adapter in loading.lora:
        if not adapter.path.is_file():
            raise ModelMissing(str(adapter.path), "set WORKBENCH_LORA to a GGUF adapter")
    try:
        from workbench.engines.llama_binding import Binding
    except ImportError as error:
        raise ModelMissing(name, "llama-cpp-python is not installed; run `make run` to install it") from error
    return Binding(path, loading)


def load_llama_cpp(
    path: Path,
    *,
    name: str,
    loading: LoadOptions,
    reload: Callable[[], Binding] | None = None,
    is_waited_for: Callable[[], bool] = lambda: False,
) -> LlamaCppEngine:
    """Load a GGUF file and serve it; see `LlamaCppEngine` for the functions.

    Raises:
        ModelMissing: See `load_binding`.
        EngineError: See `load_binding`.
    """
    binding = load_binding(path, name=name, loading=loading)
    return LlamaCppEngine(
        binding,
        name=name,
        fingerprint=fingerprint_of(path, loading),
        device=", ".join((binding.device, *map(_described, loading.lora), *_width_of(binding))),
        cache_bytes=loading.prefix_cache_bytes,
        call_threshold=call_threshold_of(loading),
        reload=reload,
        is_waited_for=is_waited_for,
    )


def call_threshold_of(loading: LoadOptions) -> float:
    """Return the call threshold of the options, otherwise that in the receipt of the first adapter that has one."""
    if loading.call_threshold is not None:
        return loading.call_threshold
    receipts = (read_receipt(adapter.path) or {} for adapter in loading.lora)
    found = (receipt.get("call_threshold") for receipt in receipts)
    return next((float(value) for value in found if isinstance(value, int | float) and 0 < value <= 1), 0.0)


def _described(adapter: LoraAdapter) -> str:
    scale = "" if adapter.scale == 1 else f" x {adapter.scale:g}"
    return f"adapter {adapter.name}{scale}"


def _width_of(binding: Binding) -> Sequence[str]:
    return () if binding.sequences == 1 else (f"{binding.sequences} turns side by side",)


def _last(reason: FinishReason, *, prompt: int, cached: int, evaluated: int, written: int) -> Delta:
    usage = Usage(
        prompt_tokens=prompt,
        cached_tokens=cached,
        completion_tokens=written,
        evaluated_tokens=evaluated,
    )
    return Delta(finish_reason=reason, usage=usage)

"""The engine for local GGUF models. It serves one request at a time, in order of arrival."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from threading import Condition, Lock
from typing import TYPE_CHECKING, Final, TypeVar

from workbench.chat.finding import Span
from workbench.engines.llama_loading import LoadOptions, LoraAdapter
from workbench.errors import EngineError, ModelMissing, PromptTooLong
from workbench.rollout.logprobs import CallOpening, Decision
from workbench.rollout.ports import Capabilities, Delta, EmittedToken, FinishReason, GenerationRequest, Usage
from workbench.trajectory.mask import Token

if TYPE_CHECKING:
    from workbench.engines.llama_binding import Binding
    from workbench.engines.llama_decision import LlamaLogprobs


_FIRST: Final = 0


class LockTicket:
    """A place in a queue, compared by identity."""

    __slots__ = ()


class FifoLock:
    """A lock that is given to waiting threads in the order in which they asked.

    `threading.Lock` guarantees no order, cannot be abandoned while waiting, and does not know the position of a thread.

    >>> line = FifoLock()
    >>> first, second = line.join(), line.join()
    >>> line.place(first), line.place(second)
    (0, 1)
    >>> line.leave(first)
    >>> line.place(second)
    0
    """

    def __init__(self) -> None:
        self._tickets: deque[LockTicket] = deque()
        self._changed = Condition()

    def join(self) -> LockTicket:
        """Join the queue and return a ticket. Call `leave` with it in the end, in any case."""
        ticket = LockTicket()
        with self._changed:
            self._tickets.append(ticket)
        return ticket

    def place(self, ticket: LockTicket) -> int:
        """Return how many tickets are ahead. 0 means that it is this ticket's turn."""
        with self._changed:
            return self._tickets.index(ticket)

    def wait(self, ticket: LockTicket, *, timeout_s: float | None = None) -> int:
        """Wait until the queue moves or the time is over, unless it is this ticket's turn. Return its position."""
        with self._changed:
            if self._tickets.index(ticket) != _FIRST:
                self._changed.wait(timeout_s)
            return self._tickets.index(ticket)

    def leave(self, ticket: LockTicket) -> None:
        """Leave the queue, from any position."""
        with self._changed:
            self._tickets.remove(ticket)
            self._changed.notify_all()


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
    found: list[Token] = []
    for token, piece, end in zip(ids, pieces, ends, strict=True):
        first, last = max(0, end - len(piece) - before), end - before
        span = Span(0, 0) if last <= 0 else Span(char_at[first], char_at[last - 1] + 1)
        found.append(Token(token, span))
    return tuple(found)


def _chars_at(starts: Sequence[int], size: int) -> list[int]:
    """Return for each byte the index of the code point that it belongs to."""
    found = [0] * size
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else size
        found[start:end] = [place] * (end - start)
    return found


LEAST_ROOM_TOKENS: Final = 16
"""A prompt is refused if it leaves fewer tokens than this for the completion."""
FINGERPRINT_BYTES: Final = 1 << 20
"""Number of bytes at each end of a GGUF file that go into its fingerprint."""
LOOK_EVERY_S: Final = 0.05
"""How often a waiting request checks whether it was cancelled."""

_Found = TypeVar("_Found")


class LlamaCppEngine:
    """A loaded GGUF file. It serves one request at a time, first come, first served."""

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
        self.capabilities = Capabilities(has_exact_prompt=True, has_grammar=True, is_one_at_a_time=True)

    def count_tokens(self, text: str) -> int:
        """Return the length of `text` in tokens. A special token in it counts as one."""
        with self._freeing:
            self._check_open()
            return len(self._binding.tokenize(text, is_start=True))

    def tokens(self, text: str) -> tuple[Token, ...]:
        """Return the tokens of `text` with their spans, tokenized like a prompt.

        Raises:
            EngineError: The vocabulary changes texts, so that the tokens have no position in this one.
        """
        with self._freeing:
            self._check_open()
            ids = self._binding.tokenize(text, is_start=True)
            pieces = [self._binding.piece(token) for token in ids]
        return placed_tokens(text, ids, pieces)

    def chat_template(self) -> str | None:
        """Return the model's own chat template; see `workbench.rollout.models.Templated`."""
        with self._freeing:
            self._check_open()
            return self._binding.chat_template("tool_use") or self._binding.chat_template()

    def close(self) -> None:
        """Free the model's memory once the running generation has ended. Waiting requests fail with EngineError."""
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
        """Yield the completion in pieces; see `workbench.rollout.ports.Engine`."""
        # No `with` statement: a stream may be closed in another thread than the one that started it.
        ticket = self._line.join()
        try:
            reported, place = 0, self._line.place(ticket)
            while place:
                if is_cancelled():
                    yield _last(FinishReason.CANCELLED, prompt=0, cached=0, evaluated=0, written=0)
                    return
                if place != reported:
                    reported = place
                    yield Delta(queue_position=place)
                place = self._line.wait(ticket, timeout_s=LOOK_EVERY_S)
            self._check_open()
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

        prompt = self._prefixes.tokenize(request.prompt)
        room = self._room_after(prompt, reserved=min(LEAST_ROOM_TOKENS, request.sampling.max_tokens))
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

    def _with_logprobs(
        self, text: str, is_cancelled: Callable[[], bool], ask: Callable[[LlamaLogprobs], _Found | None]
    ) -> _Found | None:
        """Wait in the queue, then return the result of `ask`. None if cancelled."""
        from workbench.engines.llama_decision import LlamaLogprobs

        ticket = self._line.join()
        try:
            while self._line.wait(ticket, timeout_s=LOOK_EVERY_S):
                if is_cancelled():
                    return None
            self._check_open()
            self._room_after(self._binding.tokenize(text, is_start=True), reserved=1)
            return ask(LlamaLogprobs(self._binding, self._prefixes, is_cancelled))
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

    def _check_open(self) -> None:
        if self._is_closed:
            raise EngineError(
                f"model {self.name!r} was unloaded to load another one; send again to reload it"
            )


def load_llama_cpp(path: Path, *, name: str, loading: LoadOptions) -> LlamaCppEngine:
    """Load a GGUF file.

    Raises:
        ModelMissing: The file, an adapter or llama-cpp-python is missing.
        EngineError: The file is not a GGUF file, llama.cpp cannot load it, or an adapter does not fit.
    """
    if not path.is_file():
        raise ModelMissing(name, f"there is no file {path}; set WORKBENCH_MODEL to a GGUF file or 'embedded'")
    for adapter in loading.lora:
        if not adapter.path.is_file():
            raise ModelMissing(
                str(adapter.path), "there is no such file; set WORKBENCH_LORA to a GGUF adapter"
            )
    try:
        from workbench.engines.llama_binding import Binding
    except ImportError as error:
        raise ModelMissing(name, "llama-cpp-python is not installed; run `make run` to install it") from error
    binding = Binding(path, loading)
    return LlamaCppEngine(
        binding,
        name=name,
        fingerprint=fingerprint_of(path, loading),
        device=", ".join((binding.device, *map(_described, loading.lora))),
        cache_bytes=loading.prefix_cache_bytes,
    )


def _described(adapter: LoraAdapter) -> str:
    scale = "" if adapter.scale == 1 else f" x {adapter.scale:g}"
    return f"adapter {adapter.name}{scale}"


def fingerprint_of(path: Path, loading: LoadOptions | None = None) -> str:
    """Return a SHA-256 (hex) of the size and both ends of a GGUF file and its adapters: metadata and last tensors.

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

"""The engine for local GGUF models: one request at a time, in order of arrival."""

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
    """A place in a line; compared by identity."""

    __slots__ = ()


class FifoLock:
    """Who asks for a thing that serves one at a time, in the order of their asking.

    `threading.Lock` promises no order, cannot be left while it is waited for, and tells no place.

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
        """A ticket at the end; who holds it must `leave`."""
        ticket = LockTicket()
        with self._changed:
            self._tickets.append(ticket)
        return ticket

    def place(self, ticket: LockTicket) -> int:
        """How many are before it; 0 is being served."""
        with self._changed:
            return self._tickets.index(ticket)

    def wait(self, ticket: LockTicket, *, timeout_s: float | None = None) -> int:
        """Its place once it is 0, or once the line moved or the time is over, whichever comes first."""
        with self._changed:
            if self._tickets.index(ticket) != _FIRST:
                self._changed.wait(timeout_s)
            return self._tickets.index(ticket)

    def leave(self, ticket: LockTicket) -> None:
        """Out of the line, from whatever place."""
        with self._changed:
            self._tickets.remove(ticket)
            self._changed.notify_all()


def placed_tokens(text: str, ids: Sequence[int], pieces: Sequence[bytes]) -> tuple[Token, ...]:
    """The tokens with their spans in code points; one that holds part of a code point covers all of it.

    Args:
        ids: Its tokens, in order; some may stand before the text begins.
        pieces: The bytes that each stands for.

    Raises:
        EngineError: The pieces do not end with the text: the vocabulary changes what it is given.

    >>> [token.span for token in placed_tokens("aé", [0, 1, 2, 3], [b"<s>", b"a", b"\\xc3", b"\\xa9"])]
    [Span(start=0, end=0), Span(start=0, end=1), Span(start=1, end=2), Span(start=1, end=2)]
    """
    data = text.encode(errors="replace")
    ends = list(accumulate(map(len, pieces)))
    before = (ends[-1] if ends else 0) - len(data)
    if before < 0 or not b"".join(pieces).endswith(data):
        raise EngineError("the model's vocabulary changes the text: its tokens have no places in it")
    starts_char = [index for index, byte in enumerate(data) if byte & 0xC0 != 0x80]
    char_at = _chars_at(starts_char, len(data))
    found: list[Token] = []
    for one, piece, end in zip(ids, pieces, ends, strict=True):
        first, last = max(0, end - len(piece) - before), end - before
        span = Span(0, 0) if last <= 0 else Span(char_at[first], char_at[last - 1] + 1)
        found.append(Token(one, span))
    return tuple(found)


def _chars_at(starts: Sequence[int], size: int) -> list[int]:
    """For each byte, the place of the code point that it belongs to."""
    found = [0] * size
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else size
        found[start:end] = [place] * (end - start)
    return found


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
        self.capabilities = Capabilities(has_exact_prompt=True, has_grammar=True, is_one_at_a_time=True)

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
                    yield Delta(queue_position=place)
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

"""Generate one completion token by token, free or constrained by a grammar, until a stop text, a limit or a loop."""

import codecs
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy

from workbench.engines.llama_binding import Binding, Logits
from workbench.engines.llama_prefix import Prefixes
from workbench.engines.llama_sampler import Sampler
from workbench.hermes.marks import THINK_CLOSE
from workbench.rollout.ports import Delta, EmittedToken, FinishReason, GenerationRequest
from workbench.toolspec.grammar import schema_grammar


class StopTexts:
    """Passes text on until one of the stop texts stands in it; holds back what may begin one.

    >>> stops = StopTexts(["END"])
    >>> stops.feed("a E"), stops.feed("Nx"), stops.feed("END b")
    (('a ', False), ('ENx', False), ('', True))
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = [stop for stop in stops if stop]
        self._held = ""

    def feed(self, piece: str) -> tuple[str, bool]:
        """What may be shown now, and whether a stop text ended the stream."""
        text = self._held + piece
        found = [text.find(stop) for stop in self._stops if stop in text]
        if found:
            self._held = ""
            return text[: min(found)], True
        keep = max((_overlap(text, stop) for stop in self._stops), default=0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep], False

    def flush(self, piece: str = "") -> str:
        """What was held back, and is no stop text after all."""
        text, self._held = self._held + piece, ""
        return text


def _overlap(text: str, stop: str) -> int:
    """Length of the longest beginning of `stop` that `text` ends with, the whole of it left out."""
    for size in range(min(len(stop) - 1, len(text)), 0, -1):
        if text.endswith(stop[:size]):
            return size
    return 0


class Repeats:
    """Passes blocks on; holds one back while an earlier one begins the same.

    A small model that may go on with further calls writes the same one for ever.

    >>> repeats = Repeats(between="|")
    >>> [repeats.feed(piece) for piece in ("ab", "|a", "c", "|a", "b")]
    [('ab', False), ('', False), ('|ac', False), ('', False), ('', True)]
    """

    def __init__(self, *, between: str) -> None:
        self._between = between
        self._text = ""
        self._shown = 0

    def feed(self, piece: str) -> tuple[str, bool]:
        """What may be shown now, and whether the last block is an earlier one over again: it is left out."""
        self._text += piece
        *earlier, last = (block.strip() for block in self._text.split(self._between))
        if last in earlier:
            return "", True
        if any(one.startswith(last) for one in earlier):
            return "", False
        return self._show(len(self._text) - self._beginning()), False

    def flush(self) -> str:
        """What was held back, and is no block over again."""
        return self._show(len(self._text))

    def _show(self, end: int) -> str:
        text = self._text[self._shown : end]
        self._shown = max(self._shown, end)
        return text

    def _beginning(self) -> int:
        """Length of what may be the beginning of what stands between blocks."""
        sizes = range(min(len(self._between) - 1, len(self._text)), 0, -1)
        return next((size for size in sizes if self._text.endswith(self._between[:size])), 0)


_THINK: Final = THINK_CLOSE.replace("/", "")


@dataclass(slots=True, kw_only=True)
class LlamaCompletion:
    """What is drawn behind an evaluated prompt. `pieces` is to be run once; then the rest is known."""

    binding: Binding
    prefixes: Prefixes
    request: GenerationRequest
    limit: int
    """Most tokens."""
    is_cancelled: Callable[[], bool]
    """Asked before each token."""
    finish_reason: FinishReason = FinishReason.LENGTH
    tokens: list[int] = field(default_factory=list[int])
    """All that were drawn, an end token included."""
    text: str = ""
    """All that was decoded of them, an incomplete last character left out."""
    _repeats: Repeats | None = None
    """Set once the model is held to blocks of calls."""

    def pieces(self) -> Iterator[Delta]:
        """The text as it comes, each piece with its tokens where they are wanted.

        Raises:
            EngineError: llama.cpp stopped, or cannot read the grammar.
        """
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        stops = StopTexts(self.request.stop_texts)
        for token, logprob in self._drawn():
            added = "" if self.binding.is_end(token) else decoder.decode(self.binding.piece(token))
            self.text += added
            shown, is_stopped = stops.feed(added)
            shown, is_repeated = self._repeats.feed(shown) if self._repeats else (shown, False)
            told = (EmittedToken(id=token, text=added, logprob=logprob),)
            yield Delta(text=shown, tokens=told if self.request.wants_logprobs else ())
            if is_repeated:
                self.finish_reason = FinishReason.STOP
                return
            if is_stopped or self.binding.is_end(token):
                self.finish_reason = FinishReason.STOP
                break
            if self.is_cancelled():
                self.finish_reason = FinishReason.CANCELLED
                break
        rest = stops.flush(decoder.decode(b"", final=True))
        if self._repeats:
            rest = self._repeats.feed(rest)[0] + self._repeats.flush()
        yield Delta(text=rest)

    def _drawn(self) -> Iterator[tuple[int, float | None]]:
        """Tokens with their log-probabilities, free up to the trigger, then held to the grammar."""
        constraint = self.request.constraint
        if constraint is None:
            yield from self._draw("", until="")
            return
        grammar = constraint.grammar or schema_grammar(constraint.schema, closing=constraint.closing)
        if constraint.trigger:
            yield from self._draw("", until=constraint.trigger)
        if constraint.between_blocks:
            self._repeats = Repeats(between=constraint.between_blocks)
        if len(self.tokens) < self.limit:
            yield from self._draw(grammar, until="")

    def _draw(self, grammar: str, *, until: str) -> Iterator[tuple[int, float | None]]:
        """Draws to the limit, or until the text ends with `until`: what a token says beyond it is not taken."""
        with Sampler(self.binding, self.request.sampling, grammar=grammar, written=self.tokens) as sampler:
            while len(self.tokens) < self.limit:
                token = sampler.draw()
                beyond = _beyond(self.text, self.binding.piece(token), until) if until else None
                if beyond is not None and not self._is_in_thought():
                    yield from self._take(self.binding.tokenize(beyond, is_start=False))
                    return
                yield from self._take([token])

    def _is_in_thought(self) -> bool:
        """True where what was written so far ends inside a thought: a call there is never run."""
        is_begun = self.request.prompt.rstrip().endswith(_THINK)
        begun = max(self.text.rfind(_THINK), 0 if is_begun else -1)
        return begun >= 0 and self.text.find(THINK_CLOSE, begun) < 0

    def _take(self, tokens: list[int]) -> Iterator[tuple[int, float | None]]:
        for token in tokens:
            logprob = logprob_of(self.binding.logits(), token) if self.request.wants_logprobs else None
            self.tokens.append(token)
            yield token, logprob
            # The last one too: the next prompt goes on from it.
            self.prefixes.extend((token,))


def logprob_of(logits: Logits, token: int) -> float:
    """The natural logarithm of a token's probability."""
    return float(logits[token] - log_sum(logits))


def log_sum(logits: Logits) -> float:
    """The logarithm of the sum of exponentials, as far as 32 bits can tell it."""
    most = logits.max()
    return float(most + numpy.log(numpy.exp(logits - most).sum()))


def _beyond(text: str, piece: bytes, mark: str) -> str | None:
    """The part of `piece` that completes `mark` behind `text`; None where it does not complete it."""
    added = piece.decode(errors="replace")
    window = text[-len(mark) :] if len(mark) <= len(text) else text
    at = (window + added).find(mark)
    end = at + len(mark) - len(window)
    return added[:end] if at >= 0 and end > 0 else None

"""Generate a completion token by token, with or without a grammar, until a stop text, a limit or a repetition."""

import codecs
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from math import log
from typing import Final, NamedTuple

import numpy

from workbench.engines.llama_binding import Binding
from workbench.engines.llama_sampler import Sampler
from workbench.engines.llama_sequence import LlamaSequence
from workbench.engines.llama_steps import Logits
from workbench.hermes.marks import THINK_CLOSE
from workbench.rollout.ports import Delta, EmittedToken, FinishReason, GenerationRequest, LikelyToken
from workbench.rollout.sampling import MOST_BIAS, TokenBias
from workbench.toolspec.grammar import schema_grammar


class StopTexts:
    """Passes text on until it contains a stop text. Holds back a tail that may be the beginning of one.

    >>> stops = StopTexts(["END"])
    >>> stops.feed("a E"), stops.feed("Nx"), stops.feed("END b")
    (('a ', False), ('ENx', False), ('', True))
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = [stop for stop in stops if stop]
        self._held = ""

    def feed(self, piece: str) -> tuple[str, bool]:
        """Add a piece. Return the text that can be shown now, and whether a stop text ended the stream."""
        text = self._held + piece
        stop_positions = [text.find(stop) for stop in self._stops if stop in text]
        if stop_positions:
            self._held = ""
            return text[: min(stop_positions)], True
        keep = max((_overlap(text, stop) for stop in self._stops), default=0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep], False

    def flush(self, piece: str = "") -> str:
        """Return the text that was held back, followed by `piece`. Call it at the end of the stream."""
        text, self._held = self._held + piece, ""
        return text


def _overlap(text: str, stop: str) -> int:
    """Return the length of the longest proper prefix of `stop` that `text` ends with."""
    for size in range(min(len(stop) - 1, len(text)), 0, -1):
        if text.endswith(stop[:size]):
            return size
    return 0


class Repeats:
    """Passes blocks on. Holds a block back while it equals the beginning of an earlier one.

    Needed because a small model that may write several calls often repeats the same call until the limit.

    >>> repeats = Repeats(between="|")
    >>> [repeats.feed(piece) for piece in ("ab", "|a", "c", "|a", "b")]
    [('ab', False), ('', False), ('|ac', False), ('', False), ('', True)]
    """

    def __init__(self, *, between: str) -> None:
        self._between = between
        self._text = ""
        self._shown = 0

    def feed(self, piece: str) -> tuple[str, bool]:
        """Add a piece. Return the text that can be shown now, and whether the last block repeats an earlier one.

        A repeated block is never shown.
        """
        self._text += piece
        *earlier, last = (block.strip() for block in self._text.split(self._between))
        if last in earlier:
            return "", True
        if any(block.startswith(last) for block in earlier):
            return "", False
        return self._show(len(self._text) - self._beginning()), False

    def flush(self) -> str:
        """Return the text that was held back. Call it at the end of the stream."""
        return self._show(len(self._text))

    def _show(self, end: int) -> str:
        text = self._text[self._shown : end]
        self._shown = max(self._shown, end)
        return text

    def _beginning(self) -> int:
        """Return the length of a tail that may be the beginning of the separator."""
        sizes = range(min(len(self._between) - 1, len(self._text)), 0, -1)
        return next((size for size in sizes if self._text.endswith(self._between[:size])), 0)


_THINK: Final = THINK_CLOSE.replace("/", "")


@dataclass(slots=True, kw_only=True)
class LlamaCompletion:
    """A completion after an evaluated prompt. Run `pieces` once; the other fields are set after that."""

    binding: Binding
    sequence: LlamaSequence
    """Contains the prompt."""
    request: GenerationRequest
    prompt: Sequence[int]
    call_threshold: float
    """Least probability of a call with which the completion begins with one. 0 or less if the model decides."""
    limit: int
    """Maximum number of tokens."""
    is_cancelled: Callable[[], bool]
    """Called before each token."""
    finish_reason: FinishReason = FinishReason.LENGTH
    tokens: list[int] = field(default_factory=list[int])
    """All tokens that were drawn, including an end token."""
    text: str = ""
    """The text of the tokens, without an incomplete last character."""
    _repeats: Repeats | None = None
    """Set once a grammar constrains the model to blocks of calls."""

    def pieces(self) -> Iterator[Delta]:
        """Generate, and yield the text piece by piece, with its tokens if they are requested.

        Raises:
            EngineError: llama.cpp failed, or cannot parse the grammar.
        """
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        stops = StopTexts(self.request.stop_texts)
        for token, logprob, likely in self._drawn():
            added = "" if self.binding.is_end(token) else decoder.decode(self.binding.piece(token))
            self.text += added
            shown, is_stopped = stops.feed(added)
            shown, is_repeated = self._repeats.feed(shown) if self._repeats else (shown, False)
            emitted = (EmittedToken(id=token, text=added, logprob=logprob, likely=likely),)
            yield Delta(text=shown, tokens=emitted if self.request.wants_logprobs else ())
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

    def _drawn(self) -> Iterator["_DrawnToken"]:
        """Yield tokens with their logprobs: unconstrained up to the trigger, then constrained by the grammar."""
        mark = self.binding.tokenize(self.request.call_mark, is_start=False)
        if self.call_threshold > 0 and 0 < len(mark) < self.limit:
            yield from self._decide(mark)
        constraint = self.request.constraint
        if constraint is None:
            yield from self._draw("", until="")
            return
        grammar = constraint.grammar or schema_grammar(constraint.schema, closing=constraint.closing)
        if constraint.trigger and not self.text.endswith(constraint.trigger):
            yield from self._draw("", until=constraint.trigger)
        if constraint.between_blocks:
            self._repeats = Repeats(between=constraint.between_blocks)
        if len(self.tokens) < self.limit:
            yield from self._draw(grammar, until="")

    def _decide(self, mark: Sequence[int]) -> Iterator["_DrawnToken"]:
        """Begin with the mark of a call if its probability reaches the threshold, otherwise with something else.

        The probability of the mark is the product of those of its tokens, each given the ones before, so it only falls
        from token to token. The first token is often enough to know that no call begins. With the threshold 0.2:

            "<" 0.9, then "tool" 0.5 and "_call>" 1    -> 0.45: the answer begins with "<tool_call>"
            "<" 0.9, then "tool" 0.1                   -> 0.09: it may begin with "<", but not with "<tool"
            "<" 0.01                                   -> it does not begin with "<"
        """
        least = log(self.call_threshold)
        drawn = [self._with_logprobs(mark[0], self.sequence.logits)]
        if (drawn[0].logprob or 0.0) >= least:
            rows = self.sequence.extend(mark)
            drawn += map(self._with_logprobs, mark[1:], rows)
        reached = list(accumulate(token.logprob or 0.0 for token in drawn))
        if reached[-1] >= least:
            for token in drawn:
                self.tokens.append(token.id)
                yield token if self.request.wants_logprobs else _DrawnToken(token.id)
            return
        if len(drawn) > 1:
            self.sequence.evaluate(self.prompt, self.is_cancelled)
        missed_at = next(place for place, logprob in enumerate(reached) if logprob < least)
        yield from self._draw_other(mark[: missed_at + 1])

    def _draw_other(self, start: Sequence[int]) -> Iterator["_DrawnToken"]:
        """Draw tokens until they differ from `start`. The last one of `start` is forbidden after the others."""
        sampling = self.request.sampling
        for place, token in enumerate(start):
            is_last = place == len(start) - 1
            forbidden = (TokenBias(token=token, bias=-MOST_BIAS),) if is_last else ()
            biased = replace(sampling, logit_bias=(*sampling.logit_bias, *forbidden))
            with Sampler(self.binding, biased, written=self.tokens) as sampler:
                drawn = sampler.draw(self.sequence.logits)
            yield from self._take([drawn])
            if drawn != token:
                return

    def _draw(self, grammar: str, *, until: str) -> Iterator["_DrawnToken"]:
        """Draw tokens up to the limit, or until the text contains `until`.

        A token that would go beyond `until` is replaced by the tokens of its part up to there.
        """
        with Sampler(self.binding, self.request.sampling, grammar=grammar, written=self.tokens) as sampler:
            while len(self.tokens) < self.limit:
                token = sampler.draw(self.sequence.logits)
                ending = _ending_at(self.text, self.binding.piece(token), until) if until else None
                if ending is not None and not self._is_in_thought():
                    yield from self._take(self.binding.tokenize(ending, is_start=False))
                    return
                yield from self._take([token])

    def _is_in_thought(self) -> bool:
        """Return whether the text so far ends inside a thought. A call there is never run."""
        starts_in_thought = self.request.prompt.rstrip().endswith(_THINK)
        opened_at = max(self.text.rfind(_THINK), 0 if starts_in_thought else -1)
        return opened_at >= 0 and self.text.find(THINK_CLOSE, opened_at) < 0

    def _take(self, tokens: list[int]) -> Iterator["_DrawnToken"]:
        for token in tokens:
            # Before the token is evaluated, which replaces the logits.
            drawn = (
                self._with_logprobs(token, self.sequence.logits)
                if self.request.wants_logprobs
                else _DrawnToken(token)
            )
            self.tokens.append(token)
            yield drawn
            # The last token too, because the next prompt continues from it.
            self.sequence.extend((token,))

    def _with_logprobs(self, token: int, logits: Logits) -> "_DrawnToken":
        total = log_sum(logits)
        count = min(self.request.top_logprobs, len(logits))
        most = numpy.argpartition(logits, -count)[-count:] if count else ()
        likely = sorted(((float(logits[other] - total), int(other)) for other in most), reverse=True)
        return _DrawnToken(
            token,
            float(logits[token] - total),
            tuple(
                LikelyToken(self.binding.piece(other).decode(errors="replace"), value)
                for value, other in likely
            ),
        )


class _DrawnToken(NamedTuple):
    """A token that was drawn, before it is evaluated."""

    id: int
    logprob: float | None = None
    likely: tuple[LikelyToken, ...] = ()


def logprob_of(logits: Logits, token: int) -> float:
    """Return the natural logarithm of a token's probability."""
    return float(logits[token] - log_sum(logits))


def log_sum(logits: Logits) -> float:
    """Return the logarithm of the sum of exponentials, in 32-bit precision."""
    most = logits.max()
    return float(most + numpy.log(numpy.exp(logits - most).sum()))


def _ending_at(text: str, piece: bytes, mark: str) -> str | None:
    """Return the part of `piece` that completes `mark` after `text`, or None if it does not complete it."""
    added = piece.decode(errors="replace")
    window = text[-len(mark) :] if len(mark) <= len(text) else text
    at = (window + added).find(mark)
    end = at + len(mark) - len(window)
    return added[:end] if at >= 0 and end > 0 else None

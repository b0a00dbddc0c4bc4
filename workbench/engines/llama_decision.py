"""Compute probabilities from a model's logits: how an answer would begin, and how likely a given completion is.

The idea for `decide`: the answer is a call of a tool if it begins with `<tool_call>`, continues with the fixed text up
to the name, such as `{"name": "`, then the name, then the character that ends it (`"`). Its probability is

    P(call of T) = P("<tool_call>" | prompt) x P(name of T, then something that starts with '"' | ... {"name": ")

Each factor is the product of the probabilities of its tokens, each given the text before. The fixed text in between
counts as certain. Everything is computed with logarithms, because products of many small numbers underflow.

Why the end of the name counts: with the tools `get` and `get_weather`, the tokens of `get` are likely whichever of the
two the model wants. Only the next token decides: `"` or `_`. And the vocabulary has many tokens that start with `"`
(`"`, `",`, `"}`); all of them end the name, so their probabilities are added.

Invariant: the tools, `no_call` and `other_name` add up to 1. `no_call` is 1 minus the probability of `<tool_call>`, and
`other_name` is what remains of it after the offered names.
"""

import codecs
from collections.abc import Callable, Sequence
from functools import cache
from math import exp, expm1, log
from typing import Final

from workbench.engines.llama_binding import Binding
from workbench.engines.llama_completion import log_sum, logprob_of
from workbench.engines.llama_sequence import LlamaSequence, common_length
from workbench.rollout.logprobs import CallOpening, Decision, DecisionBar
from workbench.rollout.ports import EmittedToken

ROWS: Final = 64
"""Number of tokens that are evaluated at once. The logits of each are in memory at the same time."""
LEAST: Final = -745.0
"""Logarithm of the smallest float above 0. Used as the logarithm of probability 0."""


class LlamaLogprobs:
    """Computes probabilities with one model. Use it only while holding the model's place in the queue."""

    def __init__(self, binding: Binding, sequence: LlamaSequence, is_cancelled: Callable[[], bool]) -> None:
        self._binding = binding
        self._sequence = sequence
        self._is_cancelled = is_cancelled

    def decide(self, prompt: str, opening: CallOpening, names: Sequence[str]) -> Decision | None:
        """Return how an answer would begin; see `workbench.rollout.logprobs.LogprobsEngine`."""
        call_logprob = self._logprob_of_text(prompt, opening.mark)
        if call_logprob is None:
            return None
        before = prompt + opening.mark + opening.before_name
        bars: list[DecisionBar] = []
        for name in names:
            name_logprob = self._logprob_of_text(before, name, ended_by=opening.after_name)
            if name_logprob is None:
                return None
            bars.append(DecisionBar(tool=name, logprob=max(call_logprob + name_logprob, LEAST)))
        known = sum(bar.probability for bar in bars)
        return Decision(
            tools=tuple(bars),
            no_call=DecisionBar(tool=None, logprob=_log_of_rest(call_logprob)),
            other_name=DecisionBar(tool=None, logprob=_log(exp(call_logprob) - known)),
        )

    def completion_logprobs(self, prompt: str, completion: str) -> tuple[EmittedToken, ...] | None:
        """Return the tokens of a completion; see `workbench.rollout.logprobs.LogprobsEngine`."""
        start, tokens = self._split(prompt, completion)
        logprobs = self._logprobs(start, tokens)
        if logprobs is None:
            return None
        texts = _texts(self._binding, tokens)
        return tuple(
            EmittedToken(id=token, text=text, logprob=logprob)
            for token, text, logprob in zip(tokens, texts, logprobs, strict=True)
        )

    def _split(self, before: str, text: str) -> tuple[list[int], list[int]]:
        """Return the tokens of `before` and those of `text`. A token that spans both belongs to `text`."""
        start = self._binding.tokenize(before, is_start=True)
        whole = self._binding.tokenize(before + text, is_start=True)
        shared = common_length(start, whole)
        return whole[:shared], whole[shared:]

    def _logprob_of_text(self, before: str, text: str, *, ended_by: str = "") -> float | None:
        """Return the log probability of `text` after `before`, or None if cancelled."""
        start, tokens = self._split(before, text)
        logprobs = self._logprobs(start, tokens, ended_by=ended_by)
        return None if logprobs is None else sum(logprobs)

    def _logprobs(
        self, start: Sequence[int], tokens: Sequence[int], *, ended_by: str = ""
    ) -> list[float] | None:
        """Return the logprob of each token, then that of all tokens that start with `ended_by`. None if cancelled."""
        if not self._sequence.evaluate(start, self._is_cancelled).is_whole:
            return None
        logprobs = list[float]()
        for first in range(0, len(tokens), ROWS):
            if self._is_cancelled():
                return None
            batch = tokens[first : first + ROWS]
            logprobs.append(logprob_of(self._sequence.logits, batch[0]))
            logprobs += map(logprob_of, self._sequence.extend(batch), batch[1:])
        if ended_by:
            logits = self._sequence.logits
            logprobs.append(log_sum(logits[self._beginning_with(ended_by)]) - log_sum(logits))
        # The next name starts at the same place.
        self._sequence.cut(len(start))
        return logprobs

    @cache  # noqa: B019  the object lives only for one request
    def _beginning_with(self, text: str) -> list[int]:
        """Return the tokens whose text starts with `text`."""
        data, size = text.encode(), self._binding.vocabulary_size
        return [token for token in range(size) if self._binding.piece(token).startswith(data)]


def _texts(binding: Binding, tokens: Sequence[int]) -> list[str]:
    """Return the text that each token adds."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return [decoder.decode(binding.piece(token)) for token in tokens]


def _log_of_rest(logprob: float) -> float:
    """Return the logarithm of 1 minus the probability."""
    return _log(-expm1(logprob))


def _log(probability: float) -> float:
    """Return the natural logarithm, or `LEAST` if rounding made the probability 0 or less."""
    return log(probability) if probability > 0 else LEAST

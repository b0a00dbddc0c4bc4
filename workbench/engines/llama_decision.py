"""Read probabilities from a model's logits: how an answer would begin, and how likely a given completion is."""

import codecs
from collections.abc import Callable, Sequence
from functools import cache
from math import exp, expm1, log
from typing import Final

from workbench.engines.llama_binding import BATCH_TOKENS, Binding
from workbench.engines.llama_completion import log_sum, logprob_of
from workbench.engines.llama_prefix import Prefixes, common_length
from workbench.rollout.logprobs import CallOpening, Decision, DecisionBar
from workbench.rollout.ports import EmittedToken

LEAST: Final = -745.0
"""Logarithm of the least number above 0: stands for a probability of 0."""


class LlamaLogprobs:
    """Reads probabilities off one model; to be used by whoever is being served."""

    def __init__(self, binding: Binding, prefixes: Prefixes, is_cancelled: Callable[[], bool]) -> None:
        self._binding = binding
        self._prefixes = prefixes
        self._is_cancelled = is_cancelled

    def decide(self, prompt: str, opening: CallOpening, names: Sequence[str]) -> Decision | None:
        """See `workbench.rollout.logprobs.LogprobsEngine`.

        The probability of a call is that of its mark, token by token, where the answer begins. What stands
        between mark and name is taken as given. A name's is the sum of the logarithms of its tokens, and of all
        tokens that begin with what ends a name, so that no name wins by being the beginning of another.
        """
        call = self._path(prompt, opening.mark)
        if call is None:
            return None
        before = prompt + opening.mark + opening.before_name
        bars: list[DecisionBar] = []
        for name in names:
            named = self._path(before, name, ended_by=opening.after_name)
            if named is None:
                return None
            bars.append(DecisionBar(tool=name, logprob=max(call + named, LEAST)))
        known = sum(bar.probability for bar in bars)
        return Decision(
            tools=tuple(bars),
            no_call=DecisionBar(tool=None, logprob=_log_of_rest(call)),
            other_name=DecisionBar(tool=None, logprob=_log(exp(call) - known)),
        )

    def completion_logprobs(self, prompt: str, completion: str) -> tuple[EmittedToken, ...] | None:
        """See `workbench.rollout.logprobs.LogprobsEngine`."""
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
        """The tokens before and in `text`; a token that both share counts to `text`."""
        start = self._binding.tokenize(before, is_start=True)
        whole = self._binding.tokenize(before + text, is_start=True)
        shared = common_length(start, whole)
        return whole[:shared], whole[shared:]

    def _path(self, before: str, text: str, *, ended_by: str = "") -> float | None:
        """Logarithm of the probability of `text` behind `before`; None where it was cancelled."""
        start, tokens = self._split(before, text)
        logprobs = self._logprobs(start, tokens, ended_by=ended_by)
        return None if logprobs is None else sum(logprobs)

    def _logprobs(
        self, start: Sequence[int], tokens: Sequence[int], *, ended_by: str = ""
    ) -> list[float] | None:
        """One logarithm a token, then one of all tokens that begin with `ended_by`; None where cancelled."""
        if not self._prefixes.evaluate(start, self._is_cancelled).is_whole:
            return None
        logits, found = self._binding.logits(), list[float]()
        for first in range(0, len(tokens), BATCH_TOKENS):
            if self._is_cancelled():
                return None
            batch = tokens[first : first + BATCH_TOKENS]
            found.append(logprob_of(logits, batch[0]))
            self._prefixes.extend(batch, all_logits=True)
            found += [logprob_of(self._binding.logits(at), token) for at, token in enumerate(batch[1:])]
            logits = self._binding.logits(len(batch) - 1)
        if ended_by:
            found.append(log_sum(logits[self._beginning_with(ended_by)]) - log_sum(logits))
        # Another name may follow: it begins where this one began.
        self._prefixes.cut(len(start))
        return found

    @cache  # noqa: B019  lives as long as one weighing
    def _beginning_with(self, text: str) -> list[int]:
        """The tokens whose text begins with `text`."""
        data, size = text.encode(), self._binding.vocabulary_size
        return [token for token in range(size) if self._binding.piece(token).startswith(data)]


def _texts(binding: Binding, tokens: Sequence[int]) -> list[str]:
    """What each token adds to the text."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return [decoder.decode(binding.piece(token)) for token in tokens]


def _log_of_rest(logprob: float) -> float:
    """Logarithm of what is left of 1."""
    return _log(-expm1(logprob))


def _log(probability: float) -> float:
    """Natural logarithm; of what rounding made no probability, that of the least number."""
    return log(probability) if probability > 0 else LEAST

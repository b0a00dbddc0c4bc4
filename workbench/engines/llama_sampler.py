"""Choose the next token with llama.cpp's samplers, constrained by a grammar or not.

A *chain* of samplers turns the logits into one token: biases, penalties, then greedy, Mirostat, or top k, typical p,
top p, min p, temperature and a random draw. This is the order of llama.cpp's own programs.

The idea for grammars: checking a grammar against the whole vocabulary is slow. SmolLM2 has 49,152 tokens, and the
grammar's sampler compares the text of each with all of its possible continuations. But after `{"name": "` the model
nearly always chooses a token that the grammar allows anyway. So a token is drawn without the grammar first, and the
grammar checks only that one. If it refuses the token, the grammar is applied to all logits and the chain draws again.

Invariant: each chosen token is one that the grammar allows, and grammar and chain record it (`accept`) exactly once.
They never record a refused token. For example, after `{"hour": ` the model may draw `"` for an integer. The grammar
refuses it, and it must not count as written, neither for the grammar nor for the repetition penalty.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import llama_cpp
import numpy
from numpy.typing import NDArray

from workbench.engines.llama_binding import Binding
from workbench.engines.llama_loading import llama_log
from workbench.engines.llama_steps import Logits
from workbench.errors import ConstraintFailed
from workbench.rollout.sampling import Sampling

MIROSTAT_TOKENS: Final = 100
"""Number of tokens from which Mirostat 1 estimates; the value of llama.cpp's own programs."""
_KEEP: Final = 1
_CANDIDATE: Final = numpy.dtype([("id", numpy.int32), ("logit", numpy.float32), ("p", numpy.float32)])

if TYPE_CHECKING:
    _Pointer = llama_cpp.llama_sampler_p


class Sampler:
    """Draws tokens after what the model has evaluated. Use it in a `with` statement.

    Raises:
        ConstraintFailed: llama.cpp cannot parse the grammar.
    """

    def __init__(
        self, binding: Binding, sampling: Sampling, *, grammar: str = "", written: Sequence[int] = ()
    ) -> None:
        """Create the samplers.

        Args:
            grammar: GBNF with the rule `root`. Empty for no grammar.
            written: Tokens of the completion so far, which count for penalties.
        """
        self._grammar = _grammar(binding, grammar) if grammar else None
        self._candidates = _Candidates(binding.vocabulary_size)
        self._chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        for part in _parts(binding, sampling, written):
            llama_cpp.llama_sampler_chain_add(self._chain, part)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the samplers."""
        llama_cpp.llama_sampler_free(self._chain)
        if self._grammar is not None:
            llama_cpp.llama_sampler_free(self._grammar)

    def draw(self, logits: Logits) -> int:
        """Choose the next token and record it for penalties and grammar."""
        token = self._candidates.chosen(logits, self._chain)
        if self._grammar is not None:
            if not self._candidates.is_allowed(token, self._grammar):
                token = self._candidates.chosen(logits, self._grammar, self._chain)
            llama_cpp.llama_sampler_accept(self._grammar, token)
        llama_cpp.llama_sampler_accept(self._chain, token)
        return token


class _Candidates:
    """The vocabulary with logits, in the form that samplers take."""

    def __init__(self, vocabulary_size: int) -> None:
        self._unsorted = numpy.zeros(vocabulary_size, dtype=_CANDIDATE)
        self._unsorted["id"] = numpy.arange(vocabulary_size, dtype=numpy.int32)
        self._all = self._unsorted.copy()

    def chosen(self, logits: Logits, *samplers: _Pointer) -> int:
        """Apply the samplers in order and return the token that the last one chooses."""
        # Samplers sort and truncate the array, so fill it each time.
        self._all[:] = self._unsorted
        self._all["logit"] = logits
        array = _array(self._all)
        for sampler in samplers:
            llama_cpp.llama_sampler_apply(sampler, array)
        return array[0].data[array[0].selected].id

    def is_allowed(self, token: int, grammar: _Pointer) -> bool:
        """Return whether the grammar allows a token as the next one."""
        candidate = numpy.zeros(1, dtype=_CANDIDATE)
        candidate["id"] = token
        array = _array(candidate)
        llama_cpp.llama_sampler_apply(grammar, array)
        return bool(numpy.isfinite(candidate["logit"][0]))


def _array(candidates: NDArray[numpy.void]) -> ctypes.Array[llama_cpp.llama_token_data_array]:
    data = candidates.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data))
    return (llama_cpp.llama_token_data_array * 1)(
        llama_cpp.llama_token_data_array(data=data, size=len(candidates), selected=-1, sorted=False)
    )


def _parts(binding: Binding, sampling: Sampling, written: Sequence[int]) -> Iterator[_Pointer]:
    if biases := _biases(binding, sampling):
        yield _logit_bias(binding, biases)
    if _has_penalties(sampling):
        penalties = _penalties(binding, sampling)
        for token in written:
            llama_cpp.llama_sampler_accept(penalties, token)
        yield penalties
    yield from _choice(binding, sampling)


def _choice(binding: Binding, sampling: Sampling) -> Sequence[_Pointer]:
    seed = sampling.seed % 2**32
    if sampling.temperature <= 0:
        return [llama_cpp.llama_sampler_init_greedy()]
    temperature = llama_cpp.llama_sampler_init_temp(sampling.temperature)
    tau, eta = sampling.mirostat_tau, sampling.mirostat_eta
    if sampling.mirostat == 1:
        size = binding.vocabulary_size
        return [temperature, llama_cpp.llama_sampler_init_mirostat(size, seed, tau, eta, MIROSTAT_TOKENS)]
    if sampling.mirostat == 2:
        return [temperature, llama_cpp.llama_sampler_init_mirostat_v2(seed, tau, eta)]
    return [
        llama_cpp.llama_sampler_init_top_k(sampling.top_k),
        llama_cpp.llama_sampler_init_typical(sampling.typical_p, _KEEP),
        llama_cpp.llama_sampler_init_top_p(sampling.top_p, _KEEP),
        llama_cpp.llama_sampler_init_min_p(sampling.min_p, _KEEP),
        temperature,
        llama_cpp.llama_sampler_init_dist(seed),
    ]


def _has_penalties(sampling: Sampling) -> bool:
    return (sampling.repeat_penalty, sampling.frequency_penalty, sampling.presence_penalty) != (1.0, 0.0, 0.0)


def _penalties(binding: Binding, sampling: Sampling) -> _Pointer:
    last_tokens = sampling.penalty_last_tokens
    return llama_cpp.llama_sampler_init_penalties(
        binding.vocabulary_size,
        binding.context_tokens if last_tokens < 0 else last_tokens,
        sampling.repeat_penalty,
        sampling.frequency_penalty,
        sampling.presence_penalty,
    )


def _biases(binding: Binding, sampling: Sampling) -> list[tuple[int, float]]:
    """Return token ids with their biases. A text stands for each of its tokens."""
    biases: list[tuple[int, float]] = []
    for entry in sampling.logit_bias:
        tokens = (
            [entry.token] if isinstance(entry.token, int) else binding.tokenize(entry.token, is_start=False)
        )
        biases += [(token, entry.limited) for token in tokens if 0 <= token < binding.vocabulary_size]
    return biases


def _logit_bias(binding: Binding, biases: Sequence[tuple[int, float]]) -> _Pointer:
    array = (llama_cpp.llama_logit_bias * len(biases))(
        *(llama_cpp.llama_logit_bias(token=token, bias=bias) for token, bias in biases)
    )
    return llama_cpp.llama_sampler_init_logit_bias(binding.vocabulary_size, len(biases), array)


def _grammar(binding: Binding, grammar: str) -> _Pointer:
    log = llama_log()
    log.take()
    sampler = llama_cpp.llama_sampler_init_grammar(binding.vocabulary, grammar.encode(), b"root")
    if not sampler:
        raise ConstraintFailed(log.take() or "llama.cpp cannot parse the grammar")
    return sampler

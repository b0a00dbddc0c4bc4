"""Build the chain of llama.cpp samplers for a request."""

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
from workbench.errors import ConstraintFailed
from workbench.rollout.sampling import Sampling

MIROSTAT_TOKENS: Final = 100
"""How many tokens version 1 of Mirostat looks at; as llama.cpp's own programs have it."""
_KEEP: Final = 1
_CANDIDATE: Final = numpy.dtype([("id", numpy.int32), ("logit", numpy.float32), ("p", numpy.float32)])

if TYPE_CHECKING:
    _Pointer = llama_cpp.llama_sampler_p


class Sampler:
    """Draws tokens behind what a model has evaluated; to be used in a `with`.

    The order is that of llama.cpp's own programs: biases, penalties, then greedy, Mirostat, or top-k, typical,
    top-p, min-p and temperature. So is the way with a grammar: a token is drawn freely, and only where the grammar
    refuses it drawn again from those that it allows, for asking it of a whole vocabulary takes long.

    Raises:
        ConstraintFailed: llama.cpp cannot read the grammar.
    """

    def __init__(
        self, binding: Binding, sampling: Sampling, *, grammar: str = "", written: Sequence[int] = ()
    ) -> None:
        """A chain; `written` are the completion's tokens so far, which count for penalties."""
        self._binding = binding
        self._grammar = _grammar(binding, grammar) if grammar else None
        self._candidates = _Candidates(binding)
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
        """Frees the chain and all in it."""
        llama_cpp.llama_sampler_free(self._chain)
        if self._grammar is not None:
            llama_cpp.llama_sampler_free(self._grammar)

    def draw(self) -> int:
        """The next token; it counts for penalties and grammar from here on."""
        if self._grammar is None:
            return llama_cpp.llama_sampler_sample(self._chain, self._binding.context, -1)
        token = self._candidates.chosen(self._chain)
        if not self._candidates.is_allowed(token, self._grammar):
            token = self._candidates.chosen(self._grammar, self._chain)
        for sampler in (self._grammar, self._chain):
            llama_cpp.llama_sampler_accept(sampler, token)
        return token


class _Candidates:
    """The vocabulary with the logits of the moment, as samplers take it."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._all = numpy.zeros(binding.vocabulary_size, dtype=_CANDIDATE)
        self._ids = numpy.arange(binding.vocabulary_size, dtype=numpy.int32)

    def chosen(self, *samplers: _Pointer) -> int:
        """The token that the last of the samplers chooses."""
        # Samplers sort and cut the array: it is filled anew each time.
        self._all["id"], self._all["logit"], self._all["p"] = self._ids, self._binding.logits(), 0
        array = _array(self._all)
        for sampler in samplers:
            llama_cpp.llama_sampler_apply(sampler, array)
        return array[0].data[array[0].selected].id

    def is_allowed(self, token: int, grammar: _Pointer) -> bool:
        """Whether the grammar takes a token now."""
        one = numpy.zeros(1, dtype=_CANDIDATE)
        one["id"] = token
        array = _array(one)
        llama_cpp.llama_sampler_apply(grammar, array)
        return bool(numpy.isfinite(one["logit"][0]))


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
    wanted = sampling.penalty_last_tokens
    return llama_cpp.llama_sampler_init_penalties(
        binding.vocabulary_size,
        binding.context_tokens if wanted < 0 else wanted,
        sampling.repeat_penalty,
        sampling.frequency_penalty,
        sampling.presence_penalty,
    )


def _biases(binding: Binding, sampling: Sampling) -> list[tuple[int, float]]:
    """Each token's bias; of a text, each of its tokens."""
    biases: list[tuple[int, float]] = []
    for one in sampling.logit_bias:
        tokens = [one.token] if isinstance(one.token, int) else binding.tokenize(one.token, is_start=False)
        biases += [(token, one.limited) for token in tokens if 0 <= token < binding.vocabulary_size]
    return biases


def _logit_bias(binding: Binding, biases: Sequence[tuple[int, float]]) -> _Pointer:
    array = (llama_cpp.llama_logit_bias * len(biases))(
        *(llama_cpp.llama_logit_bias(token=token, bias=bias) for token, bias in biases)
    )
    return llama_cpp.llama_sampler_init_logit_bias(binding.vocabulary_size, len(biases), array)


def _grammar(binding: Binding, grammar: str) -> _Pointer:
    log = llama_log()
    log.take()
    made = llama_cpp.llama_sampler_init_grammar(binding.vocabulary, grammar.encode(), b"root")
    if not made:
        raise ConstraintFailed(log.take() or "llama.cpp cannot read the grammar")
    return made

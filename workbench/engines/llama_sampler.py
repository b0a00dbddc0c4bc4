"""Sampling as llama.cpp's chain of samplers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import llama_cpp

from workbench.engines.llama_binding import Binding
from workbench.engines.llama_log import llama_log
from workbench.errors import ConstraintFailed
from workbench.rollout.ports import Sampling

MIROSTAT_TOKENS: Final = 100
"""How many tokens version 1 of Mirostat looks at; as llama.cpp's own programs have it."""
MOST_BIAS: Final = 100.0
"""A bias counts no more than this: one that is endless could leave a grammar without any token."""
_KEEP: Final = 1

if TYPE_CHECKING:
    _Pointer = llama_cpp.llama_sampler_p


class Sampler:
    """Draws tokens behind what a model has evaluated; to be used in a `with`.

    The order is that of llama.cpp's own programs: biases, penalties, grammar, then greedy, Mirostat, or top-k,
    typical, top-p, min-p and temperature.

    Raises:
        ConstraintFailed: llama.cpp cannot read the grammar.
    """

    def __init__(
        self, binding: Binding, sampling: Sampling, *, grammar: str = "", written: Sequence[int] = ()
    ) -> None:
        """A chain; `written` are the completion's tokens so far, which count for penalties."""
        self._binding = binding
        self._chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        try:
            for part in _parts(binding, sampling, grammar, written):
                llama_cpp.llama_sampler_chain_add(self._chain, part)
        except ConstraintFailed:
            self.close()
            raise

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

    def draw(self) -> int:
        """The next token; it counts for penalties and grammar from here on."""
        return llama_cpp.llama_sampler_sample(self._chain, self._binding.context, -1)


def _parts(binding: Binding, sampling: Sampling, grammar: str, written: Sequence[int]) -> Iterator[_Pointer]:
    if biases := _biases(binding, sampling):
        yield _logit_bias(binding, biases)
    if _has_penalties(sampling):
        penalties = _penalties(binding, sampling)
        for token in written:
            llama_cpp.llama_sampler_accept(penalties, token)
        yield penalties
    if grammar:
        yield _grammar(binding, grammar)
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
        bias = max(-MOST_BIAS, min(MOST_BIAS, one.bias))
        biases += [(token, bias) for token in tokens if 0 <= token < binding.vocabulary_size]
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

"""Read the sampling settings of a request, and fill in the workbench's defaults."""

from collections.abc import Iterator, Mapping
from secrets import randbelow
from typing import Final

from workbench.gateway.faults import RequestFault
from workbench.gateway.requests import ChatRequest, CompletionRequest
from workbench.rollout.ports import Engine
from workbench.rollout.sampling import SAMPLING_FIELDS, Sampling, TokenBias

_UNLIMITED_TOKENS: Final = 32_768
"""The longest completion of a server, if the client sets no limit."""
SEEDS: Final = 2**31
"""Number of seeds that are drawn from."""


def unset_sampling(request: ChatRequest | CompletionRequest) -> frozenset[str]:
    """Return the sampling fields that the client did not set."""
    given = {name for name in SAMPLING_FIELDS if getattr(request, name, None) is not None}
    return frozenset(SAMPLING_FIELDS) - given - ({"max_tokens"} if request.token_limit else set())


def read_sampling(request: ChatRequest | CompletionRequest, engine: Engine) -> Sampling:
    """Return the sampling settings: the client's, then the workbench's defaults."""
    given = {
        name: value
        for name in SAMPLING_FIELDS
        if name not in ("stop", "logit_bias", "seed", "max_tokens", "top_k")
        and (value := getattr(request, name, None)) is not None
    }
    if request.top_k is not None:
        # -1 and 0 keep all tokens: vLLM writes -1, llama.cpp 0.
        given["top_k"] = max(0, request.top_k)
    is_local = engine.capabilities.has_exact_prompt and not engine.capabilities.is_server
    limit = request.token_limit or (is_local and engine.context_tokens) or _UNLIMITED_TOKENS
    # Without a seed, answers to the same request differ, as with other servers. At temperature 0 they do not.
    seed = randbelow(SEEDS) if request.seed is None else request.seed % SEEDS
    if request.seed is None and not request.temperature:
        seed = Sampling().seed
    return Sampling(
        **given,
        stop=request.stops,
        seed=seed,
        max_tokens=limit,
        logit_bias=tuple(_biases(request.logit_bias)),
    )


def _biases(biases: Mapping[str, float] | None) -> Iterator[TokenBias]:
    for token, bias in (biases or {}).items():
        if not token.isdigit():
            message = f"logit_bias: {token[:40]!r} is not the id of a token."
            raise RequestFault(400, message, "invalid_value", "logit_bias")
        yield TokenBias(token=int(token), bias=bias)

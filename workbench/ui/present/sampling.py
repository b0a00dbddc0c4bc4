"""The sampling's fields: texts for lists, read back with a line on what is wrong."""

import json
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, cast

from workbench.errors import BadInput
from workbench.rollout.ports import Sampling, TokenBias
from workbench.ui.present.numbers import (
    FREQUENCY_PENALTY,
    MAX_TOKENS,
    MIN_P,
    MIROSTAT_ETA,
    MIROSTAT_TAU,
    PENALTY_LAST_TOKENS,
    PRESENCE_PENALTY,
    REPEAT_PENALTY,
    SEED,
    TEMPERATURE,
    TOP_K,
    TOP_P,
    TYPICAL_P,
    NumberRange,
)
from workbench.ui.present.words import count

_USUAL: Final = frozenset({"temperature", "top_p", "top_k", "seed", "max_tokens"})
_MIROSTAT: Final = NumberRange("Mirostat", 0, 2)


class SamplingFields(NamedTuple):
    """What stands in the fields, in the order in which they are wired."""

    temperature: float
    top_p: float
    top_k: int
    seed: int
    max_tokens: int
    min_p: float
    typical_p: float
    repeat_penalty: float
    presence_penalty: float
    frequency_penalty: float
    penalty_last_tokens: int
    mirostat: int
    mirostat_tau: float
    mirostat_eta: float
    stop: str
    logit_bias: str


def sampling_fields(sampling: Sampling) -> SamplingFields:
    """A sampling as the fields show it."""
    return SamplingFields(
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        top_k=sampling.top_k,
        seed=sampling.seed,
        max_tokens=sampling.max_tokens,
        min_p=sampling.min_p,
        typical_p=sampling.typical_p,
        repeat_penalty=sampling.repeat_penalty,
        presence_penalty=sampling.presence_penalty,
        frequency_penalty=sampling.frequency_penalty,
        penalty_last_tokens=sampling.penalty_last_tokens,
        mirostat=sampling.mirostat,
        mirostat_tau=sampling.mirostat_tau,
        mirostat_eta=sampling.mirostat_eta,
        stop=_show_stops(sampling.stop),
        logit_bias=_show_biases(sampling.logit_bias),
    )


def sampling_of(fields: SamplingFields) -> Sampling:
    """The fields as a sampling.

    Raises:
        BadInput: A number is missing or out of its range, or a line of the biases cannot be read.
    """
    return Sampling(
        temperature=TEMPERATURE.read(fields.temperature),
        top_p=TOP_P.read(fields.top_p),
        top_k=TOP_K.whole(fields.top_k),
        seed=SEED.whole(fields.seed),
        max_tokens=MAX_TOKENS.whole(fields.max_tokens),
        min_p=MIN_P.read(fields.min_p),
        typical_p=TYPICAL_P.read(fields.typical_p),
        repeat_penalty=REPEAT_PENALTY.read(fields.repeat_penalty),
        presence_penalty=PRESENCE_PENALTY.read(fields.presence_penalty),
        frequency_penalty=FREQUENCY_PENALTY.read(fields.frequency_penalty),
        penalty_last_tokens=PENALTY_LAST_TOKENS.whole(fields.penalty_last_tokens),
        mirostat=cast("Literal[0, 1, 2]", _MIROSTAT.whole(fields.mirostat)),
        mirostat_tau=MIROSTAT_TAU.read(fields.mirostat_tau),
        mirostat_eta=MIROSTAT_ETA.read(fields.mirostat_eta),
        stop=tuple(_read_stops(fields.stop)),
        logit_bias=tuple(_read_biases(fields.logit_bias)),
    )


def sampling_words(sampling: Sampling) -> str:
    """A sampling in a line: the usual values, and each other one that is not as the defaults have it.

    >>> sampling_words(Sampling(min_p=0.2))
    'temperature 0, top_p 0.95, top_k 40, seed 0, at most 256 tokens, min_p 0.2'
    """
    usual = (
        f"temperature {sampling.temperature:g}, top_p {sampling.top_p:g}, top_k {sampling.top_k}, "
        f"seed {sampling.seed}, at most {count(sampling.max_tokens, 'token')}"
    )
    fields, plain = sampling_fields(sampling), sampling_fields(Sampling())
    others = [
        f"{name} {value}"
        for name, value, default in zip(fields._fields, fields, plain, strict=True)
        if value != default and name not in _USUAL
    ]
    return ", ".join((usual, *others))


def _show_stops(stops: Iterable[str]) -> str:
    r"""One a line, a line break in it as `\n`."""
    return "\n".join(json.dumps(stop, ensure_ascii=False)[1:-1].replace('\\"', '"') for stop in stops)


def _read_stops(text: str) -> Iterable[str]:
    for line in filter(None, text.split("\n")):
        try:
            yield cast(str, json.loads('"' + line.replace('"', '\\"') + '"'))
        except ValueError:
            # A lone backslash is one.
            yield line


def _show_biases(biases: Iterable[TokenBias]) -> str:
    """A line each: the token's number or its text in quotes, then the bias."""
    return "\n".join(f"{json.dumps(one.token, ensure_ascii=False)} {one.bias:g}" for one in biases)


def _read_biases(text: str) -> Iterable[TokenBias]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        token, _, bias = line.strip().rpartition(" ")
        try:
            yield TokenBias(token=_token(token.strip()), bias=float(bias))
        except ValueError:
            where = f"field 'logit bias', line {number}"
            raise BadInput(
                where, f"cannot read {line[:30]!r}", 'write TOKEN BIAS, such as "Hello" -5'
            ) from None


def _token(text: str) -> int | str:
    """A number is a token's, all else a text, with or without quotes.

    Raises:
        ValueError: There is none, or the quotes do not close.
    """
    if text.isdigit():
        return int(text)
    if text.startswith('"'):
        return cast(str, json.loads(text))
    if not text:
        raise ValueError("no token")
    return text

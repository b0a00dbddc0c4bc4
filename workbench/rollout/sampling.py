"""Sampling settings. Every sampling field is declared here and only here; see CONTRIBUTING.md."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, cast

from workbench.errors import BadInput
from workbench.rollout.setting_field import (
    ChoiceOption,
    LinesEditor,
    NumberRange,
    SettingField,
    setting,
    settings_of,
)

MOST_BIAS: Final = 100.0
"""OpenAI's protocol allows no more. An infinite bias could leave a grammar without any token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBias:
    """A push for or against one token."""

    token: int | str
    """Its id, or a text: each token of it is pushed."""
    bias: float
    """Added to the logit; -100 forbids the token."""

    @property
    def limited(self) -> float:
        """The bias, at most `MOST_BIAS` away from 0."""
        return max(-MOST_BIAS, min(MOST_BIAS, self.bias))


def show_stops(stops: Iterable[str]) -> str:
    r"""Write a stop text a line, a line break in it as `\n`."""
    return "\n".join(json.dumps(stop, ensure_ascii=False)[1:-1].replace('\\"', '"') for stop in stops)


def parse_stops(text: str) -> tuple[str, ...]:
    r"""Read a stop text a line; `\n` is a line break.

    >>> parse_stops("\\n\\nUser:\nstop")
    ('\n\nUser:', 'stop')
    """
    return tuple(_parse_stop(line) for line in text.split("\n") if line)


def show_biases(biases: Iterable[TokenBias]) -> str:
    """Write a bias a line: the token's number or its text in quotes, then the bias."""
    return "\n".join(f"{json.dumps(entry.token, ensure_ascii=False)} {entry.bias:g}" for entry in biases)


def parse_biases(text: str) -> tuple[TokenBias, ...]:
    """Read a bias a line.

    Raises:
        BadInput: A line cannot be read.
    """
    lines = enumerate(text.split("\n"), start=1)
    return tuple(_parse_bias(line, number) for number, line in lines if line.strip())


def _parse_stop(line: str) -> str:
    try:
        return cast(str, json.loads('"' + line.replace('"', '\\"') + '"'))
    except ValueError:
        # A lone backslash stands for itself.
        return line


def _parse_bias(line: str, number: int) -> TokenBias:
    token, _, bias = line.strip().rpartition(" ")
    try:
        return TokenBias(token=_parse_token(token.strip()), bias=float(bias))
    except ValueError:
        where = f"field 'logit bias', line {number}"
        raise BadInput(where, f"cannot read {line[:30]!r}", 'write TOKEN BIAS, such as "Hello" -5') from None


def _parse_token(text: str) -> int | str:
    """Read a token's number, or a text with or without quotes.

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


_TRUNCATION: Final = ("vllm", "sglang", "llama-server", "lm-studio")
"""Kinds of servers that take top k and min p. *Source:* the documentation of each."""
_REPEAT_PENALTY: Final = {
    "vllm": "repetition_penalty",
    "sglang": "repetition_penalty",
    "llama-server": "repeat_penalty",
    "lm-studio": "repeat_penalty",
}
"""*Source:* the documentation of each; Ollama's OpenAI API takes nothing beside the protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the next token is chosen; `help` says what a field does."""

    temperature: float = field(
        default=0.0,
        metadata=setting(
            NumberRange("Temperature", 0, 5, 0.1),
            "0 takes the likeliest token",
            row=0,
            protocol="always",
        ),
    )
    top_p: float = field(
        default=0.95,
        metadata=setting(
            NumberRange("Top p", 0, 1, 0.05),
            "Keep the likeliest tokens that make up this share",
            row=0,
            protocol="always",
        ),
    )
    top_k: int = field(
        default=40,
        metadata=setting(
            NumberRange("Top k", 0, 1000),
            "Keep this many of the likeliest tokens; 0 keeps all",
            row=0,
            servers=dict.fromkeys(_TRUNCATION, "top_k"),
        ),
    )
    min_p: float = field(
        default=0.05,
        metadata=setting(
            NumberRange("Min p", 0, 1, 0.01),
            "Drop tokens less likely than this share of the likeliest",
            servers=dict.fromkeys(_TRUNCATION, "min_p"),
        ),
    )
    typical_p: float = field(
        default=1.0,
        metadata=setting(
            NumberRange("Typical p", 0, 1, 0.05),
            "Keep the tokens nearest to the expected surprise that make up this share; 1 keeps all",
            servers={"llama-server": "typical_p"},
        ),
    )
    repeat_penalty: float = field(
        default=1.0,
        metadata=setting(
            NumberRange("Repeat penalty", 0.1, 3, 0.05),
            "Above 1 makes tokens that the completion has already less likely",
            servers=_REPEAT_PENALTY,
        ),
    )
    presence_penalty: float = field(
        default=0.0,
        metadata=setting(
            NumberRange("Presence penalty", -2, 2, 0.1),
            "Taken from the logit of each token that the completion has already",
            protocol="unless default",
        ),
    )
    frequency_penalty: float = field(
        default=0.0,
        metadata=setting(
            NumberRange("Frequency penalty", -2, 2, 0.1),
            "The same, as many times as the completion has the token",
            protocol="unless default",
        ),
    )
    penalty_last_tokens: int = field(
        default=64,
        metadata=setting(
            NumberRange("Penalties look back", -1, 32_768),
            "How many tokens the three penalties look back; -1 takes the whole context",
            servers={"llama-server": "repeat_last_n"},
        ),
    )
    mirostat: Literal[0, 1, 2] = field(
        default=0,
        metadata=setting(
            ChoiceOption("Mirostat", (("off", 0), ("version 1", 1), ("version 2", 2))),
            "Version 1 or 2 holds the surprise steady, in place of top k, top p, min p and typical p",
            servers={"llama-server": "mirostat"},
        ),
    )
    mirostat_tau: float = field(
        default=5.0,
        metadata=setting(
            NumberRange("Mirostat tau", 0, 20, 0.5),
            "The surprise that Mirostat aims at, in bits",
            servers={"llama-server": "mirostat_tau"},
        ),
    )
    mirostat_eta: float = field(
        default=0.1,
        metadata=setting(
            NumberRange("Mirostat eta", 0, 1, 0.05),
            "How fast Mirostat learns",
            servers={"llama-server": "mirostat_eta"},
        ),
    )
    logit_bias: tuple[TokenBias, ...] = field(
        default=(),
        metadata=setting(
            LinesEditor("Logit bias: token and bias, one a line", '"Hello" -5', show_biases, parse_biases),
            "Token id, or a text of which each token counts, and what is added to its logit",
            row=3,
            protocol="spelled",
        ),
    )
    stop: tuple[str, ...] = field(
        default=(),
        metadata=setting(
            LinesEditor("Stop texts, one a line", "\\n\\n", show_stops, parse_stops),
            "Texts that end a completion and are not part of it",
            row=2,
            protocol="spelled",
        ),
    )
    seed: int = field(
        default=0,
        metadata=setting(
            NumberRange("Seed", 0, 2**31 - 1), "For temperatures above 0", row=0, protocol="always"
        ),
    )
    max_tokens: int = field(
        default=256,
        metadata=setting(
            NumberRange("Max tokens", 1, 32_768),
            "Longest completion, in tokens",
            row=0,
            protocol="always",
        ),
    )


SAMPLING_FIELDS: Final[Mapping[str, SettingField]] = {
    declared.name: declared
    for declared in sorted(settings_of(Sampling).values(), key=lambda declared: declared.row)
}
"""The fields by name, in the order of the page."""


def number_range(name: str) -> NumberRange:
    """The range of a sampling field that is a number.

    Raises:
        TypeError: It is not a number.
    """
    editor = SAMPLING_FIELDS[name].editor
    if not isinstance(editor, NumberRange):
        raise TypeError(f"sampling field {name!r} is not a number")
    return editor

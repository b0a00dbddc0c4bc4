"""Sampling settings: every sampling field is declared here and nowhere else; see CONTRIBUTING.md."""

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
"""Limit of OpenAI's protocol. An infinite bias could leave a grammar without any token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBias:
    """A bias for or against a token."""

    token: int | str
    """A token id, or a text: the bias applies to each of its tokens."""
    bias: float
    """Added to the logit; -100 forbids the token."""

    @property
    def limited(self) -> float:
        """The bias, limited to `MOST_BIAS` in both directions."""
        return max(-MOST_BIAS, min(MOST_BIAS, self.bias))


def show_stops(stops: Iterable[str]) -> str:
    r"""Write one stop text per line, with `\n` for a line break within it."""
    return "\n".join(json.dumps(stop, ensure_ascii=False)[1:-1].replace('\\"', '"') for stop in stops)


def parse_stops(text: str) -> tuple[str, ...]:
    r"""Parse one stop text per line; `\n` is a line break.

    >>> parse_stops("\\n\\nUser:\nstop")
    ('\n\nUser:', 'stop')
    """
    return tuple(_parse_stop(line) for line in text.split("\n") if line)


def show_biases(biases: Iterable[TokenBias]) -> str:
    """Write one bias per line: the token id or its text in quotes, then the bias."""
    return "\n".join(f"{json.dumps(entry.token, ensure_ascii=False)} {entry.bias:g}" for entry in biases)


def parse_biases(text: str) -> tuple[TokenBias, ...]:
    """Parse one bias per line.

    Raises:
        BadInput: A line cannot be parsed.
    """
    lines = enumerate(text.split("\n"), start=1)
    return tuple(_parse_bias(line, number) for number, line in lines if line.strip())


def _parse_stop(line: str) -> str:
    try:
        return cast(str, json.loads('"' + line.replace('"', '\\"') + '"'))
    except ValueError:
        # A backslash that starts no escape is a plain backslash.
        return line


def _parse_bias(line: str, number: int) -> TokenBias:
    token, _, bias = line.strip().rpartition(" ")
    try:
        return TokenBias(token=_parse_token(token.strip()), bias=float(bias))
    except ValueError:
        where = f"field 'logit bias', line {number}"
        raise BadInput(where, f"cannot parse {line[:30]!r}", 'write TOKEN BIAS, such as "Hello" -5') from None


def _parse_token(text: str) -> int | str:
    """Parse a token id, or a text with or without quotes.

    Raises:
        ValueError: The text is empty, or the quotes do not close.
    """
    if text.isdigit():
        return int(text)
    if text.startswith('"'):
        return cast(str, json.loads(text))
    if not text:
        raise ValueError("no token")
    return text


_TRUNCATION: Final = ("vllm", "sglang", "llama-server", "lm-studio")
"""Kinds of servers that accept top k and min p. *Source:* the documentation of each server."""
_REPEAT_PENALTY: Final = {
    "vllm": "repetition_penalty",
    "sglang": "repetition_penalty",
    "llama-server": "repeat_penalty",
    "lm-studio": "repeat_penalty",
}
"""*Source:* the documentation of each server. Ollama's OpenAI API accepts no field beyond the protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the next token is chosen. The help of each field says what it does."""

    temperature: float = field(
        default=0.0,
        metadata=setting(
            NumberRange("Temperature", 0, 5, 0.1),
            "0 always takes the most likely token",
            row=0,
            protocol="always",
        ),
    )
    top_p: float = field(
        default=0.95,
        metadata=setting(
            NumberRange("Top p", 0, 1, 0.05),
            "Keep the most likely tokens whose probabilities add up to this",
            row=0,
            protocol="always",
        ),
    )
    top_k: int = field(
        default=40,
        metadata=setting(
            NumberRange("Top k", 0, 1000),
            "Keep this many of the most likely tokens; 0 keeps all",
            row=0,
            servers=dict.fromkeys(_TRUNCATION, "top_k"),
        ),
    )
    min_p: float = field(
        default=0.05,
        metadata=setting(
            NumberRange("Min p", 0, 1, 0.01),
            "Drop tokens less likely than this fraction of the most likely one",
            servers=dict.fromkeys(_TRUNCATION, "min_p"),
        ),
    )
    typical_p: float = field(
        default=1.0,
        metadata=setting(
            NumberRange("Typical p", 0, 1, 0.05),
            "Keep the tokens with the most typical probabilities, up to this sum; 1 keeps all",
            servers={"llama-server": "typical_p"},
        ),
    )
    repeat_penalty: float = field(
        default=1.0,
        metadata=setting(
            NumberRange("Repeat penalty", 0.1, 3, 0.05),
            "Above 1, makes tokens that already occur in the completion less likely",
            servers=_REPEAT_PENALTY,
        ),
    )
    presence_penalty: float = field(
        default=0.0,
        metadata=setting(
            NumberRange("Presence penalty", -2, 2, 0.1),
            "Subtracted from the logit of each token that already occurs in the completion",
            protocol="unless default",
        ),
    )
    frequency_penalty: float = field(
        default=0.0,
        metadata=setting(
            NumberRange("Frequency penalty", -2, 2, 0.1),
            "Subtracted from the logit of a token for each time it occurs in the completion",
            protocol="unless default",
        ),
    )
    penalty_last_tokens: int = field(
        default=64,
        metadata=setting(
            NumberRange("Penalty range", -1, 32_768),
            "How many tokens back the three penalties look; -1 is the whole context",
            servers={"llama-server": "repeat_last_n"},
        ),
    )
    mirostat: Literal[0, 1, 2] = field(
        default=0,
        metadata=setting(
            ChoiceOption("Mirostat", (("off", 0), ("version 1", 1), ("version 2", 2))),
            "Keeps the perplexity steady; replaces top k, top p, min p and typical p",
            servers={"llama-server": "mirostat"},
        ),
    )
    mirostat_tau: float = field(
        default=5.0,
        metadata=setting(
            NumberRange("Mirostat tau", 0, 20, 0.5),
            "Target surprise of Mirostat, in bits per token",
            servers={"llama-server": "mirostat_tau"},
        ),
    )
    mirostat_eta: float = field(
        default=0.1,
        metadata=setting(
            NumberRange("Mirostat eta", 0, 1, 0.05),
            "Learning rate of Mirostat",
            servers={"llama-server": "mirostat_eta"},
        ),
    )
    logit_bias: tuple[TokenBias, ...] = field(
        default=(),
        metadata=setting(
            LinesEditor("Logit bias: token and bias, one per line", '"Hello" -5', show_biases, parse_biases),
            "Token id, or a text for all of its tokens, and the number to add to the logit",
            row=3,
            protocol="spelled",
        ),
    )
    stop: tuple[str, ...] = field(
        default=(),
        metadata=setting(
            LinesEditor("Stop texts, one per line", "\\n\\n", show_stops, parse_stops),
            "Texts that end a completion and are not part of it",
            row=2,
            protocol="spelled",
        ),
    )
    seed: int = field(
        default=0,
        metadata=setting(
            NumberRange("Seed", 0, 2**31 - 1),
            "Random seed for temperatures above 0",
            row=0,
            protocol="always",
        ),
    )
    call_threshold: float = field(
        default=0.0,
        metadata=setting(
            NumberRange("Call threshold", -1, 1, 0.05),
            "With tool choice auto, a local model calls a tool if the probability of a call is at least this; 0 uses "
            "the value of its adapter, -1 leaves it to sampling",
        ),
    )
    max_tokens: int = field(
        default=256,
        metadata=setting(
            NumberRange("Max tokens", 1, 32_768),
            "Maximum length of the completion, in tokens",
            row=0,
            protocol="always",
        ),
    )


SAMPLING_FIELDS: Final[Mapping[str, SettingField]] = {
    declared.name: declared
    for declared in sorted(settings_of(Sampling).values(), key=lambda declared: declared.row)
}
"""The sampling fields by name, in the order of the page."""


def number_range(name: str) -> NumberRange:
    """Return the range of a numeric sampling field.

    Raises:
        TypeError: The field is not a number.
    """
    editor = SAMPLING_FIELDS[name].editor
    if not isinstance(editor, NumberRange):
        raise TypeError(f"sampling field {name!r} is not a number")
    return editor

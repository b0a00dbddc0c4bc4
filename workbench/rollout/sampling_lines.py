"""Stop texts and token biases, and how a person writes them: one a line."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, cast

from workbench.errors import BadInput

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

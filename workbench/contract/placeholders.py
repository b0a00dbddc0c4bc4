"""The placeholders of a contract's text: `{{ name }}`, and nothing more.

A placeholder is two opening braces, a name, two closing braces, blanks allowed between. There are no filters,
no attributes and no code. Single braces, and `{{` before anything that does not begin like a name, stand for
themselves, so JSON needs no escaping. A literal `{{` before a name is written `{{ '{{' }}`.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

VARIABLE_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""What a variable can be called."""

_PLACEHOLDER: Final = re.compile(
    rf"\{{\{{[ \t]*(?:(?P<name>{VARIABLE_NAME.pattern})[ \t]*\}}\}}"
    r"|(?P<literal>'\{\{'|\"\{\{\")[ \t]*\}\}"
    r"|(?P<bad>[A-Za-z_]))"
)


class Placeholder(NamedTuple):
    """One place in a text that is to be filled."""

    start: int
    """First code point."""
    end: int
    """One past the last."""
    name: str | None
    """The variable; None where it stands for a literal `{{`, or cannot be read."""
    is_literal: bool = False
    """True: it stands for `{{`."""


def placeholders(text: str) -> Iterator[Placeholder]:
    """Those of `text`, in order; one that begins like a placeholder and is none has neither name nor literal.

    >>> [place.name for place in placeholders('{{ tools }} {"a": {"b": 1}} {{x}}')]
    ['tools', 'x']
    """
    for match in _PLACEHOLDER.finditer(text):
        yield Placeholder(*match.span(), match["name"], is_literal=match["literal"] is not None)

"""Build grammars in GBNF: named rules, literals, and the parts of JSON.

*Source:* llama.cpp, `grammars/README.md`.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from workbench.errors import ConstraintFailed

JSON_RULES: Final[Mapping[str, str]] = {
    "sp": '" "?',
    "char": r'[^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})',
    "string": r'"\"" char* "\""',
    "natural": '"0" | [1-9] [0-9]{0,15}',
    "integer": '"-"? natural',
    "fraction": '("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?',
    "number": '"-"? natural fraction',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "pair": 'string ":" sp value',
    "object": '"{" (pair ("," sp pair)*)? "}"',
    "array": '"[" (value ("," sp value)*)? "]"',
    "value": "object | array | string | number | boolean | null",
}
"""Any JSON value, one space at most between its parts: a model may else write white space without end."""


MOST_RULES: Final = 20_000
"""Rules of a grammar: llama.cpp takes seconds to read more, and a short schema can stand for billions."""
MOST_CHARS: Final = 2_000_000
"""Characters of all its rules."""


class GrammarRules:
    """A grammar that grows rule by rule."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}
        self._steps = 0
        self._chars = 0

    def count(self, chars: int = 0) -> None:
        """Count a step of the work, and the characters that come of it.

        Raises:
            ConstraintFailed: The grammar grows too large.
        """
        self._steps += 1
        self._chars += chars
        if self._steps > MOST_RULES * 5 or len(self._rules) > MOST_RULES or self._chars > MOST_CHARS:
            raise ConstraintFailed("they stand for too large a grammar")

    def text(self, root: str) -> str:
        """The grammar of what `root` says; the rules of JSON are always there."""
        rules = {"root": root, **self._rules, **JSON_RULES}
        return "".join(f"{name} ::= {body}\n" for name, body in rules.items())

    def reserve(self) -> str:
        """The name of a rule that is still to be set: a rule may name itself."""
        name = f"r{len(self._rules)}"
        self._rules[name] = '""'
        return name

    def set(self, name: str, body: str) -> None:
        """Says what a reserved rule is."""
        self.count(len(body))
        self._rules[name] = body

    def add(self, body: str) -> str:
        """A new rule; gives its name."""
        name = self.reserve()
        self.set(name, body)
        return name

    def either(self, alternatives: Iterable[str]) -> str:
        """One of several; a rule of its own where there is more than one."""
        found = list(dict.fromkeys(alternatives))
        return found[0] if len(found) == 1 else self.add(" | ".join(found))


def literal(text: str) -> str:
    r"""A text as GBNF writes it.

    >>> print(literal('say "a"\n'))
    "say \"a\"\n"
    """
    named = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
    return (
        '"' + "".join(named.get(one) or (one if one >= " " else f"\\x{ord(one):02x}") for one in text) + '"'
    )


def add_text_without(rules: GrammarRules, mark: str) -> str:
    """Adds rules for any text in which `mark` does not stand; gives the name of the first.

    One rule a character of the mark, each for having just read that much of it; the mark's first character
    must not come again in it.
    """
    first, names = mark[0], [rules.reserve() for _ in mark]
    for index, name in enumerate(names):
        wanted = mark[index]
        alternatives = [f"[^{_in_class(first)}{_in_class(wanted) if index else ''}] {names[0]}"]
        alternatives.append(f"{literal(first)} {names[1]}")
        if 0 < index < len(mark) - 1:
            alternatives.append(f"{literal(wanted)} {names[index + 1]}")
        rules.set(name, " | ".join([*alternatives, '""']))
    return names[0]


def _in_class(character: str) -> str:
    return "\\" + character if character in r"\]^-" else character

"""Build grammars in GBNF, the notation of llama.cpp: named rules, literals and the parts of JSON.

Idea. A grammar is a list of named rules, and each rule is text: literals, character classes, and names of other
rules. A compiler adds rules one by one. A rule can be reserved before its text is known, so that it may refer to
itself: the schema of a tree contains a `$ref` to itself, and the rule of a node must name itself.

Invariants. Every name that a rule uses exists, and each step and character is counted, so that a grammar never grows
beyond what llama.cpp can load. A tool with 40 definitions like this one made the limit necessary. In the XML form, each
of them doubles the grammar:

    "d1": {"anyOf": [{"$ref": "#/$defs/d2"}, {"$ref": "#/$defs/d2"}]}

*Source:* https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
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
"""Rules for any JSON value, with at most one space between its parts.

Otherwise a model may write white space forever.
"""


MAX_RULES: Final = 20_000
"""Limit on the rules of a grammar. llama.cpp takes seconds to load more, and a short schema can expand to billions."""
MAX_CHARS: Final = 2_000_000
"""Limit on the characters of all rules."""


class GrammarRules:
    """A grammar that grows rule by rule."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}
        self._steps = 0
        self._chars = 0

    def count(self, chars: int = 0) -> None:
        """Count a step of the work, and the characters that it adds.

        Raises:
            ConstraintFailed: The grammar is too large.
        """
        self._steps += 1
        self._chars += chars
        if self._steps > MAX_RULES * 5 or len(self._rules) > MAX_RULES or self._chars > MAX_CHARS:
            raise ConstraintFailed("the grammar would be too large")

    def text(self, root: str) -> str:
        """Return the grammar with `root` as its first rule. It always includes the rules of JSON."""
        rules = {"root": root, **self._rules, **JSON_RULES}
        return "".join(f"{name} ::= {body}\n" for name, body in rules.items())

    def reserve(self) -> str:
        """Return the name of a new rule whose text is set later, so that it may refer to itself."""
        name = f"r{len(self._rules)}"
        self._rules[name] = '""'
        return name

    def set(self, name: str, body: str) -> None:
        """Set the text of a reserved rule."""
        self.count(len(body))
        self._rules[name] = body

    def add(self, body: str) -> str:
        """Add a rule and return its name."""
        name = self.reserve()
        self.set(name, body)
        return name

    def either(self, alternatives: Iterable[str]) -> str:
        """Return one of several alternatives. If there is more than one, they become a rule of their own."""
        found = list(dict.fromkeys(alternatives))
        return found[0] if len(found) == 1 else self.add(" | ".join(found))


def literal(text: str) -> str:
    r"""Return a GBNF literal for a text.

    >>> print(literal('say "a"\n'))
    "say \"a\"\n"
    """
    named = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
    return (
        '"'
        + "".join(named.get(char) or (char if char >= " " else f"\\x{ord(char):02x}") for char in text)
        + '"'
    )


def add_text_without(rules: GrammarRules, mark: str) -> str:
    """Add rules for any text that does not contain `mark`, and return the name of the first rule.

    GBNF has no "anything but", so the rules form a state machine: rule number n applies after the first n characters of
    the mark. The next character of the mark leads to the next rule, another `<` leads back to rule 1, and anything else
    to rule 0. The last rule allows everything except the mark's last character. So a value may contain `</param`, and
    `</param</parameter>` still ends it.

    Args:
        mark: The text to exclude. Its first character must not occur in it again.
    """
    first, names = mark[0], [rules.reserve() for _ in mark]
    for index, name in enumerate(names):
        expected = mark[index]
        alternatives = [f"[^{_in_class(first)}{_in_class(expected) if index else ''}] {names[0]}"]
        alternatives.append(f"{literal(first)} {names[1]}")
        if 0 < index < len(mark) - 1:
            alternatives.append(f"{literal(expected)} {names[index + 1]}")
        rules.set(name, " | ".join([*alternatives, '""']))
    return names[0]


def _in_class(character: str) -> str:
    return "\\" + character if character in r"\]^-" else character

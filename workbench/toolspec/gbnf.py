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

import json
from collections.abc import Iterable, Mapping
from typing import Final

from workbench.errors import ConstraintFailed

JSON_RULES: Final[Mapping[str, str]] = {
    "sp": '" "?',
    "char": r'[^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" code)',
    "code": r'([0-9a-cA-CefEF] hex | [dD] [0-7]) hex hex | [dD] [89abAB] hex hex "\\u" [dD] [c-fC-F] hex hex',
    "hex": "[0-9a-fA-F]",
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

Otherwise a model may write white space forever. `char` is one code point, so an escaped surrogate is half of a pair.
"""


MAX_RULES: Final = 20_000
"""Limit on the rules of a grammar. llama.cpp takes seconds to load more, and a short schema can expand to billions."""
MAX_CHARS: Final = 2_000_000
"""Limit on the characters of all rules."""
MAX_REPETITIONS: Final = 256
"""Larger limits on lengths are not enforced, because llama.cpp unrolls repetitions."""


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

    def state(self) -> int:
        """Return what `reset` needs to remove all rules that are added from now on."""
        return len(self._rules)

    def reset(self, state: int) -> None:
        """Remove the rules that were added since `state`. Nothing else may refer to them."""
        self._rules = dict(list(self._rules.items())[:state])
        self._steps = self._chars = 0

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


def counted(least: int, most: int | None) -> str:
    """Return the sign for a number of repetitions; None is any number."""
    if most is None:
        return f"{{{least},}}" if least > 1 else "+" if least else "*"
    if (least, most) == (0, 1):
        return "?"
    return ("" if most == 1 else f"{{{least}}}") if least == most else f"{{{least},{most}}}"


def literal(text: str) -> str:
    r"""Return a GBNF literal for a text.

    >>> print(literal('say "a"\n'))
    "say \"a\"\n"
    """
    return f'"{text.translate(_ESCAPES)}"'


_ESCAPES: Final = str.maketrans(
    {
        **{chr(code): f"\\x{code:02x}" for code in range(0x20)},
        "\\": r"\\",
        '"': r"\"",
        "\n": r"\n",
        "\r": r"\r",
        "\t": r"\t",
    }
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


def add_key_without(rules: GrammarRules, names: Iterable[str]) -> str:
    r"""Add rules for any JSON string that does not equal one of `names`, and return the name of the first rule.

    The rules form a tree of the names' characters. Each rule applies after the beginning of a name: the next character
    of a name leads on, and after any other character, every string is allowed. For the names `id` and `ids`:

        r0 ::= "\"" r1           r1 ::= "i" r2 | ([^i"\\…] | "\\" ["\\/bfnrt]) char* "\"" | "\""
        r2 ::= "d" r3 | …        r3 ::= "s" r4 | ([^s"\\…] | …) char* "\""

    Inside the beginning of a name there are no codes, because `\u0069d` is `id` too.
    """
    tree: _Tree = {}
    for name in names:
        branch = tree
        for char in name:
            branch = branch.setdefault(_in_json(char), {})
        branch[""] = {}
    return rules.add(f'"\\"" {_add_branch(rules, tree)}')


def _in_json(char: str) -> str:
    return json.dumps(char, ensure_ascii=False)[1:-1]


_SHORT: Final = {'"': '"', r"\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
"""The character after the backslash of an escape, as a class writes it, and what the escape means."""
_Tree = dict[str, "_Tree"]
"""What may follow, by the next character. The empty text is the end of a name."""


def _add_branch(rules: GrammarRules, tree: _Tree) -> str:
    options = [f"{literal(char)} {_add_branch(rules, inner)}" for char, inner in tree.items() if char]
    excluded = "".join(_in_class(char) for char in tree if len(char) == 1)
    escapes = "".join(written for written, char in _SHORT.items() if _in_json(char) not in tree)
    other = f'[^{excluded}"\\\\\\x7F\\x00-\\x1F]'
    if escapes:
        other = f'({other} | "\\\\" [{escapes}])'
    options.append(f'{other} char* "\\""')
    return rules.add(" | ".join(options if "" in tree else [*options, '"\\""']))


def written_class(ranges: Iterable[tuple[int, int]]) -> str:
    """Return a class of characters.

    >>> print(written_class([(0x30, 0x39), (0x2D, 0x2D)]))
    [0-9\\-]

    Args:
        ranges: First and last code point of each range.
    """
    return (
        f"[{''.join(_code(first) + (f'-{_code(last)}' if last > first else '') for first, last in ranges)}]"
    )


def _code(code: int) -> str:
    if chr(code).isprintable():
        return _in_class(chr(code))
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _in_class(character: str) -> str:
    # llama.cpp does not know the escape `\^`.
    return r"\x5E" if character == "^" else "\\" + character if character in r"\]-" else character

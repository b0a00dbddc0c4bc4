r"""Convert regular expressions to grammar rules for the text of a string.

Idea. A pattern is parsed to a tree of sets of characters, sequences, choices and repetitions. Each set is then written
as the text of the string spells its characters: inside JSON, the pattern `^"+$` becomes `("\\\"")+`, because the value
`"` is written `\"`. Anchors may only be the first or last part of the pattern, or of one of its alternatives. Without
an anchor, any characters may come before or after.

Invariant. Every text that the rules allow is found by the pattern as `patterns.py` runs it. The rules may allow less:
`\S` excludes the spaces of ECMA-262 and of RE2, and control characters are only written where nothing else fits.

*Source:* ECMA-262, section 22.2; RE2's syntax, https://github.com/google/re2/wiki/Syntax
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from workbench.toolspec.gbnf import MAX_REPETITIONS, GrammarRules, counted, literal, written_class

_LAST: Final = 0x10FFFF
_SURROGATES: Final = (0xD800, 0xDFFF)
_MAX_PATTERN_CHARS: Final = 1_000
_MAX_DEPTH: Final = 40
_Ranges = tuple[tuple[int, int], ...]
"""First and last code point of each range, in order and without gaps of zero."""


@dataclass(frozen=True, slots=True)
class _Set:
    """One character of a set."""

    ranges: _Ranges


@dataclass(frozen=True, slots=True)
class _Anchor:
    """`^` or `$`."""

    sign: str


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: "tuple[_Node, ...]"


@dataclass(frozen=True, slots=True)
class _Choice:
    options: "tuple[_Node, ...]"


@dataclass(frozen=True, slots=True)
class _Repeat:
    part: "_Node"
    least: int
    most: int | None
    """None if there is no maximum."""


_Node = _Set | _Anchor | _Sequence | _Choice | _Repeat


class Spelling(NamedTuple):
    """How a text spells characters."""

    is_json: bool
    """True for the text between the quotes of a JSON string. False for plain text that must not contain `<`."""
    char: str
    """Name of the rule for any character."""


JSON_SPELLING: Final = Spelling(is_json=True, char="char")


class PatternRule(NamedTuple):
    """The rule of a pattern."""

    text: str
    shortest: int
    """Characters of the shortest string that matches."""
    longest: int | None
    """None if there is no limit."""


class _Unsupported(Exception):
    """A grammar cannot express the pattern."""


def pattern_rule(rules: GrammarRules, pattern: str, spelling: Spelling) -> PatternRule | None:
    r"""Return the rule for the strings in which a pattern is found, or None if a grammar cannot express it.

    >>> pattern_rule(GrammarRules(), r"^a\d+$", JSON_SPELLING)
    PatternRule(text='"a" [0-9]+', shortest=2, longest=None)
    >>> pattern_rule(GrammarRules(), "(?=a)b", JSON_SPELLING) is None
    True
    """
    if len(pattern) > _MAX_PATTERN_CHARS:
        return None
    try:
        found = _parsed(pattern)
        texts = [_written(node, rules, spelling) for node in found]
    except _Unsupported:
        return None
    shortest, longest = _lengths(_Choice(found))
    return PatternRule(rules.either(texts), shortest, longest)


@lru_cache(maxsize=64)
def _parsed(pattern: str) -> "tuple[_Node, ...]":
    return tuple(_alternatives(_Parser(pattern).whole()))


def _alternatives(tree: _Node) -> Iterable[_Node]:
    """Yield the alternatives of a pattern without anchors, but with any characters where one is missing."""
    if isinstance(tree, _Choice):
        for option in tree.options:
            yield from _alternatives(option)
        return
    parts = tree.parts if isinstance(tree, _Sequence) else (tree,)
    if len(parts) == 1 and isinstance(parts[0], _Choice | _Sequence):
        yield from _alternatives(parts[0])
        return
    starts, ends = parts[:1] == (_Anchor("^"),), parts[-1:] == (_Anchor("$"),)
    inner = parts[int(starts) : len(parts) - int(ends)]
    anything = (_Repeat(_Set(_ANY), 0, None),)
    before, after = () if starts or not inner else anything, () if ends else anything
    yield _Sequence((*before, *inner, *after))


def _lengths(node: _Node) -> tuple[int, int | None]:
    """Return the lengths of the shortest and the longest match."""
    match node:
        case _Set():
            return 1, 1
        case _Anchor():
            raise _Unsupported
        case _Sequence(parts=parts):
            found = [_lengths(part) for part in parts]
            longest = [most for _, most in found if most is not None]
            return sum(least for least, _ in found), sum(longest) if len(longest) == len(found) else None
        case _Choice(options=options):
            found = [_lengths(option) for option in options]
            longest = [most for _, most in found if most is not None]
            return min(least for least, _ in found), max(longest) if len(longest) == len(found) else None
        case _Repeat(part=part, least=least, most=most):
            short, long = _lengths(part)
            return short * least, None if long is None or most is None else long * most


def _written(node: _Node, rules: GrammarRules, spelling: Spelling) -> str:
    """Write a node as GBNF, so that it can be part of a sequence."""
    rules.count()
    match node:
        case _Set(ranges=ranges):
            return spelling.char if ranges == _ANY else _spelled(ranges, spelling)
        case _Anchor():
            raise _Unsupported
        case _Sequence(parts=parts):
            return " ".join(_written(part, rules, spelling) for part in parts) or '""'
        case _Choice(options=options):
            return f"({' | '.join(_written(option, rules, spelling) for option in options)})"
        case _Repeat(part=part, least=least, most=most):
            # llama.cpp follows a repetition of nothing in circles, and copies what is repeated.
            is_endless = most is None and _lengths(part)[0] == 0
            if is_endless or max(least, most or 0) > MAX_REPETITIONS:
                raise _Unsupported
            if most == 0:
                return '""'
            inner = _written(part, rules, spelling)
            # It also multiplies repetitions inside repetitions, but not across rules.
            inner = rules.add(inner) if "{" in inner else inner if isinstance(part, _Set) else f"({inner})"
            return f"{inner}{counted(least, most)}"


@lru_cache(maxsize=256)
def _spelled(ranges: _Ranges, spelling: Spelling) -> str:
    """Write one character of a set."""
    if not spelling.is_json:
        plain = _minus(ranges, [(ord("<"), ord("<"))])
        if not plain:
            raise _Unsupported
        return _class(plain)
    plain = _minus(ranges, [(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C), (0x7F, 0x7F)])
    special = [code for code in (*_ESCAPES, 0x7F, *range(0x20)) if any(a <= code <= b for a, b in ranges)]
    if plain or any(code in _ESCAPES for code in special):
        special = [code for code in special if code in _ESCAPES]
    options = [_class(plain)] if plain else []
    options += dict.fromkeys(literal(_ESCAPES.get(code) or f"\\u{code:04x}") for code in special)
    if not options:
        raise _Unsupported
    return options[0] if len(options) == 1 else f"({' | '.join(options)})"


_ESCAPES: Final = {
    ord(char): escape
    for char, escape in zip('"\\\n\t\r\b\f', (r"\"", r"\\", r"\n", r"\t", r"\r", r"\b", r"\f"), strict=True)
}


def _class(ranges: _Ranges) -> str:
    first, last = ranges[0]
    if len(ranges) == 1 and first == last:
        return literal(chr(first))
    return written_class(ranges)


def _joined(ranges: Iterable[tuple[int, int]]) -> _Ranges:
    """Sort ranges, join those that touch, and leave out surrogates, which no text contains."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return _minus(found, [_SURROGATES])


def _minus(ranges: Sequence[tuple[int, int]], excluded: Sequence[tuple[int, int]]) -> _Ranges:
    for low, high in excluded:
        ranges = [
            (first, last)
            for begin, end in ranges
            for first, last in ((begin, min(end, low - 1)), (max(begin, high + 1), end))
            if first <= last
        ]
    return tuple(ranges)


_ANY: Final = _minus([(0, _LAST)], [_SURROGATES])
_DIGIT: Final = ((0x30, 0x39),)
_WORDS: Final = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE: Final = ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20))
"""The white space of both RE2 and ECMA-262."""
_ANY_SPACE: Final = (
    *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)),
    *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
_CLASSES: Final = {
    "d": _DIGIT,
    "D": _minus(_ANY, _DIGIT),
    "w": _WORDS,
    "W": _minus(_ANY, _WORDS),
    "s": _SPACE,
    "S": _minus(_ANY, _ANY_SPACE),
}
_NEGATED_CLASSES: Final = {**_CLASSES, "s": _ANY_SPACE, "S": _minus(_ANY, _SPACE)}
"""The classes inside `[^…]`, where a larger class allows less."""
_CONTROLS: Final = {"n": 0x0A, "t": 0x09, "r": 0x0D, "f": 0x0C, "v": 0x0B}
_NOT_LINE_END: Final = _minus(_ANY, [(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)])
_COUNT: Final = re.compile(r"\{([0-9]{1,4})(,)?([0-9]{1,4})?\}")
_HEX_CODE: Final = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})")
_GROUP: Final = re.compile(r"\?:|\?P?<[A-Za-z_][A-Za-z0-9_]*>")


class _Parser:
    """Parses a regular expression. Everything that is not certainly the same in ECMA-262 and RE2 is unsupported."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._place = 0
        self._depth = 0

    def whole(self) -> _Node:
        """Parse the whole pattern."""
        tree = self._choice()
        if self._place < len(self._text):
            raise _Unsupported
        return tree

    def _choice(self) -> _Node:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _Unsupported
        options = [self._sequence()]
        while self._skips("|"):
            options.append(self._sequence())
        self._depth -= 1
        return options[0] if len(options) == 1 else _Choice(tuple(options))

    def _sequence(self) -> _Node:
        parts: list[_Node] = []
        while self._place < len(self._text) and self._text[self._place] not in "|)":
            parts.append(self._repeated(self._atom()))
        return _Sequence(tuple(parts))

    def _repeated(self, atom: _Node) -> _Node:
        bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(self._text[self._place : self._place + 1])
        if bounds is not None:
            self._place += 1
        elif count := _COUNT.match(self._text, self._place):
            self._place = count.end()
            least, comma, most = count.groups()
            bounds = int(least), (int(most) if most else None) if comma else int(least)
        if bounds is None:
            return atom
        # `a+?` matches the same texts as `a+`, and `a++` is not supported by RE2.
        self._skips("?")
        least, most = bounds
        is_wrong = most is not None and most < least
        if is_wrong or isinstance(atom, _Anchor) or self._text[self._place : self._place + 1] in ("*", "+"):
            raise _Unsupported
        return _Repeat(atom, least, most)

    def _atom(self) -> _Node:
        char = self._next()
        if char in "^$":
            return _Anchor(char)
        if char == ".":
            return _Set(_NOT_LINE_END)
        if char == "(":
            if group := _GROUP.match(self._text, self._place):
                self._place = group.end()
            elif self._text.startswith("?", self._place):
                raise _Unsupported
            inner = self._choice()
            if not self._skips(")"):
                raise _Unsupported
            return inner
        if char == "[":
            return _Set(self._set())
        if char == "\\":
            return _Set(_joined(self._escape(_CLASSES)))
        if char in "*+?{":
            raise _Unsupported
        return _Set(_joined([(ord(char), ord(char))]))

    def _set(self) -> _Ranges:
        is_negated = self._skips("^")
        classes = _NEGATED_CLASSES if is_negated else _CLASSES
        found: list[tuple[int, int]] = []
        while not self._skips("]"):
            first = self._member(classes)
            is_range = self._text.startswith("-", self._place) and not self._text.startswith(
                "-]", self._place
            )
            if is_range:
                self._place += 1
                last = self._member(classes)
                if len(first) != 1 or len(last) != 1 or first[0][0] > last[0][1]:
                    raise _Unsupported
                first = ((first[0][0], last[0][1]),)
            found += first
        if not found:
            raise _Unsupported
        ranges = _minus(_ANY, found) if is_negated else _joined(found)
        if not ranges:
            raise _Unsupported
        return ranges

    def _member(self, classes: Mapping[str, _Ranges]) -> _Ranges:
        char = self._next()
        # `[[:alpha:]]` and `[a&&b]` mean different things in different engines.
        if char == "[" or (char == "&" and self._text.startswith("&", self._place)):
            raise _Unsupported
        return self._escape(classes) if char == "\\" else ((ord(char), ord(char)),)

    def _escape(self, classes: Mapping[str, _Ranges]) -> _Ranges:
        if match := _HEX_CODE.match(self._text, self._place):
            self._place = match.end()
            code = int(match.group(1) or match.group(2), 16)
        else:
            char = self._next()
            if char in classes:
                return classes[char]
            is_letter = char.isalnum() or not char.isascii()
            code = _CONTROLS.get(char, -1) if is_letter else ord(char)
        if code < 0 or _SURROGATES[0] <= code <= _SURROGATES[1]:
            raise _Unsupported
        return ((code, code),)

    def _next(self) -> str:
        if self._place >= len(self._text):
            raise _Unsupported
        self._place += 1
        return self._text[self._place - 1]

    def _skips(self, sign: str) -> bool:
        if not self._text.startswith(sign, self._place):
            return False
        self._place += len(sign)
        return True

"""Parse regular expressions to trees of sets of characters, sequences, choices and repetitions.

*Source:* ECMA-262, section 22.2; RE2's syntax, https://github.com/google/re2/wiki/Syntax
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_LAST: Final = 0x10FFFF
_SURROGATES: Final = (0xD800, 0xDFFF)
_MAX_PATTERN_CHARS: Final = 1_000
_MAX_DEPTH: Final = 40
CodeRanges = tuple[tuple[int, int], ...]
"""First and last code point of each range, in order and without gaps of zero."""


@dataclass(frozen=True, slots=True)
class PatternSet:
    """One character of a set."""

    ranges: CodeRanges


@dataclass(frozen=True, slots=True)
class PatternAnchor:
    """`^` or `$`."""

    sign: str


@dataclass(frozen=True, slots=True)
class PatternSequence:
    parts: "tuple[PatternNode, ...]"


@dataclass(frozen=True, slots=True)
class PatternChoice:
    options: "tuple[PatternNode, ...]"


@dataclass(frozen=True, slots=True)
class PatternRepeat:
    part: "PatternNode"
    least: int
    most: int | None
    """None if there is no maximum."""


PatternNode = PatternSet | PatternAnchor | PatternSequence | PatternChoice | PatternRepeat


class UnsupportedPattern(Exception):
    """A pattern cannot be parsed, or a grammar cannot express it."""


@lru_cache(maxsize=64)
def parsed_pattern(pattern: str) -> "tuple[PatternNode, ...]":
    """Return the alternatives of a pattern.

    Raises:
        UnsupportedPattern: It is too long, or means different things in different engines.
    """
    if len(pattern) > _MAX_PATTERN_CHARS:
        raise UnsupportedPattern
    return tuple(_alternatives(_Parser(pattern).whole()))


def _alternatives(tree: PatternNode) -> Iterable[PatternNode]:
    """Yield the alternatives of a pattern without anchors, but with any characters where one is missing."""
    if isinstance(tree, PatternChoice):
        for option in tree.options:
            yield from _alternatives(option)
        return
    parts = tree.parts if isinstance(tree, PatternSequence) else (tree,)
    if len(parts) == 1 and isinstance(parts[0], PatternChoice | PatternSequence):
        yield from _alternatives(parts[0])
        return
    starts, ends = parts[:1] == (PatternAnchor("^"),), parts[-1:] == (PatternAnchor("$"),)
    inner = parts[int(starts) : len(parts) - int(ends)]
    anything = (PatternRepeat(PatternSet(ANY_CHARACTER), 0, None),)
    before, after = () if starts or not inner else anything, () if ends else anything
    yield PatternSequence((*before, *inner, *after))


def _joined(ranges: Iterable[tuple[int, int]]) -> CodeRanges:
    """Sort ranges, join those that touch, and leave out surrogates, which no text contains."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return without_ranges(found, [_SURROGATES])


def without_ranges(ranges: Sequence[tuple[int, int]], excluded: Sequence[tuple[int, int]]) -> CodeRanges:
    for low, high in excluded:
        ranges = [
            (first, last)
            for begin, end in ranges
            for first, last in ((begin, min(end, low - 1)), (max(begin, high + 1), end))
            if first <= last
        ]
    return tuple(ranges)


ANY_CHARACTER: Final = without_ranges([(0, _LAST)], [_SURROGATES])
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
    "D": without_ranges(ANY_CHARACTER, _DIGIT),
    "w": _WORDS,
    "W": without_ranges(ANY_CHARACTER, _WORDS),
    "s": _SPACE,
    "S": without_ranges(ANY_CHARACTER, _ANY_SPACE),
}
_NEGATED_CLASSES: Final = {**_CLASSES, "s": _ANY_SPACE, "S": without_ranges(ANY_CHARACTER, _SPACE)}
"""The classes inside `[^…]`, where a larger class allows less."""
_CONTROLS: Final = {"n": 0x0A, "t": 0x09, "r": 0x0D, "f": 0x0C, "v": 0x0B}
_NOT_LINE_END: Final = without_ranges(ANY_CHARACTER, [(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)])
_COUNT: Final = re.compile(r"\{([0-9]{1,4})(,)?([0-9]{1,4})?\}")
_HEX_CODE: Final = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})")
_GROUP: Final = re.compile(r"\?:|\?P?<[A-Za-z_][A-Za-z0-9_]*>")


class _Parser:
    """Parses a regular expression. Everything that is not certainly the same in ECMA-262 and RE2 is unsupported."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._place = 0
        self._depth = 0

    def whole(self) -> PatternNode:
        """Parse the whole pattern."""
        tree = self._choice()
        if self._place < len(self._text):
            raise UnsupportedPattern
        return tree

    def _choice(self) -> PatternNode:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise UnsupportedPattern
        options = [self._sequence()]
        while self._skips("|"):
            options.append(self._sequence())
        self._depth -= 1
        return options[0] if len(options) == 1 else PatternChoice(tuple(options))

    def _sequence(self) -> PatternNode:
        parts: list[PatternNode] = []
        while self._place < len(self._text) and self._text[self._place] not in "|)":
            parts.append(self._repeated(self._atom()))
        return PatternSequence(tuple(parts))

    def _repeated(self, atom: PatternNode) -> PatternNode:
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
        if (
            is_wrong
            or isinstance(atom, PatternAnchor)
            or self._text[self._place : self._place + 1] in ("*", "+")
        ):
            raise UnsupportedPattern
        return PatternRepeat(atom, least, most)

    def _atom(self) -> PatternNode:
        char = self._next()
        if char in "^$":
            return PatternAnchor(char)
        if char == ".":
            return PatternSet(_NOT_LINE_END)
        if char == "(":
            if group := _GROUP.match(self._text, self._place):
                self._place = group.end()
            elif self._text.startswith("?", self._place):
                raise UnsupportedPattern
            inner = self._choice()
            if not self._skips(")"):
                raise UnsupportedPattern
            return inner
        if char == "[":
            return PatternSet(self._set())
        if char == "\\":
            return PatternSet(_joined(self._escape(_CLASSES)))
        if char in "*+?{":
            raise UnsupportedPattern
        return PatternSet(_joined([(ord(char), ord(char))]))

    def _set(self) -> CodeRanges:
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
                    raise UnsupportedPattern
                first = ((first[0][0], last[0][1]),)
            found += first
        if not found:
            raise UnsupportedPattern
        ranges = without_ranges(ANY_CHARACTER, found) if is_negated else _joined(found)
        if not ranges:
            raise UnsupportedPattern
        return ranges

    def _member(self, classes: Mapping[str, CodeRanges]) -> CodeRanges:
        char = self._next()
        # `[[:alpha:]]` and `[a&&b]` mean different things in different engines.
        if char == "[" or (char == "&" and self._text.startswith("&", self._place)):
            raise UnsupportedPattern
        return self._escape(classes) if char == "\\" else ((ord(char), ord(char)),)

    def _escape(self, classes: Mapping[str, CodeRanges]) -> CodeRanges:
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
            raise UnsupportedPattern
        return ((code, code),)

    def _next(self) -> str:
        if self._place >= len(self._text):
            raise UnsupportedPattern
        self._place += 1
        return self._text[self._place - 1]

    def _skips(self, sign: str) -> bool:
        if not self._text.startswith(sign, self._place):
            return False
        self._place += len(sign)
        return True

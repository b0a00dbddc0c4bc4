r"""Convert regular expressions to grammar rules for the text of a string.

Idea. A pattern is parsed to a tree of sets of characters, sequences, choices and repetitions. Each set is then written
as the text of the string spells its characters: inside JSON, the pattern `^"+$` becomes `("\\\"")+`, because the value
`"` is written `\"`. Anchors may only be the first or last part of the pattern, or of one of its alternatives. Without
an anchor, any characters may come before or after.

Invariant. Every text that the rules allow is found by the pattern as `patterns.py` runs it. The rules may allow less:
`\S` excludes the spaces of ECMA-262 and of RE2, and control characters are only written where nothing else fits.

*Source:* ECMA-262, section 22.2; RE2's syntax, https://github.com/google/re2/wiki/Syntax
"""

from functools import lru_cache
from typing import Final, NamedTuple

from workbench.toolspec.gbnf import MAX_REPETITIONS, GrammarRules, counted, literal, written_class
from workbench.toolspec.pattern_tree import (
    ANY_CHARACTER,
    CodeRanges,
    PatternAnchor,
    PatternChoice,
    PatternNode,
    PatternRepeat,
    PatternSequence,
    PatternSet,
    UnsupportedPattern,
    parsed_pattern,
    without_ranges,
)


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


def pattern_rule(rules: GrammarRules, pattern: str, spelling: Spelling) -> PatternRule | None:
    r"""Return the rule for the strings in which a pattern is found, or None if a grammar cannot express it.

    >>> pattern_rule(GrammarRules(), r"^a\d+$", JSON_SPELLING)
    PatternRule(text='"a" [0-9]+', shortest=2, longest=None)
    >>> pattern_rule(GrammarRules(), "(?=a)b", JSON_SPELLING) is None
    True
    """
    try:
        found = parsed_pattern(pattern)
        texts = [_written(node, rules, spelling) for node in found]
    except UnsupportedPattern:
        return None
    shortest, longest = _lengths(PatternChoice(found))
    return PatternRule(rules.either(texts), shortest, longest)


def _lengths(node: PatternNode) -> tuple[int, int | None]:
    """Return the lengths of the shortest and the longest match."""
    match node:
        case PatternSet():
            return 1, 1
        case PatternAnchor():
            raise UnsupportedPattern
        case PatternSequence(parts=parts):
            found = [_lengths(part) for part in parts]
            longest = [most for _, most in found if most is not None]
            return sum(least for least, _ in found), sum(longest) if len(longest) == len(found) else None
        case PatternChoice(options=options):
            found = [_lengths(option) for option in options]
            longest = [most for _, most in found if most is not None]
            return min(least for least, _ in found), max(longest) if len(longest) == len(found) else None
        case PatternRepeat(part=part, least=least, most=most):
            short, long = _lengths(part)
            return short * least, None if long is None or most is None else long * most


def _written(node: PatternNode, rules: GrammarRules, spelling: Spelling) -> str:
    """Write a node as GBNF, so that it can be part of a sequence."""
    rules.count()
    match node:
        case PatternSet(ranges=ranges):
            return spelling.char if ranges == ANY_CHARACTER else _spelled(ranges, spelling)
        case PatternAnchor():
            raise UnsupportedPattern
        case PatternSequence(parts=parts):
            return " ".join(_written(part, rules, spelling) for part in parts) or '""'
        case PatternChoice(options=options):
            return f"({' | '.join(_written(option, rules, spelling) for option in options)})"
        case PatternRepeat(part=part, least=least, most=most):
            # llama.cpp follows a repetition of nothing in circles, and copies what is repeated.
            is_endless = most is None and _lengths(part)[0] == 0
            if is_endless or max(least, most or 0) > MAX_REPETITIONS:
                raise UnsupportedPattern
            if most == 0:
                return '""'
            inner = _written(part, rules, spelling)
            # It also multiplies repetitions inside repetitions, but not across rules.
            inner = (
                rules.add(inner) if "{" in inner else inner if isinstance(part, PatternSet) else f"({inner})"
            )
            return f"{inner}{counted(least, most)}"


@lru_cache(maxsize=256)
def _spelled(ranges: CodeRanges, spelling: Spelling) -> str:
    """Write one character of a set."""
    if not spelling.is_json:
        plain = without_ranges(ranges, [(ord("<"), ord("<"))])
        if not plain:
            raise UnsupportedPattern
        return _class(plain)
    plain = without_ranges(ranges, [(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C), (0x7F, 0x7F)])
    special = [code for code in (*_ESCAPES, 0x7F, *range(0x20)) if any(a <= code <= b for a, b in ranges)]
    if plain or any(code in _ESCAPES for code in special):
        special = [code for code in special if code in _ESCAPES]
    options = [_class(plain)] if plain else []
    options += dict.fromkeys(literal(_ESCAPES.get(code) or f"\\u{code:04x}") for code in special)
    if not options:
        raise UnsupportedPattern
    return options[0] if len(options) == 1 else f"({' | '.join(options)})"


_ESCAPES: Final = {
    ord(char): escape
    for char, escape in zip('"\\\n\t\r\b\f', (r"\"", r"\\", r"\n", r"\t", r"\r", r"\b", r"\f"), strict=True)
}


def _class(ranges: CodeRanges) -> str:
    first, last = ranges[0]
    if len(ranges) == 1 and first == last:
        return literal(chr(first))
    return written_class(ranges)

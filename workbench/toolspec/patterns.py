"""Run regular expressions from untrusted texts in linear time with RE2.

Python's `re` backtracks: `(a+)+$` takes exponential time, and such patterns cannot be recognized reliably. RE2 does not
backtrack, so it has no lookaround and no backreferences. A pattern that needs them is reported and not run. Character
classes such as `\\d` and `\\w` are ASCII, as in JSON Schema (ECMA-262); `\\p{L}` is any letter.

*Source:* RE2's syntax, https://github.com/google/re2/wiki/Syntax
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

import re2

from workbench.toolspec.budget import CHECK_STEPS, BudgetExceeded, spend
from workbench.toolspec.pattern_cost import MAX_COMPILE_STEPS, compile_steps

MAX_PATTERN_CHARS: Final = 10_000
"""Longer patterns are rejected, because compiling and caching them takes memory."""
MAX_PATTERN_BYTES: Final = 2 << 20
"""Memory for one compiled pattern and RE2's cache for it. A program that needs more is not compiled either."""
NOT_A_PATTERN: Final = "it is not a regular expression"
"""Start of the message for a pattern that no engine accepts."""
_CACHED_PATTERNS: Final = 64
"""Number of compiled patterns in memory."""
_UNITS_PER_STEP: Final = 150
"""RE2 takes at most 7 ns for each instruction of a pattern and each byte of a text, so it does this many per
microsecond. Other threads run meanwhile."""

_ATOM: Final = re.compile(
    r"\\u([0-9A-Fa-f]{4})|\\[pP]\{(?:[\w]+=)?(\w+)\}|\\([sS])|\\c([A-Za-z])|(\[\^?\]?|\])"
    r"|\\Z|\\.|\{,(\d{1,4})\}|\{\d*,?\d{5,}",
    re.DOTALL,
)
"""Syntax that RE2 writes differently from Python and ECMA-262. Other escapes are left alone.

*Source:* https://262.ecma-international.org/14.0/#sec-patterns
"""
_CATEGORIES: Final = {
    "Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt",
    "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc",
    "Enclosing_Mark": "Me", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl",
    "Other_Number": "No", "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd",
    "Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi", "Final_Punctuation": "Pf",
    "Other_Punctuation": "Po", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk",
    "Other_Symbol": "So", "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl",
    "Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Private_Use": "Co",
}  # fmt: skip
"""Names of general categories, and what RE2 calls them. *Source:* Unicode's PropertyValueAliases.txt."""
_SPACES: Final = r"\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
"""What `\\s` matches in ECMA-262. RE2's `\\s` has only the first of them."""
_OTHERS: Final = (
    r"\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}"
    r"\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}"
)
_TOO_OFTEN: Final = "{1001"
"""Replaces a count of five digits or more, which RE2 would treat as plain text. RE2 rejects this one."""
_BACKTRACKS: Final = re.compile(
    r"\(\?(?:[=!>(]|<[=!]|P$)|sequence: \\[1-9k]|operator: (?:[*+?]|\{[^}]*\})\+$"
)
_TOO_LARGE: Final = "it is too large"
_LIMITS: Final = (
    ("invalid repetition size", "it repeats something more than 1,000 times"),
    ("too large", _TOO_LARGE),
    ("nested too deeply", "it is nested too deeply"),
)


class _Compiled(NamedTuple):
    """A compiled pattern with its number of instructions, or the reason why it cannot be compiled."""

    regexp: "re2.Pattern | None"
    size: int
    problem: str


def pattern_problem(pattern: str) -> str:
    """Say why a pattern cannot be run. Empty if it can.

    >>> pattern_problem("^[a-z]+$")
    ''
    >>> pattern_problem("(?=a)b")
    'it needs backtracking (lookaround, backreference)'
    """
    return _compiled(pattern).problem


def is_found(pattern: str, text: str) -> bool:
    """Return whether a pattern matches somewhere in a text.

    Raises:
        BudgetExceeded: The pattern is too large for a text of this length.
        ValueError: The pattern cannot be run.
    """
    return _within_budget(pattern, text).search(_as_utf8(text)) is not None


def is_whole_match(pattern: str, text: str) -> bool:
    """Return whether a pattern matches all of a text.

    Raises:
        BudgetExceeded: The pattern is too large for a text of this length.
        ValueError: The pattern cannot be run.
    """
    return _within_budget(pattern, text).fullmatch(_as_utf8(text)) is not None


def _within_budget(pattern: str, text: str) -> "re2.Pattern":
    """Return the compiled pattern, after counting the work of searching the text."""
    regexp, size, problem = _compiled(pattern)
    if regexp is None:
        raise ValueError(problem)
    # A code point has at most four bytes in UTF-8.
    size_bytes = len(text) if text.isascii() else len(text) * 4
    steps = 1 + size * size_bytes // _UNITS_PER_STEP
    if steps > CHECK_STEPS:
        raise BudgetExceeded(f"the pattern {pattern[:30]!r} on a text of {len(text):,} characters")
    spend(steps)
    return regexp


def _compiled(pattern: str) -> _Compiled:
    if len(pattern) > MAX_PATTERN_CHARS:
        return _Compiled(None, 0, f"it is longer than {MAX_PATTERN_CHARS:,} characters")
    return _compiled_once(pattern)


@lru_cache(maxsize=_CACHED_PATTERNS)
def _compiled_once(pattern: str) -> _Compiled:
    written = _as_utf8(_in_re2_syntax(pattern))
    steps = compile_steps(written)
    if steps > MAX_COMPILE_STEPS:
        return _Compiled(None, 0, _TOO_LARGE)
    spend(steps)
    options = re2.Options()
    options.max_mem = MAX_PATTERN_BYTES
    # With groups, RE2 searches several times as slowly, and needs memory for each group of each instruction.
    options.never_capture = True
    options.log_errors = False
    try:
        regexp = re2.compile(written, options)
    except re2.error as error:
        return _Compiled(None, 0, _problem_of(error))
    finally:
        # Otherwise RE2's own cache holds up to 128 more patterns.
        re2.purge()
    return _Compiled(regexp, regexp.programsize, "")


def _in_re2_syntax(pattern: str) -> str:
    """Write a pattern of ECMA-262 or Python in RE2's syntax, such as `\\p{Letter}` as `\\p{L}`."""
    is_in_class = False

    def written(match: re.Match[str]) -> str:
        nonlocal is_in_class
        code_point, name, space, control, bracket, most = match.groups()
        text = match.group()
        if code_point:
            return f"\\x{{{code_point}}}"
        if name:
            return f"{text[:2]}{{{_CATEGORIES.get(name, name)}}}"
        if space:
            inside = _SPACES if space == "s" else _OTHERS
            return inside if is_in_class else f"[{inside}]"
        if control:
            return f"\\x{{{ord(control) % 32:x}}}"
        if bracket:
            return whole_class(bracket)
        if most:
            return f"{{0,{most}}}"
        if text.startswith("{"):
            return _TOO_OFTEN
        return r"\z" if text == r"\Z" else text

    def whole_class(bracket: str) -> str:
        nonlocal is_in_class
        if is_in_class:
            is_in_class = not bracket.endswith("]")
            return bracket.replace("[", r"\[")
        # As the first character of a class, `]` is one of its characters.
        is_in_class = bracket != "]"
        return bracket

    return _ATOM.sub(written, pattern)


def _problem_of(error: Exception) -> str:
    """Return RE2's error as a message for users."""
    reason = error.args[0] if error.args else ""
    text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
    if _BACKTRACKS.search(text):
        return "it needs backtracking (lookaround, backreference)"
    for phrase, message in _LIMITS:
        if phrase in text:
            return message
    return f"{NOT_A_PATTERN}: {text[:60]}"


def _as_utf8(text: str) -> str:
    """Return `text` with halves of surrogate pairs, which have no UTF-8, replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text

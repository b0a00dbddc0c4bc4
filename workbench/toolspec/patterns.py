"""Run regular expressions from untrusted texts in linear time with RE2.

Python's `re` backtracks: `(a+)+$` takes exponential time, and no look at a pattern tells all that do. RE2 does not
backtrack, so it has no look-around and no back references; a pattern that needs them is reported, and not run.
Character classes such as `\\d` and `\\w` are ASCII, as JSON Schema has them (ECMA-262); `\\p{L}` is any letter.

*Source:* RE2's syntax, https://github.com/google/re2/wiki/Syntax.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

import re2

from workbench.toolspec.budget import CHECK_STEPS, BudgetExceeded, spend

MAX_PATTERN_CHARS: Final = 10_000
"""A longer pattern is refused: parsing and keeping it costs memory."""
MAX_PATTERN_BYTES: Final = 2 << 20
"""Memory for one compiled pattern and what RE2 remembers of its searches."""
NOT_A_PATTERN: Final = "it is not a regular expression"
"""So begins the problem of a pattern that no engine would take."""
_KEPT_PATTERNS: Final = 64
"""Compiled patterns that are kept; times the bytes above it is the most that they can take."""
_COMPILE_STEPS: Final = 100
_TOO_LARGE_STEPS: Final = 60_000
"""RE2 notices that a pattern becomes too large after it has expanded it: some 60 ms."""
_UNITS_A_STEP: Final = 300
"""RE2 at its slowest takes 3 ns for each instruction of a pattern and each byte of a text: so many a microsecond."""

_ATOM: Final = re.compile(r"\\u([0-9A-Fa-f]{4})|\\Z|\\.|\{,(\d{1,4})\}|\{\d*,?\d{5,}", re.DOTALL)
"""What RE2 spells otherwise than Python and ECMA-262; other escapes are passed over."""
_TOO_OFTEN: Final = "{1001"
"""For a count of five digits or more, which RE2 would take for plain text: this one it refuses."""
_BACKTRACKS: Final = re.compile(
    r"\(\?(?:[=!>(]|<[=!]|P$)|sequence: \\[1-9k]|operator: (?:[*+?]|\{[^}]*\})\+$"
)
_LIMITS: Final = (
    ("invalid repetition size", "it repeats something more than 1,000 times"),
    ("too large", "it is too large"),
    ("nested too deeply", "it is nested too deep"),
)


class _Compiled(NamedTuple):
    """A pattern with the number of its instructions, or why there is none."""

    regexp: "re2.Pattern | None"
    size: int
    problem: str


def pattern_problem(pattern: str) -> str:
    """Why a pattern cannot be run; empty where it can.

    >>> pattern_problem("^[a-z]+$")
    ''
    >>> pattern_problem("(?=a)b")
    'it needs backtracking (look-around, back reference) and is not run'
    """
    return _compiled(pattern).problem


def is_found(pattern: str, text: str) -> bool:
    """Whether a pattern that can be run is found in a text.

    Raises:
        OverBudget: The pattern is too large for so long a text.
        ValueError: The pattern cannot be run.
    """
    return _paid_for(pattern, text).search(_as_utf8(text)) is not None


def is_whole_match(pattern: str, text: str) -> bool:
    """Whether a pattern that can be run matches a text from end to end.

    Raises:
        OverBudget: The pattern is too large for so long a text.
        ValueError: The pattern cannot be run.
    """
    return _paid_for(pattern, text).fullmatch(_as_utf8(text)) is not None


def _paid_for(pattern: str, text: str) -> "re2.Pattern":
    """The compiled pattern, the work of searching the text paid for."""
    regexp, size, problem = _compiled(pattern)
    if regexp is None:
        raise ValueError(problem)
    # A code point has four bytes at most; most texts have one.
    size_bytes = len(text) if text.isascii() else len(text) * 4
    steps = 1 + size * size_bytes // _UNITS_A_STEP
    if steps > CHECK_STEPS:
        raise BudgetExceeded(f"the pattern {pattern[:30]!r} on a text of {len(text):,} characters")
    spend(steps)
    return regexp


def _compiled(pattern: str) -> _Compiled:
    if len(pattern) > MAX_PATTERN_CHARS:
        return _Compiled(None, 0, f"it is longer than {MAX_PATTERN_CHARS:,} characters")
    return _compiled_once(pattern)


@lru_cache(maxsize=_KEPT_PATTERNS)
def _compiled_once(pattern: str) -> _Compiled:
    # A stranger may bring thousands of patterns.
    spend(_COMPILE_STEPS + len(pattern))
    options = re2.Options()
    options.max_mem = MAX_PATTERN_BYTES
    options.never_capture = True
    options.log_errors = False
    try:
        regexp = re2.compile(_as_utf8(_ATOM.sub(_respelled, pattern)), options)
    except re2.error as error:
        spend(_TOO_LARGE_STEPS if "too large" in str(error) else 0)
        return _Compiled(None, 0, _told(error))
    finally:
        # Its own cache would keep up to 128 patterns more.
        re2.purge()
    size = max(regexp.programsize, regexp.reverseprogramsize)
    spend(size // 2)
    return _Compiled(regexp, size, "")


def _respelled(match: re.Match[str]) -> str:
    if match.group(1):
        return f"\\x{{{match.group(1)}}}"
    if match.group(2):
        return f"{{0,{match.group(2)}}}"
    if match.group().startswith("{"):
        return _TOO_OFTEN
    return r"\z" if match.group() == r"\Z" else match.group()


def _told(error: Exception) -> str:
    """RE2's complaint for a person."""
    said = error.args[0] if error.args else ""
    words = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    if _BACKTRACKS.search(words):
        return "it needs backtracking (look-around, back reference) and is not run"
    for sign, told in _LIMITS:
        if sign in words:
            return told
    return f"{NOT_A_PATTERN}: {words[:60]}"


def _as_utf8(text: str) -> str:
    """`text` as RE2 can take it: half of a surrogate pair, which has no UTF-8, stands as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text

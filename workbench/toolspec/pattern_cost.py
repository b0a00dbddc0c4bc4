"""Estimate how long RE2 compiles a pattern, before it does.

RE2 searches in linear time, but compiling is another matter. It expands repetitions: `(?:ab){1,1000}` has as many
instructions as a pattern of 2,000 characters. It joins neighbors, so that `a{0,1000}` fifty times in a row becomes one
`a{0,50000}`, whose optional repetitions are nested in each other, and it walks through that nest once for each of them:
600 characters take five seconds. And it looks up each class of Unicode, such as `\\p{L}`, in tables with hundreds of
ranges.

*Source:* measured with google-re2 1.1.20251105.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import re2

from workbench.toolspec.budget import spend

MAX_COMPILE_STEPS: Final = 100_000
"""Patterns that RE2 would compile for longer are not compiled: all other Python threads wait meanwhile."""
_FIXED_STEPS: Final = 100
"""Steps for any pattern, however short."""
_CATEGORY_STEPS: Final = 250
"""RE2 takes at most this many microseconds to build a class such as `\\p{L}` without regard to upper and lower case."""
_CLASS_STEPS: Final = 20
_MEMBER_STEPS: Final = 2
_SIZE_PER_STEP: Final = 1.4
"""Instructions that RE2 compiles in a microsecond."""
_NESTED_PER_STEP: Final = 450
"""The square of the number of optional repetitions, divided by this, is the time for their nest in microseconds."""
_FOLDED_SIZE: Final = 4
"""Instructions of a letter in upper and lower case. The long s and the Kelvin sign are such letters, too."""
_MOST: Final = 10**9

_TOKEN: Final = re.compile(
    r"""(?P<quoted>\\Q.*?(?:\\E|\Z))
    |(?P<char_class>\\[pP](?:\{[^}]*\}|.)|\\[dDsSwWC]|\.|\[\^?\]?(?:\\[pP]\{[^}]*\}|\\.|[^\]\\])*+\])
    |(?P<open>\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:?))?)|(?P<close>\))
    |\{(?P<least>\d{1,4})(?P<most>,\d{0,4})?\}|(?P<sign>[*+?])
    |(?P<single>\\x\{[^}]*\}|\\.|.)""",
    re.DOTALL | re.VERBOSE,
)
_CATEGORY: Final = re.compile(r"\\[pP]")
_FOLDS_CASE: Final = re.compile(r"\(\?[a-zA-Z]*i")


@dataclass(slots=True)
class _Part:
    """What a part of a pattern becomes."""

    size: int = 0
    """Number of instructions."""
    optional: int = 0
    """Number of repetitions that may be missing."""
    last_size: int = 0
    """The same two numbers of its last element, to which a following repetition applies."""
    last_optional: int = 0

    def add(self, size: int, optional: int = 0) -> None:
        self.size = min(self.size + size, _MOST)
        self.optional = min(self.optional + optional, _MOST)
        self.last_size, self.last_optional = size, optional

    def repeat(self, times: int, optional: int) -> None:
        """Repeat the last element. Of the `times` repetitions, `optional` may be missing."""
        size, inner = self.last_size, self.last_optional
        self.size -= size
        self.optional -= inner
        self.add(min((size + bool(optional)) * times, _MOST), min(inner * times + optional, _MOST))


def compile_steps(pattern: str) -> int:
    """Return an upper bound on the time that RE2 takes to compile a pattern, in steps of the budget.

    More than `MAX_COMPILE_STEPS` only means that it takes longer than that.

    >>> compile_steps("^[a-z]+$") < 300, compile_steps("(a|b){1,1000}" * 50) > 1_000_000
    (True, True)

    Args:
        pattern: In RE2's syntax.

    Raises:
        BudgetExceeded: The current budget is used up.
    """
    spend(_FIXED_STEPS + len(pattern))
    steps, parts = 0, [_Part()]
    folds_case = _FOLDS_CASE.search(pattern) is not None
    for token in _TOKEN.finditer(pattern):
        part, kind, text = parts[-1], token.lastgroup, token.group()
        if kind == "open":
            parts.append(_Part())
        elif kind == "close" and len(parts) > 1:
            inside = parts.pop()
            parts[-1].add(inside.size + 1, inside.optional)
        elif kind == "sign":
            part.repeat(1, int(text == "?"))
            part.size += 1
        elif kind in ("least", "most"):
            least, most = int(token["least"]), (token["most"] or f",{token['least']}")[1:]
            times = int(most or least + 1)
            part.repeat(max(times, 1), max(times - least, 0))
        elif kind == "char_class":
            steps += _class_steps(text)
            if steps > MAX_COMPILE_STEPS:
                break
            part.add(_class_size(text, folds_case))
        else:
            part.add(_FOLDED_SIZE * len(text) if folds_case else len(text.encode()))
    # Groups that are never closed make the pattern invalid, which RE2 notices at the end.
    size, optional = sum(part.size for part in parts), sum(part.optional for part in parts)
    return _FIXED_STEPS + len(pattern) + steps + int(size / _SIZE_PER_STEP) + optional**2 // _NESTED_PER_STEP


def _class_steps(text: str) -> int:
    return _CLASS_STEPS + _MEMBER_STEPS * len(text) + _CATEGORY_STEPS * len(_CATEGORY.findall(text))


@lru_cache(maxsize=256)
def _class_size(text: str, folds_case: bool) -> int:  # noqa: FBT001  the key of a cache
    """Return the number of instructions of a character class: RE2 compiles it alone."""
    spend(_class_steps(text))
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(f"(?i){text}" if folds_case else text, options).programsize
    except re2.error:
        return 1
    finally:
        re2.purge()

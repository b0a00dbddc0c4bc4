"""Whether a regular expression of a schema can be run against a model's text without running away."""

import re
from typing import Final

_UNBOUNDED: Final = re.compile(r"(?:[*+]|\{\d*,\d*\})")
_EXACT: Final = re.compile(r"\{(\d{1,9})\}")
_ATOM: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[*+]|\{\d*,\d*\}|\{\d{1,9}\}|.", re.DOTALL)
_MOST_STEPS: Final = 10_000_000


def is_compilable(pattern: str) -> bool:
    """Whether Python's `re` takes the pattern."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def longest_safe(pattern: str) -> int:
    """How long a text may be (in code points) that `pattern` is searched in; 0 where none is short enough.

    A repeat around a group that repeats or branches can take exponential time, so it is never run.
    Otherwise the time is at most the length to the power of the number of repeats, and one more where the
    pattern is not anchored; a group that repeats or branches counts as often as it must stand there.

    >>> longest_safe("^[a-z]+$")
    10000000
    >>> longest_safe("^(a+)+$")
    0
    """
    repeats, is_nested = _repeats(pattern)
    if is_nested:
        return 0
    degree = max(1, repeats + (0 if pattern.startswith("^") else 1))
    return int(_MOST_STEPS ** (1 / degree))


def _repeats(pattern: str) -> tuple[int, bool]:
    """How many unbounded repeats there are, and whether one stands around a group that repeats, branches
    or refers."""
    atoms = [match.group() for match in _ATOM.finditer(pattern)]
    groups: list[bool] = []
    repeats, is_closed_group_risky = 0, False
    for index, atom in enumerate(atoms):
        if atom == "(":
            groups.append(False)
        elif atom == ")":
            is_closed_group_risky = groups.pop() if groups else False
            if groups:
                groups[-1] |= is_closed_group_risky
        elif _UNBOUNDED.fullmatch(atom):
            repeats += 1
            if index and atoms[index - 1] == ")" and is_closed_group_risky:
                return repeats, True
            groups = [True] * len(groups)
        elif exact := _EXACT.fullmatch(atom):
            if index and atoms[index - 1] == ")" and is_closed_group_risky:
                repeats += int(exact.group(1))
        elif atom in ("|", "?") or (len(atom) == 2 and atom[0] == "\\" and atom[1].isdigit()):
            groups = [True] * len(groups)
    return repeats, False

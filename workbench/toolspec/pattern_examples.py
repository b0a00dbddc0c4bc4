"""Short texts in which a pattern is found, for sample values."""

from collections.abc import Callable
from typing import Final

from workbench.toolspec.budget import spend
from workbench.toolspec.pattern_tree import (
    PatternAnchor,
    PatternChoice,
    PatternNode,
    PatternRepeat,
    PatternSequence,
    PatternSet,
    UnsupportedPattern,
    parsed_pattern,
)

_READABLE: Final = "abcdefghjkmnpqrstuvwxyz0123456789ABCDEFGHJKMNPQRSTUVWXYZ -_./:@"
"""The characters that examples have, as far as a set allows one of them."""


def matching_text(pattern: str, choose: Callable[[int], int], *, spare: int = 0) -> str | None:
    r"""Return a short text in which a pattern is found, or None if it cannot be parsed.

    Args:
        choose: Returns a number from 0 up to, but not including, its argument, such as `Random.randrange`.
        spare: How much longer than necessary the text may be: the largest number of further repetitions of a part.

    >>> matching_text("^(alpha|beta)-[0-9]{2}$", lambda count: count - 1)
    'beta-99'
    """
    try:
        return _example(PatternChoice(parsed_pattern(pattern)), choose, spare)
    except UnsupportedPattern:
        return None


def _example(node: PatternNode, choose: Callable[[int], int], spare: int) -> str:
    match node:
        case PatternSet(ranges=ranges):
            chars = [char for char in _READABLE if any(first <= ord(char) <= last for first, last in ranges)]
            return chars[choose(len(chars))] if chars else chr(ranges[0][0])
        case PatternAnchor():
            raise UnsupportedPattern
        case PatternSequence(parts=parts):
            return "".join(_example(part, choose, spare) for part in parts)
        case PatternChoice(options=options):
            return _example(options[choose(len(options))], choose, spare)
        case PatternRepeat(part=part, least=least, most=most):
            times = least + choose(1 + (spare if most is None else min(spare, most - least)))
            spend(times)
            return "".join(_example(part, choose, spare) for _ in range(times))

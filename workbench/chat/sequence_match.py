"""Compare two sequences with difflib, with a limit on the work.

`SequenceMatcher` takes at least quadratic time: two texts of 200,000 characters with many repeated lines keep it busy
for hours. Here the work is counted. Once the limit is reached, each part that was not compared yet counts as replaced.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from difflib import Match, SequenceMatcher
from typing import Final, TypeVar

MATCH_STEPS: Final = 5_000_000
"""Limit on the pairs of equal elements that are examined, about half a second. Ordinary texts need a hundredth."""

_Element = TypeVar("_Element", bound=Hashable)


class BoundedMatcher(SequenceMatcher[_Element]):
    """A `SequenceMatcher` with a limit on the work.

    Args:
        autojunk: Whether to ignore very frequent elements of a long `b`, as difflib does by default.
    """

    a: Sequence[_Element]
    b2j: Mapping[_Element, Sequence[int]]

    def __init__(self, a: Sequence[_Element], b: Sequence[_Element], *, autojunk: bool = True) -> None:
        super().__init__(None, a, b, autojunk=autojunk)
        self._left = MATCH_STEPS

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """Return the longest common subsequence of adjacent elements, or an empty match once the limit is reached."""
        end = len(self.a) if ahi is None else ahi
        if self._left > 0:
            # The work that difflib does next: it visits every position in `b` of each element of `a`.
            self._left -= sum(1 + len(self.b2j.get(element, ())) for element in self.a[alo:end])
        return Match(alo, blo, 0) if self._left <= 0 else super().find_longest_match(alo, end, blo, bhi)


def unified_diff(before: Sequence[str], after: Sequence[str], labels: tuple[str, str]) -> Iterator[str]:
    """Yield the lines of a unified diff with three lines of context, like `difflib.unified_diff` with limited work.

    >>> list(unified_diff(["a\\n"], ["b\\n"], ("old", "new")))
    ['--- old\\n', '+++ new\\n', '@@ -1 +1 @@\\n', '-a\\n', '+b\\n']

    Args:
        before: Lines of the old text, each with its line feed.
        after: Lines of the new text, each with its line feed.
        labels: Names of the old and the new text.
    """
    for number, group in enumerate(BoundedMatcher(before, after).get_grouped_opcodes()):
        if not number:
            yield from (f"--- {labels[0]}\n", f"+++ {labels[1]}\n")
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, i, j, m, n in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[i:j])
                continue
            yield from (f"-{line}" for line in before[i:j])
            yield from (f"+{line}" for line in after[m:n])


def _range(start: int, stop: int) -> str:
    """Return a range of lines as a unified diff writes it: from 1; for an empty range, the line before it.

    *Source:* https://pubs.opengroup.org/onlinepubs/9699919799/utilities/diff.html
    """
    length = stop - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"

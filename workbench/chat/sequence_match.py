"""Compare two sequences with difflib, with a limit on the work.

`SequenceMatcher` takes quadratic time at least: two texts of 200,000 characters whose lines repeat keep it busy for
hours. Here the work is counted; once it is used up, the stretches that are left count as replaced, each as a whole.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from difflib import Match, SequenceMatcher
from typing import Final, TypeVar

MATCH_STEPS: Final = 5_000_000
"""Pairs of equal elements that are looked at: about half a second. Texts that people compare take a hundredth."""

_Element = TypeVar("_Element", bound=Hashable)


class BoundedMatcher(SequenceMatcher[_Element]):
    """Compares two sequences.

    Args:
        autojunk: Whether very frequent elements of a long `b` are passed over, as they are in `diff`.
    """

    a: Sequence[_Element]
    b2j: Mapping[_Element, Sequence[int]]

    def __init__(self, a: Sequence[_Element], b: Sequence[_Element], *, autojunk: bool = True) -> None:
        super().__init__(None, a, b, autojunk=autojunk)
        self._left = MATCH_STEPS

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """The longest stretch that both have; none once the work is used up."""
        end = len(self.a) if ahi is None else ahi
        if self._left > 0:
            # What difflib does next: each element of `a` is held against every place of `b` that has it.
            self._left -= sum(1 + len(self.b2j.get(element, ())) for element in self.a[alo:end])
        return Match(alo, blo, 0) if self._left <= 0 else super().find_longest_match(alo, end, blo, bhi)


def unified_diff(before: Sequence[str], after: Sequence[str], labels: tuple[str, str]) -> Iterator[str]:
    """The lines of a unified diff with three lines of context; as `difflib.unified_diff`, with a bound on the work.

    >>> list(unified_diff(["a\\n"], ["b\\n"], ("old", "new")))
    ['--- old\\n', '+++ new\\n', '@@ -1 +1 @@\\n', '-a\\n', '+b\\n']

    Args:
        before: Lines of the old text, each with its line feed.
        after: Lines of the new text.
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
    """Lines as a unified diff counts them: from 1, and the line before where there is none. *Source:* POSIX, diff."""
    length = stop - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"

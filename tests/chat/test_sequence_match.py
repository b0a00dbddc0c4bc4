"""Comparing texts with limited work gives the results of difflib for ordinary texts, and ends early for all others."""

import difflib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.chat.sequence_match import BoundedMatcher, unified_diff

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "end"]), max_size=40)


def joined(matcher: "difflib.SequenceMatcher[str]") -> list[str]:
    """Build the second text from the equal and the new parts."""
    return [
        element
        for tag, i, j, m, n in matcher.get_opcodes()
        for element in (matcher.a[i:j] if tag == "equal" else matcher.b[m:n])
    ]


@given(LINES, LINES)
def test_the_diff_equals_that_of_difflib(before: list[str], after: list[str]) -> None:
    expected = list(difflib.unified_diff(before, after, "old", "new"))
    assert list(unified_diff(before, after, ("old", "new"))) == expected


@given(LINES, LINES)
def test_the_opcodes_equal_those_of_difflib(before: list[str], after: list[str]) -> None:
    expected = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    assert BoundedMatcher(before, after, autojunk=False).get_opcodes() == expected


def random_lines(count: int, kinds: int, seed: int) -> list[str]:
    random = Random(seed)
    return [chr(200 + random.randrange(kinds)) + "\n" for _ in range(count)]


def in_steps(count: int, filler: str) -> list[str]:
    """Return lines of which every other one is shared, so that each step finds one line and continues with the rest."""
    return [line for number in range(count) for line in (f"{number % 97}\n", f"{filler}{number}\n")]


BOMBS = {
    "lines of 120 kinds": (random_lines(100_000, 120, 1), random_lines(100_000, 120, 2)),
    "lines of two kinds": (random_lines(150, 2, 1) * 600, random_lines(199, 2, 2)),
    "one line at a time": (in_steps(50_000, "x"), in_steps(50_000, "y")),
    "the same line": (["a\n"] * 100_000, ["a\n"] * 99_000),
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("autojunk", [True, False])
@pytest.mark.parametrize("name", BOMBS)
def test_texts_that_would_take_hours_to_compare_count_as_replaced(name: str, *, autojunk: bool) -> None:
    before, after = BOMBS[name]
    assert joined(BoundedMatcher(before, after, autojunk=autojunk)) == after

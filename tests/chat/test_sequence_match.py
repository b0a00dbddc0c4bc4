"""Texts compared with a bound on the work: as difflib where it is quick, and an answer where it is not."""

import difflib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.chat.sequence_match import BoundedMatcher, unified_diff

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "end"]), max_size=40)


def joined(matcher: "difflib.SequenceMatcher[str]") -> list[str]:
    """The second text, put together from what is the same and what is new."""
    return [
        element
        for tag, i, j, m, n in matcher.get_opcodes()
        for element in (matcher.a[i:j] if tag == "equal" else matcher.b[m:n])
    ]


@given(LINES, LINES)
def test_the_diff_is_the_one_of_difflib(before: list[str], after: list[str]) -> None:
    expected = list(difflib.unified_diff(before, after, "old", "new"))
    assert list(unified_diff(before, after, ("old", "new"))) == expected


@given(LINES, LINES)
def test_the_pieces_are_those_of_difflib(before: list[str], after: list[str]) -> None:
    expected = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    assert BoundedMatcher(before, after, autojunk=False).get_opcodes() == expected


def random_lines(count: int, kinds: int, seed: int) -> list[str]:
    random = Random(seed)
    return [chr(200 + random.randrange(kinds)) + "\n" for _ in range(count)]


def in_steps(count: int, filler: str) -> list[str]:
    """Every other line is shared, so that each step of the comparison finds one line and goes on with all others."""
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
def test_texts_that_take_hours_to_compare_are_told_as_replaced(name: str, *, autojunk: bool) -> None:
    before, after = BOMBS[name]
    assert joined(BoundedMatcher(before, after, autojunk=autojunk)) == after

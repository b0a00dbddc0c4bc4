"""Which patterns of a schema may be searched for, and in how long a text."""

import pytest

from workbench.toolspec.patterns import is_compilable, longest_safe


@pytest.mark.parametrize(
    "pattern", ["^a*$", "^[a-z]{1,5}$", "^(?:a|b)$", "^[*+]$", r"^\*\+$", "^[0-9]{4}-[0-9]{2}$"]
)
def test_a_plain_pattern_may_be_searched_in_a_long_text(pattern: str) -> None:
    assert longest_safe(pattern) >= 1_000_000**0.5


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "(a|a)*b", "^((a*)b)*$", r"^(a)(\1)*(b\1)+$", "^(a?){2,}$", "^(a+){1,9}$"]
)
def test_a_repeat_around_a_repeat_is_never_searched(pattern: str) -> None:
    assert longest_safe(pattern) == 0


def test_an_address_may_be_searched_in_a_short_text() -> None:
    assert 15 <= longest_safe(r"^([0-9]{1,3}\.){3}[0-9]{1,3}$") < 100


@pytest.mark.parametrize("pattern", ["^(a|a){30}$", "^(a?){30}a{30}$", "^(a*){20}b$"])
def test_a_branch_that_must_stand_many_times_is_as_good_as_never_searched(pattern: str) -> None:
    assert longest_safe(pattern) <= 2


@pytest.mark.parametrize("pattern", ["(", "a{99999999999}", "[z-a]"])
def test_what_is_no_pattern_is_told(pattern: str) -> None:
    assert not is_compilable(pattern)

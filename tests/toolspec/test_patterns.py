"""Which patterns can be run, and what they match."""

import time

import pytest

from tests.security.pattern_bombs import COSTLY_PATTERNS
from workbench.toolspec.budget import BudgetExceeded, MinuteBudgets, budget, opened, spend
from workbench.toolspec.pattern_cost import MAX_COMPILE_STEPS, compile_steps
from workbench.toolspec.patterns import (
    MAX_PATTERN_CHARS,
    NOT_A_PATTERN,
    is_found,
    is_whole_match,
    pattern_problem,
)

RUNAWAYS = [
    "^(a+)+$",
    "(a|a)*b",
    "^((a*)b)*$",
    "^(a?){2,}$",
    "^(a|a?)+$",
    "(x+x+)+y",
    "^(a|a){30}$",
    "(?:a?){30}a{30}",
]


@pytest.mark.parametrize("pattern", RUNAWAYS)
def test_patterns_with_exponential_backtracking_are_searched_quickly(pattern: str) -> None:
    assert pattern_problem(pattern) == ""
    assert not is_whole_match(pattern, "a" * 100_000 + "!")


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("^[a-z]+$", "abc", True),
        ("^[a-z]+$", "abc\n", False),
        ("b", "abc", True),
        (r"\u00e9", "é", True),
        (r"[\u00e0-\u00ff]", "é", True),
        (r"a\Z", "ba", True),
        (r"\\Z", r"\Z", True),
        ("^x{,2}$", "xx", True),
        ("^x{,2}$", "x{,2}", False),
        (r"^\p{L}+$", "é", True),
        (r"^\d+$", "٣", False),
        ("^.$", "😀", True),
        ("^.$", "\ud800", True),
        ("(?i)ROME", "rome", True),
        ("", "", True),
    ],
)
def test_a_pattern_matches_as_expected(pattern: str, text: str, expected: bool) -> None:  # noqa: FBT001
    assert is_found(pattern, text) is expected


def test_a_whole_match_covers_the_text() -> None:
    assert is_whole_match("a|ab", "ab")
    assert not is_whole_match("a", "ab")


@pytest.mark.parametrize(
    "pattern", ["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", r"(a)\1", "(?P<n>a)(?P=n)", "(?>a)", "a++"]
)
def test_a_pattern_that_needs_backtracking_is_reported(pattern: str) -> None:
    assert "needs backtracking" in pattern_problem(pattern)


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "*a", "a**", "\\"])
def test_an_invalid_pattern_is_reported(pattern: str) -> None:
    assert pattern_problem(pattern).startswith(NOT_A_PATTERN)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("a{99999999999}", "more than 1,000 times"),
        ("a{1,5000}", "more than 1,000 times"),
        ("(a{1000}){1000}", "too large"),
        (r"(?:\p{L}\p{N}){1000}", "too large"),
        ("a" * 20_000, "longer than"),
        ("(" * 5000 + ")" * 5000, ""),
    ],
)
def test_a_pattern_that_would_take_much_memory_is_rejected(pattern: str, problem: str) -> None:
    assert problem in pattern_problem(pattern)


def test_a_large_pattern_is_not_searched_in_a_long_text() -> None:
    with pytest.raises(BudgetExceeded, match="too much work"):
        is_found("(.*){1,1000}b", "a" * 1_000_000)
    assert not is_found("(.*){1,1000}b", "a" * 100)


def test_searches_count_against_the_budget() -> None:
    with budget(1000), pytest.raises(BudgetExceeded):
        for _ in range(100):
            is_found("[ab]*a[ab]{100}c", "ab" * 1000)


@pytest.mark.parametrize("pattern", COSTLY_PATTERNS, ids=range(len(COSTLY_PATTERNS)))
def test_no_pattern_is_compiled_for_long(pattern: str) -> None:
    assert len(pattern) <= MAX_PATTERN_CHARS
    started_s = time.thread_time()
    pattern_problem(pattern)
    assert time.thread_time() - started_s < 0.2


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z]{1,1000}$",
        "^.{1,1000}$",
        r"^[\s\S]{1,1000}$",
        r"^\S{1,1000}$",
        r"^\p{L}{1,100}$",
        r"^[\p{L}\p{N} .'-]{1,100}$",
        r"^([0-9a-fA-F]{4}:){7}[0-9a-fA-F]{4}$",
        r"^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$",
        "(?i)^(?:[a-z]{1,255}, ){0,3}[a-z]{1,255}$",
        "|".join(f"word{number}" for number in range(900)),
        "[ab]*a[ab]{900}b",
    ],
)
def test_patterns_of_real_schemas_are_compiled(pattern: str) -> None:
    assert pattern_problem(pattern) == ""


def test_the_cost_of_a_pattern_is_counted_before_it_is_compiled() -> None:
    pattern = "(?:xyz){1,1000}y"
    assert 3000 < compile_steps(pattern) < MAX_COMPILE_STEPS
    with budget(3000), pytest.raises(BudgetExceeded):
        pattern_problem(pattern)
    assert pattern_problem(pattern) == ""


def test_a_refused_pattern_costs_little() -> None:
    with budget(30_000):
        for number in range(10):
            assert pattern_problem("(a|b){1,1000}" * 50 + f"{number}") == "it is too large"


def test_each_person_has_a_budget_for_a_minute() -> None:
    now_s = 30.0
    budgets = MinuteBudgets(1000, lambda: now_s)
    with opened(budgets.of("ann")), budget(900):
        spend(800)
    with opened(budgets.of("ann")), pytest.raises(BudgetExceeded, match="in this minute"):
        spend(300)
    with opened(budgets.of("bob")):
        spend(1000)
    now_s = 60.0
    with opened(budgets.of("ann")):
        spend(1000)

"""Score a rollout of a case: yes or no for each expectation, with a reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.suite.bfcl_score import check_bfcl
from workbench.suite.call_score import (
    LIMITS,
    ExpectationResult,
    score_answer_schema,
    score_asks,
    score_call_count,
    score_calls,
    score_contains,
    score_limit,
    score_matches,
    score_no_call,
    score_sequence,
    score_valid_calls,
)
from workbench.suite.case import Case
from workbench.suite.case_rollout import CaseRollout, RubricVerdict
from workbench.suite.expectation import Expectation
from workbench.toolspec.budget import BudgetExceeded, budget

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What a rollout came to."""

    is_passed: bool
    """Whether the share of what holds reaches the case's threshold."""
    share: float
    """Weight of the expectations that hold, of all weight; from 0 to 1."""
    outcomes: tuple[ExpectationResult, ...]
    """One an expectation, in order."""


def score(case: Case, played: CaseRollout, verdicts: Mapping[str, RubricVerdict] | None = None) -> Score:
    """Holds a rollout against the case's expectations.

    Args:
        case: What was wanted.
        played: What came.
        verdicts: What a judge said, by rubric; all that the expectations ask for.
    """
    with budget():
        outcomes = tuple(_bounded_outcome(one, played, verdicts or {}) for one in case.expectations)
    total = sum(one.weight for one in outcomes)
    share = sum(one.weight for one in outcomes if one.holds) / total
    return Score(is_passed=share + _ROUNDING >= case.threshold, share=share, outcomes=outcomes)


def _bounded_outcome(
    one: Expectation, played: CaseRollout, verdicts: Mapping[str, RubricVerdict]
) -> ExpectationResult:
    """The outcome; a check that would take too much work has not shown that the expectation holds."""
    try:
        return judge_one(one, played, verdicts)
    except BudgetExceeded as error:
        return ExpectationResult(kind=one.kind, holds=False, reason=str(error), weight=one.weight)


def judge_one(
    one: Expectation, played: CaseRollout, verdicts: Mapping[str, RubricVerdict]
) -> ExpectationResult:
    """Whether one expectation holds, and why.

    Raises:
        OverBudget: Its patterns and schemas take too much work.
    """
    holds, reason = _holds(one, played, verdicts)
    return ExpectationResult(kind=one.kind, holds=holds, reason=reason, weight=one.weight)


def _holds(one: Expectation, played: CaseRollout, verdicts: Mapping[str, RubricVerdict]) -> tuple[bool, str]:
    if one.not_ or one.any_of or one.all_of:
        return _combined(one, played, verdicts)
    if one.kind in LIMITS:
        return score_limit(one, played)
    if one.judge is not None:
        verdict = verdicts[one.judge]
        return verdict.holds, f"{verdict.judge or 'judge'}: {verdict.reason}"
    if one.bfcl is not None:
        problem = check_bfcl(one.bfcl, played.first_calls)
        return not problem, problem or "the calls are among BFCL's right answers"
    return _of_calls(one, played) or _of_text(one, played)


def _of_calls(one: Expectation, played: CaseRollout) -> tuple[bool, str] | None:
    if one.calls is not None:
        return score_calls(one, played)
    if one.no_call:
        return score_no_call(played)
    if one.call_count is not None:
        return score_call_count(one, played)
    if one.tool_sequence is not None:
        return score_sequence(one, played)
    return score_valid_calls(played) if one.valid_calls else None


def _of_text(one: Expectation, played: CaseRollout) -> tuple[bool, str]:
    if one.asks is not None:
        return score_asks(one.asks, played)
    if one.text_contains is not None:
        return score_contains(one.text_contains, played)
    if one.text_matches is not None:
        return score_matches(one.text_matches, played)
    return score_answer_schema(one.answer_schema or {}, played)


def _combined(
    one: Expectation, played: CaseRollout, verdicts: Mapping[str, RubricVerdict]
) -> tuple[bool, str]:
    inner = [judge_one(each, played, verdicts) for each in one.inner()]
    if one.not_:
        return not inner[0].holds, f"not wanted: {inner[0].reason}"
    if one.any_of:
        held = next((each for each in inner if each.holds), None)
        return held is not None, held.reason if held else "none holds: " + _reasons(inner)
    broken = [each for each in inner if not each.holds]
    return not broken, _reasons(broken or inner)


def _reasons(outcomes: Sequence[ExpectationResult]) -> str:
    return "; ".join(one.reason for one in outcomes)

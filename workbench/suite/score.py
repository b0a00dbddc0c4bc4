"""Score a rollout of a case: whether each expectation holds, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.suite.bfcl_score import check_bfcl
from workbench.suite.call_score import (
    LIMITS,
    ExpectationResult,
    score_answer_schema,
    score_answered,
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
from workbench.suite.conversation_score import conversation_answer
from workbench.suite.expectation import Expectation
from workbench.suite.world_score import TurnAnswer
from workbench.toolspec.budget import BudgetExceeded, budget

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The score of a rollout."""

    is_passed: bool
    """Whether `share` reaches the threshold of the case."""
    share: float
    """Weight of the expectations that hold, as a share of the total weight; from 0 to 1."""
    outcomes: tuple[ExpectationResult, ...]


def score(case: Case, rollout: CaseRollout, verdicts: Mapping[str, RubricVerdict] | None = None) -> Score:
    """Score a rollout by the expectations of its case.

    Args:
        verdicts: A judge's verdict for each rubric of the expectations, by rubric.
    """
    with budget():
        outcomes = tuple(
            _bounded_result(expectation, rollout, verdicts or {}) for expectation in case.expectations
        )
    total = sum(outcome.weight for outcome in outcomes)
    share = sum(outcome.weight for outcome in outcomes if outcome.holds) / total if outcomes else 0.0
    return Score(is_passed=share + _ROUNDING >= case.threshold, share=share, outcomes=outcomes)


def _bounded_result(
    expectation: Expectation, rollout: CaseRollout, verdicts: Mapping[str, RubricVerdict]
) -> ExpectationResult:
    """Score one expectation. One that takes too much work does not hold."""
    try:
        return score_expectation(expectation, rollout, verdicts)
    except BudgetExceeded as error:
        return ExpectationResult(
            kind=expectation.kind, holds=False, reason=str(error), weight=expectation.weight
        )


def score_expectation(
    expectation: Expectation, rollout: CaseRollout, verdicts: Mapping[str, RubricVerdict]
) -> ExpectationResult:
    """Score one expectation.

    Raises:
        BudgetExceeded: Its patterns and schemas take too much work.
    """
    answer = conversation_answer(expectation, rollout, verdicts) or TurnAnswer(
        *_holds(expectation, rollout, verdicts)
    )
    # Nobody answers the message that ends a conversation, so nothing can break there.
    last = sum(turn.completions > 0 for turn in rollout.turns) or None
    return ExpectationResult(
        kind=expectation.kind,
        holds=answer.holds,
        reason=answer.reason,
        weight=expectation.weight,
        turn=None if answer.holds else answer.turn or last,
    )


def _holds(
    expectation: Expectation, rollout: CaseRollout, verdicts: Mapping[str, RubricVerdict]
) -> tuple[bool, str]:
    if expectation.not_ or expectation.any_of or expectation.all_of:
        return _combined(expectation, rollout, verdicts)
    if expectation.kind in LIMITS:
        return score_limit(expectation, rollout)
    if expectation.judge is not None:
        verdict = verdicts[expectation.judge]
        return verdict.holds, f"{verdict.judge or 'judge'}: {verdict.reason}"
    if expectation.bfcl is not None:
        problem = check_bfcl(expectation.bfcl, rollout.first_calls)
        return not problem, problem or "the calls are among BFCL's possible answers"
    return _about_calls(expectation, rollout) or _about_text(expectation, rollout)


def _about_calls(expectation: Expectation, rollout: CaseRollout) -> tuple[bool, str] | None:
    """Score an expectation about calls. None if it is about the text of the answer."""
    if expectation.calls is not None:
        return score_calls(expectation, rollout)
    if expectation.no_call:
        return score_no_call(rollout)
    if expectation.call_count is not None:
        return score_call_count(expectation, rollout)
    if expectation.tool_sequence is not None:
        return score_sequence(expectation, rollout)
    return score_valid_calls(rollout) if expectation.valid_calls else None


def _about_text(expectation: Expectation, rollout: CaseRollout) -> tuple[bool, str]:
    if expectation.answered:
        return score_answered(rollout)
    if expectation.asks is not None:
        return score_asks(expectation.asks, rollout)
    if expectation.text_contains is not None:
        return score_contains(expectation.text_contains, rollout)
    if expectation.text_matches is not None:
        return score_matches(expectation.text_matches, rollout)
    return score_answer_schema(expectation.answer_schema or {}, rollout)


def _combined(
    expectation: Expectation, rollout: CaseRollout, verdicts: Mapping[str, RubricVerdict]
) -> tuple[bool, str]:
    """Score `not`, `any_of` or `all_of`."""
    inner = [score_expectation(part, rollout, verdicts) for part in expectation.inner()]
    if expectation.not_:
        return not inner[0].holds, f"not expected: {inner[0].reason}"
    if expectation.any_of:
        fulfilled = next((outcome for outcome in inner if outcome.holds), None)
        return fulfilled is not None, fulfilled.reason if fulfilled else "none holds: " + _reasons(inner)
    broken = [outcome for outcome in inner if not outcome.holds]
    return not broken, _reasons(broken or inner)


def _reasons(outcomes: Sequence[ExpectationResult]) -> str:
    return "; ".join(outcome.reason for outcome in outcomes)

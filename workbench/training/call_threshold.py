"""Choose the call threshold of a model by held-out cases.

The idea: whether an answer begins with a call depends on the threshold only through the probability of a call. So each
case runs twice, once with a call and once without, whatever the model prefers. From these two results and the
probability, the result of each threshold follows without running the case again:

    probability 0.31, right with a call, wrong without    -> right for each threshold up to 0.31

The best threshold has the highest mean of the rates of all kinds of cases, so that a kind with few cases counts as much
as one with many. It keeps at least nine of ten right calls: a model that gets few calls right, but no refusal wrong,
would have its best mean where it hardly calls at all. Of equal ones, the middle one is taken, because it is the least
sensitive to small changes.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from workbench.rollout.logprobs import LogprobsEngine, opening_of
from workbench.rollout.ports import Engine
from workbench.training.heldout import HeldOutCase, run_case

CANDIDATES: Final = tuple(step / 100 for step in (1, 2, *range(5, 100, 5), 98, 99))
"""The thresholds that are tried."""
_KEPT: Final = 0.9
"""The share of right calls that a threshold has to keep to be chosen."""
_ALWAYS: Final = 1e-30
_NEVER: Final = 1.0


class WeighedCase(NamedTuple):
    """A held-out case with both results and the probability of a call."""

    kind: str
    probability: float
    """Probability that the answer begins with a call, from 0 to 1."""
    is_right_with_call: bool
    is_right_without_call: bool

    def is_right(self, threshold: float) -> bool:
        """Return whether the completion is right with this call threshold."""
        return self.is_right_with_call if self.calls(threshold) else self.is_right_without_call

    def calls(self, threshold: float) -> bool:
        """Return whether the completion calls a tool with this call threshold."""
        return self.probability >= threshold


class ThresholdRow(NamedTuple):
    """The results of a call threshold."""

    threshold: float
    rates: Mapping[str, float]
    """Share of right completions, from 0 to 1, by the name of the kind."""
    mean: float
    """Mean of the rates."""
    kept: float
    """Right calls, as a share of those of the lowest candidate, from 0 to 1; 1 if there are none."""


def weigh_case(case: HeldOutCase, engine: Engine, *, is_constrained: bool) -> WeighedCase:
    """Run a case with and without a call, and compute the probability of a call.

    Raises:
        TypeError: The engine does not report probabilities.
    """
    if not isinstance(engine, LogprobsEngine):
        raise TypeError(f"engine {engine.name!r} does not report probabilities")
    decision = engine.decide(case.prompt, opening_of(case.family), (), is_cancelled=lambda: False)
    assert decision is not None
    with_call, without = (
        run_case(case, engine, is_constrained=is_constrained, call_threshold=threshold).is_right
        for threshold in (_ALWAYS, _NEVER)
    )
    return WeighedCase(case.kind, 1 - decision.no_call.probability, with_call, without)


def threshold_rows(cases: Sequence[WeighedCase]) -> tuple[ThresholdRow, ...]:
    """Return the results of all candidates, from the lowest to the highest.

    >>> cases = [WeighedCase("single", 0.3, True, False), WeighedCase("no call", 0.2, False, True)]
    >>> [(row.threshold, row.mean) for row in threshold_rows(cases) if row.threshold in (0.1, 0.25, 0.4)]
    [(0.1, 0.5), (0.25, 1.0), (0.4, 0.5)]
    """
    kinds = dict.fromkeys(case.kind for case in cases)
    right_calls = {
        threshold: sum(case.is_right_with_call and case.calls(threshold) for case in cases)
        for threshold in CANDIDATES
    }
    most = right_calls[CANDIDATES[0]]
    rows: list[ThresholdRow] = []
    for threshold in CANDIDATES:
        rates: dict[str, float] = {}
        for kind in kinds:
            right = [case.is_right(threshold) for case in cases if case.kind == kind]
            rates[kind] = sum(right) / len(right)
        kept = right_calls[threshold] / most if most else 1.0
        rows.append(ThresholdRow(threshold, rates, sum(rates.values()) / len(rates), kept))
    return tuple(rows)


def best_threshold(rows: Sequence[ThresholdRow]) -> float:
    """Return the threshold with the highest mean that keeps enough right calls, the middle one of equal ones."""
    keeping = [row for row in rows if row.kept >= _KEPT]
    most = max(row.mean for row in keeping)
    best = [row.threshold for row in keeping if row.mean == most]
    return best[len(best) // 2]

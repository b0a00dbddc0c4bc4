"""The result of a search: rates in each part, the front, and whether the chosen contract is better or shorter."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from statistics import fmean
from typing import Final, NamedTuple

from workbench.suite.card import score_card
from workbench.suite.compare import SIGNIFICANCE_LEVEL, ArmPoint, Interval, compare, pareto_front
from workbench.suite.plan import RunPlan
from workbench.suite.result import CaseResult
from workbench.suite.search_plan import Search

_ONE_SIDED_95: Final = 1.6448536269514722
_CHARS_PER_TOKEN: Final = 4
"""Used only if an engine does not report the length of its prompts."""


class Verdict(StrEnum):
    """What the final test says about the chosen contract."""

    BETTER = "better"
    """It passes significantly more cases of the kept part than the start."""
    SHORTER = "not better, but shorter and not worse"
    """It needs fewer tokens, and its pass rate is lower by less than the margin, with 95 % confidence."""
    NOT_BETTER = "not better"


class PartRate(NamedTuple):
    """How many repetitions of one part of the suite passed."""

    passed: int
    total: int
    rate: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRow:
    """One candidate in the table of a search."""

    label: str
    parent: str
    change: str
    """What was changed, from the start on, in order."""
    tokens: float | None
    """Mean length of the first prompts of the choosing part. None before it has run."""
    is_estimated: bool
    """Whether `tokens` is an estimate, because the engine does not report the length of its prompts."""
    rates: Mapping[str, PartRate]
    """Pass rates by part: `search`, `choose` and `kept`."""
    fixes: float
    """Fixes by the reader per answer."""
    is_on_front: bool

    @property
    def tokens_text(self) -> str:
        """The number of tokens for people: – if it is not known, with ≈ if it is an estimate."""
        return "–" if self.tokens is None else f"{'≈ ' * self.is_estimated}{self.tokens:.0f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOutcome:
    """The result of a search so far."""

    rows: tuple[CandidateRow, ...]
    """Candidates that ran, in the order in which they were proposed, the start first."""
    verdict: Verdict | None
    """None before the final test."""
    better: int = 0
    """Repetitions of the kept part that only the chosen contract passed."""
    worse: int = 0
    """Repetitions of the kept part that only the start passed."""
    p: float | None = None
    """p-value of McNemar's test on the kept part, multiplied by the number of looks at it."""
    lowest_difference: float | None = None
    """Lower bound of the difference of the pass rates in the kept part, with 95 % confidence."""


def outcome_of(plan: RunPlan, search: Search, results: Iterable[CaseResult]) -> SearchOutcome:
    """Return the table of the candidates, and the verdict if the kept part was opened."""
    by_arm: dict[str, list[CaseResult]] = defaultdict(list)
    for result in results:
        by_arm[result.arm].append(result)
    lengths = {arm.label: len(arm.contract_text) / _CHARS_PER_TOKEN for arm in plan.arms}
    tokens = {
        label: tokens_of(found, search, lengths[label]) for label, found in by_arm.items() if label in lengths
    }
    steps = [step for step in search.steps if not step.problem and by_arm.get(step.label)]
    front = front_of(search, by_arm, tokens)
    rows = [
        CandidateRow(
            label=step.label,
            parent=step.parent,
            change=step.change,
            tokens=tokens[step.label],
            is_estimated=not _lengths(by_arm[step.label], search),
            rates=_rates(search, by_arm[step.label]),
            fixes=fmean(sum(result.measures.fixes.values()) for result in by_arm[step.label]),
            is_on_front=step.label in front,
        )
        for step in steps
    ]
    if not search.chosen or not search.steps:
        return SearchOutcome(rows=tuple(rows), verdict=None)
    return _tested(search, tuple(rows), by_arm, tokens)


def front_of(
    search: Search, by_arm: Mapping[str, Sequence[CaseResult]], tokens: Mapping[str, float | None]
) -> tuple[str, ...]:
    """Return the labels of the candidates that no other beats in pass rate and tokens on the choosing part."""
    points: list[ArmPoint] = []
    for step in search.steps:
        found = in_part(by_arm.get(step.label, ()), search.parts.choose)
        cost = tokens.get(step.label)
        if not step.problem and cost is not None and is_complete(found, search.parts.choose):
            points.append(ArmPoint(label=step.label, cost=cost, worth=mean_share(found)))
    return tuple(point.label for point in pareto_front(tuple(points)))


def best_of(
    search: Search, by_arm: Mapping[str, Sequence[CaseResult]], tokens: Mapping[str, float | None]
) -> str:
    """Return the label of the candidate with the highest score in the choosing part; of equal ones, the shortest."""
    # The front is in order of tokens, so also of scores.
    return (front_of(search, by_arm, tokens) or (search.steps[0].label,))[-1]


def is_complete(results: Sequence[CaseResult], keys: Sequence[str]) -> bool:
    """Whether each case of a part has a result that was scored."""
    return bool(keys) and {result.case_key for result in results if result.is_checked} >= set(keys)


def in_part(results: Iterable[CaseResult], keys: Sequence[str]) -> list[CaseResult]:
    """Return the results of the cases of a part."""
    chosen = frozenset(keys)
    return [result for result in results if result.case_key in chosen]


def mean_share(results: Sequence[CaseResult]) -> float:
    """Return the mean score: the share of the expectations' weight that holds. 0 without results."""
    return fmean(result.share for result in results) if results else 0.0


def tokens_of(results: Iterable[CaseResult], search: Search, estimate: float) -> float | None:
    """Return the mean length of the first prompts in the choosing part, or None before it has run.

    Args:
        estimate: Used if the engine does not report the length of its prompts.
    """
    found = in_part(results, search.parts.choose)
    return fmean(_lengths(found, search) or [estimate]) if found else None


def _lengths(results: Iterable[CaseResult], search: Search) -> list[int]:
    """Return the lengths of prompts in the choosing part that the engine reported."""
    found = in_part(results, search.parts.choose)
    return [result.measures.prompt_tokens for result in found if result.measures.prompt_tokens is not None]


def lowest_difference(better: int, worse: int, total: int) -> float:
    """Return the lower bound of the difference of two paired rates, with one-sided 95 % confidence.

    Half a pair is added to each of the four cells, so that few pairs that all agree do not look certain:
    20 pairs without any difference give -0.074, not 0.

    *Source:* A. Agresti, Y. Min, "Simple improved confidence intervals for comparing matched proportions", 2005,
    https://doi.org/10.1002/sim.1781.
    """
    count, gained, lost = total + 2, better + 0.5, worse + 0.5
    difference = (gained - lost) / count
    spread = sqrt(max(0.0, gained + lost - (gained - lost) ** 2 / count)) / count
    return difference - _ONE_SIDED_95 * spread


def _rates(search: Search, results: Sequence[CaseResult]) -> dict[str, PartRate]:
    rates: dict[str, PartRate] = {}
    for name in ("search", "choose", "kept"):
        card = score_card("", in_part(results, getattr(search.parts, name)))
        rates[name] = PartRate(card.passed, card.passed + card.failed, card.pass_rate, card.interval)
    return rates


def _tested(
    search: Search,
    rows: tuple[CandidateRow, ...],
    by_arm: Mapping[str, Sequence[CaseResult]],
    tokens: Mapping[str, float | None],
) -> SearchOutcome:
    start = search.steps[0].label
    before = in_part(by_arm.get(start, ()), search.parts.kept)
    after = in_part(by_arm.get(search.chosen, ()), search.parts.kept)
    found = compare(before, after, arms=(start, search.chosen))
    # Each look at the kept part is another chance for a lucky contract, so each costs a share of the 5 %.
    p = None if found.p is None else min(1.0, found.p * max(1, search.looks))
    lowest = lowest_difference(found.fixed, found.broke, found.compared) if found.compared else None
    old, new = tokens.get(start), tokens.get(search.chosen)
    is_shorter = old is not None and new is not None and new < old
    verdict = Verdict.NOT_BETTER
    if p is not None and p < SIGNIFICANCE_LEVEL and found.fixed > found.broke:
        verdict = Verdict.BETTER
    elif is_shorter and lowest is not None and lowest > -search.settings.margin:
        verdict = Verdict.SHORTER
    return SearchOutcome(
        rows=rows, verdict=verdict, better=found.fixed, worse=found.broke, p=p, lowest_difference=lowest
    )

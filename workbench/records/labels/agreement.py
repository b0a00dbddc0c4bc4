"""Measure the agreement of labellers: Cohen's kappa.

*Source:* J. Cohen, "A Coefficient of Agreement for Nominal Scales", 1960.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorVerdict:
    """One labeller's word on one thing."""

    item: str
    labeller: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """How far two labellers agree."""

    labellers: tuple[str, str]
    """Sorted."""
    item_count: int
    """Things that both judged."""
    agreed_count: int
    """Of these, the ones of which they say the same."""
    kappa: float | None
    """1 is full agreement, 0 what chance would give, below is less; None where it is not defined."""
    problem: str
    """Why it is not defined; empty where it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorAgreement:
    """How far all labellers agree."""

    kappa: float | None
    """Of the one pair, or the mean over the pairs that have one; None where none has."""
    problem: str
    """Why it is not defined; empty where it is."""
    item_count: int
    """Things that two or more judged."""
    pairs: tuple[PairAgreement, ...]
    """Every two labellers, sorted."""


def agreement_of(judgements: Iterable[AnnotatorVerdict]) -> AnnotatorAgreement:
    """Works it out; of several words of a labeller on one thing the last counts."""
    by_labeller: dict[str, dict[str, str]] = {}
    for one in judgements:
        by_labeller.setdefault(one.labeller, {})[one.item] = one.verdict
    judged = Counter(item for verdicts in by_labeller.values() for item in verdicts)
    pairs = tuple(
        _pair((first, second), by_labeller[first], by_labeller[second])
        for first, second in combinations(sorted(by_labeller), 2)
    )
    kappas = [pair.kappa for pair in pairs if pair.kappa is not None]
    return AnnotatorAgreement(
        kappa=sum(kappas) / len(kappas) if kappas else None,
        problem="" if kappas else _problem(pairs),
        item_count=sum(labeller_count > 1 for labeller_count in judged.values()),
        pairs=pairs,
    )


def cohens_kappa(pairs: Sequence[tuple[str, str]]) -> Fraction | None:
    """Kappa of what two labellers said of the same things, exact; None where chance alone would agree on all.

    >>> cohens_kappa([("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "no")])
    Fraction(1, 2)

    Args:
        pairs: At least one.
    """
    size = len(pairs)
    agreed = Fraction(sum(first == second for first, second in pairs), size)
    firsts, seconds = (Counter(column) for column in zip(*pairs, strict=True))
    by_chance = Fraction(sum(firsts[word] * seconds[word] for word in firsts), size * size)
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def _pair(labellers: tuple[str, str], first: Mapping[str, str], second: Mapping[str, str]) -> PairAgreement:
    both = [(first[item], second[item]) for item in first if item in second]
    kappa = cohens_kappa(both) if both else None
    problem = ""
    if not both:
        problem = "they judged nothing in common"
    elif kappa is None:
        problem = f"both always say {both[0][0]!r}: chance would agree as well"
    return PairAgreement(
        labellers=labellers,
        item_count=len(both),
        agreed_count=sum(one == other for one, other in both),
        kappa=None if kappa is None else float(kappa),
        problem=problem,
    )


def _problem(pairs: Sequence[PairAgreement]) -> str:
    if not pairs:
        return "fewer than two labellers"
    reasons = {pair.problem for pair in pairs}
    return reasons.pop() if len(reasons) == 1 else "no two labellers have a kappa"

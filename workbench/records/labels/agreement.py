"""Measure how well labellers agree, as Cohen's kappa.

*Source:* J. Cohen, "A Coefficient of Agreement for Nominal Scales", 1960.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorVerdict:
    """A labeller's verdict on an item."""

    item: str
    labeller: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """Agreement of two labellers."""

    labellers: tuple[str, str]
    """Sorted."""
    item_count: int
    """Items that both labelled."""
    agreed_count: int
    """Items with the same verdict."""
    kappa: float | None
    """1 is full agreement, 0 is what chance would give, negative is less; None if it is not defined."""
    problem: str
    """Why kappa is not defined; empty if it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorAgreement:
    """Agreement of all labellers."""

    kappa: float | None
    """Mean kappa of the pairs that have one; None if no pair has one."""
    problem: str
    """Why kappa is not defined; empty if it is."""
    item_count: int
    """Items that two or more labelled."""
    pairs: tuple[PairAgreement, ...]
    """Every pair of labellers, sorted."""


def agreement_of(judgements: Iterable[AnnotatorVerdict]) -> AnnotatorAgreement:
    """Compute the agreement. If a labeller has several verdicts on an item, the last one counts."""
    by_labeller: dict[str, dict[str, str]] = {}
    for judgement in judgements:
        by_labeller.setdefault(judgement.labeller, {})[judgement.item] = judgement.verdict
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
    """Compute the exact kappa of two labellers, or None if chance alone would make them agree on everything.

    >>> cohens_kappa([("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "no")])
    Fraction(1, 2)

    Args:
        pairs: The two verdicts on each item; at least one item.
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
        problem = "they labelled no item in common"
    elif kappa is None:
        problem = f"both always chose {both[0][0]!r}, so chance would agree too"
    return PairAgreement(
        labellers=labellers,
        item_count=len(both),
        agreed_count=sum(left == right for left, right in both),
        kappa=None if kappa is None else float(kappa),
        problem=problem,
    )


def _problem(pairs: Sequence[PairAgreement]) -> str:
    if not pairs:
        return "fewer than two labellers"
    reasons = {pair.problem for pair in pairs}
    return reasons.pop() if len(reasons) == 1 else "no two labellers have a kappa"

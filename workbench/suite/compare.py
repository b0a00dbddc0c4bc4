"""Two runs, or two arms, of the same cases: what got better, what broke."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from workbench.suite.result import CaseResult, Status
from workbench.suite.statistics import mcnemar


class Change(StrEnum):
    """What became of a case, in the order in which one looks."""

    BROKE = "broke"
    """It passed, and fails now."""
    MENDED = "mended"
    """It failed, and passes now."""
    FAILS = "fails"
    """It fails as before."""
    PASSES = "passes"
    """It passes as before."""
    UNKNOWN = "unknown"
    """One of the two could not be played, or is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The same play in both."""

    suite: str
    """Name of the case's suite."""
    case_id: str
    """The case."""
    arm: str
    """Label of the arm in the second."""
    repetition: int
    """From 0."""
    change: Change
    """What became of it."""
    before: CaseResult | None
    """In the first; None where it is not there."""
    after: CaseResult | None
    """In the second; None where it is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How two runs differ."""

    pairs: tuple[Pair, ...]
    """What broke first, then what was mended, then the rest."""
    broke: int
    """Pairs."""
    mended: int
    """Pairs."""
    compared: int
    """Pairs that were scored in both."""
    p: float
    """McNemar's: how likely so uneven a split is by chance."""
    seconds: tuple[float, float]
    """What the model took in each, over the pairs compared."""
    prompt_tokens: tuple[int, int]
    """Length of the first prompts in each, over the pairs compared."""

    @property
    def is_sure(self) -> bool:
        """True where chance alone gives so uneven a split in fewer than one of twenty."""
        return self.p < 0.05


def compare(
    before: Iterable[CaseResult], after: Iterable[CaseResult], *, arms: tuple[str, str] | None = None
) -> Comparison:
    """Pairs the plays of two runs by arm, case and repetition.

    Args:
        before: Results of the first.
        after: Results of the second.
        arms: Labels of the one arm of each to compare. None pairs arms by their labels; where each has
            one arm alone, those two, whatever their labels.
    """
    first, second = list(before), list(after)
    if arms is None:
        labels = ({one.arm for one in first}, {one.arm for one in second})
        arms = (labels[0].pop(), labels[1].pop()) if len(labels[0]) == len(labels[1]) == 1 else None
    if arms is not None:
        first = [one for one in first if one.arm == arms[0]]
        second = [one for one in second if one.arm == arms[1]]
    found: dict[tuple[str, str, str, int], list[CaseResult | None]] = defaultdict(lambda: [None, None])
    for place, results in enumerate((first, second)):
        for one in results:
            found[("" if arms else one.arm, one.suite, one.case_id, one.repetition)][place] = one
    return _comparison([_pair(both[0], both[1]) for both in found.values()])


def _comparison(pairs: list[Pair]) -> Comparison:
    counts = {change: sum(one.change is change for one in pairs) for change in Change}
    known = [
        (one.before.measures, one.after.measures)
        for one in pairs
        if one.change is not Change.UNKNOWN and one.before and one.after
    ]
    order = list(Change)
    return Comparison(
        pairs=tuple(sorted(pairs, key=lambda one: order.index(one.change))),
        broke=counts[Change.BROKE],
        mended=counts[Change.MENDED],
        compared=len(known),
        p=mcnemar(counts[Change.MENDED], counts[Change.BROKE]),
        seconds=(sum(one.seconds for one, _ in known), sum(one.seconds for _, one in known)),
        prompt_tokens=(
            sum(one.prompt_tokens for one, _ in known),
            sum(one.prompt_tokens for _, one in known),
        ),
    )


def _pair(before: CaseResult | None, after: CaseResult | None) -> Pair:
    one = after or before
    if one is None:
        raise ValueError("a pair of nothing")
    return Pair(
        suite=one.suite,
        case_id=one.case_id,
        arm=one.arm,
        repetition=one.repetition,
        change=_change(before, after),
        before=before,
        after=after,
    )


def _change(before: CaseResult | None, after: CaseResult | None) -> Change:
    if before is None or after is None or Status.ERROR in (before.status, after.status):
        return Change.UNKNOWN
    if before.is_passed:
        return Change.PASSES if after.is_passed else Change.BROKE
    return Change.MENDED if after.is_passed else Change.FAILS

"""Two runs, or two arms, as the Suites tab holds them side by side."""

from dataclasses import dataclass
from typing import Final

from workbench.suite.compare import CaseChange, RunComparison, RunPair
from workbench.suite.reports.tables import comparison_line, told_result

TONES: Final = {CaseChange.BROKE: "bad", CaseChange.MENDED: "clean", CaseChange.UNKNOWN: "odd"}
"""Of what changed; all else is quiet."""
LONGEST: Final = 200
"""Characters of a reading in a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """The same play in both."""

    change: str
    """broke, mended, fails, passes or unknown."""
    tone: str
    """bad, clean, odd or quiet."""
    case: str
    """Its suite and id."""
    arm: str
    """Label of the arm in the second."""
    before: str
    """What came of it, with what was called or said."""
    after: str
    """The same in the second."""
    index: int
    """Its place in the comparison, to be opened by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonView:
    """How two differ."""

    title: str
    """Against what."""
    line: str
    """All of it in one line."""
    changed: tuple[PairView, ...]
    """What broke first, then what was mended."""
    rest: tuple[PairView, ...]
    """What did not change, or cannot be told."""


def show_comparison(comparison: RunComparison, *, against: str) -> ComparisonView:
    """How two runs or arms differ, regressions first.

    Args:
        comparison: Of the two.
        against: What the first is, for a person.
    """
    pairs = [_pair(index, pair) for index, pair in enumerate(comparison.pairs)]
    told = {CaseChange.BROKE.value, CaseChange.MENDED.value}
    return ComparisonView(
        title=f"Against {against}",
        line=comparison_line(comparison),
        changed=tuple(one for one in pairs if one.change in told),
        rest=tuple(one for one in pairs if one.change not in told),
    )


def shorten(text: str) -> str:
    """A text that a line of a table has room for; the whole stands where the line leads.

    >>> len(shorten("x" * 1000))
    200
    """
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _pair(index: int, pair: RunPair) -> PairView:
    repetition = f" · play {pair.repetition + 1}" if pair.repetition else ""
    return PairView(
        change=pair.change.value,
        tone=TONES.get(pair.change, "quiet"),
        case=f"{pair.suite}/{pair.case_id}{repetition}",
        arm=pair.arm,
        before=shorten(told_result(pair.before)),
        after=shorten(told_result(pair.after)),
        index=index,
    )

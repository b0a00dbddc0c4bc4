"""The score card of an arm: rates, costs and times over its results."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from workbench.suite.compare import Interval, pass_hat, wilson
from workbench.suite.result import CaseResult, CaseStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCard:
    """What the results of one arm come to; rates are from 0 to 1, None where there is nothing to divide by."""

    arm: str
    """The arm's label."""
    cases: int
    """Cases, each counted once."""
    plays: int
    """Results, repetitions too."""
    passed: int
    failed: int
    errors: int
    """Plays that could not be scored; no rate counts them."""
    pass_rate: float | None
    interval: Interval
    """Of the pass rate, 95 % (Wilson)."""
    flaky: tuple[str, ...]
    """Cases of which some plays passed and some failed."""
    pass_hat: float | None
    """Mean chance that all plays of a case pass, as many as the least played has; None without repetitions."""
    drop_rate: float | None
    """Dropped of all call blocks."""
    fix_rates: dict[str, float] = field(hash=False)
    """Code to repairs a scored play."""
    valid_rate: float | None
    """Calls that hold an offered tool's schema, of the calls that could be read."""
    wrong_tool_rate: float | None
    """Plays that called a tool which the case does not name, of those that should call."""
    needless_rate: float | None
    """Plays that called something, of those that should not."""
    prompt_tokens: float
    """Mean length of the first prompt."""
    completion_tokens: float
    """Mean of what the model wrote."""
    seconds: float
    """Sum of what the model took."""
    cost: float | None
    """Sum, in US dollars; None where a price is not known."""


def cards(results: Iterable[CaseResult]) -> tuple[ScoreCard, ...]:
    """One score card an arm, in the order in which arms come."""
    groups: dict[str, list[CaseResult]] = defaultdict(list)
    for result in results:
        groups[result.arm].append(result)
    return tuple(score_card(arm, group) for arm, group in groups.items())


def score_card(arm: str, results: Sequence[CaseResult]) -> ScoreCard:
    """What the results of one arm come to."""
    scored = [one for one in results if one.status is not CaseStatus.ERROR]
    measures = [one.measures for one in scored]
    passed = sum(one.is_passed for one in scored)
    plays = _plays(scored)
    calls, dropped = sum(one.calls for one in measures), sum(one.dropped for one in measures)
    calling = [one for one in measures if one.expects_call]
    silent = [one for one in measures if one.expects_call is False]
    costs = [one.cost for one in measures]
    return ScoreCard(
        arm=arm,
        cases=len({one.case_key for one in results}),
        plays=len(results),
        passed=passed,
        failed=len(scored) - passed,
        errors=len(results) - len(scored),
        pass_rate=_rate(passed, len(scored)),
        interval=wilson(passed, len(scored)),
        flaky=tuple(key for key, one in plays.items() if 0 < sum(one) < len(one)),
        pass_hat=_pass_hat(plays),
        drop_rate=_rate(dropped, calls + dropped),
        fix_rates=_fix_rates(scored),
        valid_rate=_rate(sum(one.valid_calls for one in measures), calls),
        wrong_tool_rate=_rate(sum(one.has_wrong_tool for one in calling), len(calling)),
        needless_rate=_rate(sum(one.is_needless for one in silent), len(silent)),
        prompt_tokens=fmean([one.prompt_tokens for one in measures] or [0]),
        completion_tokens=fmean([one.completion_tokens for one in measures] or [0]),
        seconds=sum(one.seconds for one in measures),
        cost=None if not costs or None in costs else sum(one or 0.0 for one in costs),
    )


def _plays(scored: Iterable[CaseResult]) -> dict[str, list[bool]]:
    """Whether each play of a case passed, by the case."""
    plays: dict[str, list[bool]] = defaultdict(list)
    for one in scored:
        plays[one.case_key].append(one.is_passed)
    return plays


def _pass_hat(plays: dict[str, list[bool]]) -> float | None:
    least = min(map(len, plays.values()), default=0)
    return fmean(pass_hat(sum(one), len(one), least) for one in plays.values()) if least > 1 else None


def _fix_rates(scored: Sequence[CaseResult]) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for one in scored:
        counts.update(one.measures.fixes)
    return {code: count / len(scored) for code, count in sorted(counts.items())}


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None

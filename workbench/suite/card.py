"""The score card of an arm: rates, costs and times over its results."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from workbench.chat.figures import known_sum
from workbench.suite.compare import Interval, pass_hat, wilson
from workbench.suite.result import CaseResult, CaseStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCard:
    """Rates, costs and times of one arm. Rates are from 0 to 1, or None if there is nothing to divide by."""

    arm: str
    cases: int
    """Number of cases, each counted once."""
    plays: int
    """Number of results: repetitions of all cases."""
    passed: int
    failed: int
    unchecked: int
    """Answers to cases without expectations. No rate counts them."""
    errors: int
    """Repetitions that could not be scored. No rate counts them."""
    pass_rate: float | None
    interval: Interval | None
    """95 % Wilson interval of the pass rate. None without a rate."""
    flaky: tuple[str, ...]
    """Keys of the cases of which some repetitions passed and some failed."""
    pass_hat: float | None
    """Mean of pass^k over the cases, where k is the smallest number of repetitions; None without repetitions."""
    pass_hats: "tuple[PassHat, ...]"
    """pass^k for each k from 1 to the smallest number of repetitions. Empty without repetitions."""
    void: int
    """Conversations in which the person made a mistake. No rate counts them."""
    needless_calls: float | None
    """Mean number of needless calls of a conversation. None without conversations."""
    drop_rate: float | None
    """Share of call blocks that were dropped."""
    fix_rates: dict[str, float] = field(hash=False)
    """Code of a fix to the number of these fixes per answer."""
    valid_rate: float | None
    """Share of readable calls that match the schema of an offered tool."""
    wrong_tool_rate: float | None
    """Share of repetitions that called a tool which the case does not name, of those that should call a tool."""
    needless_rate: float | None
    """Share of repetitions that called a tool, of those that should not."""
    prompt_tokens: float | None
    """Mean length of the first prompt, of the repetitions for which it is known. None if there are none."""
    completion_tokens: float | None
    """Mean number of generated tokens, likewise."""
    seconds: float
    """Total generation time."""
    cost: float | None
    """Total cost in US dollars, or None if a price is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassHat:
    """The estimated probability that `k` repetitions of a case all pass."""

    k: int
    rate: float
    interval: Interval
    """95 % interval over the cases."""


def make_cards(results: Iterable[CaseResult]) -> tuple[ScoreCard, ...]:
    """Return a score card for each arm, in the order of the first result of each arm."""
    by_arm: dict[str, list[CaseResult]] = defaultdict(list)
    for result in results:
        by_arm[result.arm].append(result)
    return tuple(score_card(arm, group) for arm, group in by_arm.items())


def make_cards_by_tag(results: Iterable[CaseResult]) -> dict[str, tuple[ScoreCard, ...]]:
    """Return a score card for each arm, by tag, sorted. A result with several tags is in each of them."""
    by_tag: dict[str, list[CaseResult]] = defaultdict(list)
    for result in results:
        for tag in result.tags:
            by_tag[tag].append(result)
    return {tag: make_cards(group) for tag, group in sorted(by_tag.items())}


def score_card(arm: str, results: Sequence[CaseResult]) -> ScoreCard:
    """Return the score card of the results of one arm."""
    void = sum(result.status is CaseStatus.VOID for result in results)
    unscored = (CaseStatus.ERROR, CaseStatus.VOID)
    answered = [result for result in results if result.status not in unscored]
    checked = [result for result in answered if result.is_checked]
    measures = [result.measures for result in answered]
    passed = sum(result.is_passed for result in checked)
    repetitions = _repetitions(checked)
    hats = _pass_hats(repetitions)
    calls = sum(measured.calls for measured in measures)
    dropped = sum(measured.dropped for measured in measures)
    should_call = [measured for measured in measures if measured.expects_call]
    should_not_call = [measured for measured in measures if measured.expects_call is False]
    return ScoreCard(
        arm=arm,
        cases=len({result.case_key for result in results}),
        plays=len(results),
        passed=passed,
        failed=len(checked) - passed,
        unchecked=len(answered) - len(checked),
        errors=len(results) - len(answered) - void,
        pass_rate=_rate(passed, len(checked)),
        interval=wilson(passed, len(checked)) if checked else None,
        flaky=tuple(key for key, passes in repetitions.items() if 0 < sum(passes) < len(passes)),
        pass_hat=hats[-1].rate if hats else None,
        pass_hats=hats,
        void=void,
        needless_calls=_mean(measured.needless_calls for measured in measures),
        drop_rate=_rate(dropped, calls + dropped),
        fix_rates=_fix_rates(answered),
        valid_rate=_rate(sum(measured.valid_calls for measured in measures), calls),
        wrong_tool_rate=_rate(sum(measured.has_wrong_tool for measured in should_call), len(should_call)),
        needless_rate=_rate(sum(measured.is_needless for measured in should_not_call), len(should_not_call)),
        prompt_tokens=_mean(measured.prompt_tokens for measured in measures),
        completion_tokens=_mean(measured.completion_tokens for measured in measures),
        seconds=sum(measured.seconds for measured in measures),
        cost=known_sum(measured.cost for measured in measures) if measures else None,
    )


def _repetitions(checked: Iterable[CaseResult]) -> dict[str, list[bool]]:
    """Return whether each repetition passed, by the key of the case."""
    repetitions: dict[str, list[bool]] = defaultdict(list)
    for result in checked:
        repetitions[result.case_key].append(result.is_passed)
    return repetitions


def _pass_hats(repetitions: dict[str, list[bool]]) -> tuple[PassHat, ...]:
    fewest, cases = min(map(len, repetitions.values()), default=0), len(repetitions)
    if fewest <= 1:
        return ()
    rates = (
        fmean(pass_hat(sum(passes), len(passes), k) for passes in repetitions.values())
        for k in range(1, fewest + 1)
    )
    return tuple(
        PassHat(k=k, rate=rate, interval=wilson(rate * cases, cases)) for k, rate in enumerate(rates, start=1)
    )


def _fix_rates(answered: Sequence[CaseResult]) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for result in answered:
        counts.update(result.measures.fixes)
    return {code: count / len(answered) for code, count in sorted(counts.items())}


def _mean(values: Iterable[int | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None

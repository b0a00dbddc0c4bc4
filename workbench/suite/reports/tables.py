"""The tables of a report as rows of text, the same for the terminal, Markdown and HTML."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.suite.card import ScoreCard
from workbench.suite.compare import RunComparison
from workbench.suite.reports.report import RunReport
from workbench.suite.result import CaseResult, CaseStatus

NONE = "–"
"""Stands where there is nothing to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under a head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def card_table(report: RunReport) -> Table:
    """One line an arm; columns that say nothing of any arm are left out."""
    return cards_table(report.cards, report.front)


def cards_table(cards: Sequence[ScoreCard], front: Sequence[str] = (), *, what: str = "arm") -> Table:
    """The same of any score cards, `what` of each it may be; those of `front` are marked."""
    head = (
        what, "passed", "rate", "95 %", "errors", "flaky", "pass^k", "dropped", "fixes", "valid calls",
        "wrong tool", "needless", "prompt tokens", "tokens out", "seconds", "cost",
    )  # fmt: skip
    rows = [_card_row(card, is_on_front=card.arm in front) for card in cards]
    always = {what, "passed", "rate", "95 %", "prompt tokens", "tokens out", "seconds"}
    kept = [
        place
        for place, name in enumerate(head)
        if name in always or any(row[place] not in (NONE, "0", "0 %") for row in rows)
    ]
    return Table(
        head=tuple(head[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in rows),
    )


def matrix_table(report: RunReport) -> Table | None:
    """Contracts × models: what passes of each contract's plays on each model, whatever the rest of the way.

    None where only one contract or only one model was played.
    """
    contracts = tuple(dict.fromkeys(arm.contract_name for arm in report.whole_arms))
    models = tuple(dict.fromkeys(arm.model for arm in report.whole_arms))
    if len(contracts) == 1 or len(models) == 1:
        return None
    cards = {card.arm: card for card in report.cards}
    plays: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for arm in report.whole_arms:
        if card := cards.get(arm.label):
            plays[arm.contract_name, arm.model].append((card.passed, card.passed + card.failed))
    rows = tuple((one, *(_told_share(plays[one, model]) for model in models)) for one in contracts)
    return Table(head=("contract", *models), rows=rows)


def plays_of(results: Iterable[CaseResult]) -> Mapping[str, Mapping[str, Sequence[CaseResult]]]:
    """The plays of each case in each arm, by the case's key and the arm's label, in order."""
    plays: dict[str, dict[str, list[CaseResult]]] = {}
    for one in results:
        plays.setdefault(one.case_key, {}).setdefault(one.arm, []).append(one)
    return plays


def failure_table(report: RunReport) -> Table:
    """One line for each play that did not pass, and why."""
    rows = tuple(
        (one.case_key, one.arm, one.status.value, one.reason, one.calls_told or one.answer or NONE)
        for one in report.results
        if not one.is_passed
    )
    return Table(head=("case", "arm", "", "why", "what came"), rows=rows)


def worth_table(report: RunReport) -> Table:
    """One line for each part that was left out, and for each way in which tools were varied."""
    rows = tuple(
        (one.of, one.change, f"−{one.lost} +{one.gained}", f"{one.saved_tokens:.0f}", f"{one.p:.3f}")
        for one in report.worths
    )
    return Table(head=("arm", "without, or with", "cases", "prompt tokens saved", "p"), rows=rows)


def change_table(comparison: RunComparison, *, is_whole: bool = False) -> Table:
    """One line for each play that broke or was mended, with both readings; all plays where `is_whole`."""
    changed = [one for one in comparison.pairs if is_whole or one.change.value in ("broke", "mended")]
    rows = tuple(
        (
            one.change.value,
            f"{one.suite}/{one.case_id}",
            one.arm,
            told_result(one.before),
            told_result(one.after),
        )
        for one in changed
    )
    return Table(head=("", "case", "arm", "before", "after"), rows=rows)


def comparison_line(comparison: RunComparison) -> str:
    """A comparison in one line."""
    sure = "not by chance" if comparison.is_sure else "may be chance"
    before, after = comparison.seconds
    return (
        f"{comparison.broke} broke, {comparison.mended} mended, of {comparison.compared} compared; "
        f"p = {comparison.p:.3f} (McNemar, {sure}); {before:.1f} s → {after:.1f} s"
    )


def told_plays(plays: Sequence[CaseResult]) -> str:
    """What came of the plays of a case in one arm."""
    if not plays:
        return NONE
    if len(plays) == 1:
        return plays[0].status.value
    passed = sum(one.is_passed for one in plays)
    errors = sum(one.status is CaseStatus.ERROR for one in plays)
    return f"{passed}/{len(plays) - errors}" + (f", {errors} errors" if errors else "")


def told_result(result: CaseResult | None) -> str:
    """What came of a play, with what was called or said."""
    if result is None:
        return NONE
    return f"{result.status.value}: {result.error or result.calls_told or result.answer or 'nothing'}"


def percent(rate: float | None) -> str:
    """A rate for a person.

    >>> percent(0.5), percent(None)
    ('50 %', '–')
    """
    return NONE if rate is None else f"{rate * 100:.0f} %"


def _told_share(plays: Sequence[tuple[int, int]]) -> str:
    passed, scored = sum(one for one, _ in plays), sum(one for _, one in plays)
    return f"{percent(passed / scored)} ({passed}/{scored})" if scored else NONE


def _card_row(card: ScoreCard, *, is_on_front: bool) -> tuple[str, ...]:
    fixes = ", ".join(f"{code} {rate:.2g}" for code, rate in card.fix_rates.items())
    return (
        card.arm,
        f"{card.passed}/{card.passed + card.failed}",
        percent(card.pass_rate),
        f"{card.interval.low * 100:.0f}–{card.interval.high * 100:.0f}",
        str(card.errors),
        str(len(card.flaky)),
        percent(card.pass_hat),
        percent(card.drop_rate),
        fixes or NONE,
        percent(card.valid_rate),
        percent(card.wrong_tool_rate),
        percent(card.needless_rate),
        f"{card.prompt_tokens:.0f}" + (" ●" if is_on_front else ""),
        f"{card.completion_tokens:.0f}",
        f"{card.seconds:.1f}",
        NONE if card.cost is None else f"${card.cost:.4f}",
    )

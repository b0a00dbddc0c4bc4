"""The tables of a report as rows of text, the same for the terminal, Markdown and HTML."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.chat.figures import NONE, figure
from workbench.suite.card import ScoreCard, make_cards_by_tag
from workbench.suite.compare import CHANGE_TEXTS, CaseChange, RunComparison
from workbench.suite.power import more_pairs, smallest_difference
from workbench.suite.reports.report import RunReport
from workbench.suite.result import CaseResult, CaseStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of text cells."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def card_table(report: RunReport) -> Table:
    """Return a table with a row for each arm. Columns without values are omitted."""
    return cards_table(report.cards, report.front)


def cards_table(cards: Sequence[ScoreCard], front: Sequence[str] = (), *, what: str = "arm") -> Table:
    """Return a table with a row for each score card. Columns without values are omitted.

    Args:
        front: Labels of the cards to mark with ●.
        what: Heading of the first column.
    """
    head = (
        what, "passed", "rate", "95 %", "errors", "flaky", "pass^k", "dropped", "fixes", "valid calls",
        "wrong tool", "needless", "prompt tokens", "tokens out", "seconds", "cost",
    )  # fmt: skip
    rows = [_card_row(card, is_on_front=card.arm in front) for card in cards]
    always = {what, "passed", "rate", "95 %", "prompt tokens", "tokens out", "seconds"}
    shown = [
        index
        for index, name in enumerate(head)
        if name in always or any(row[index] not in (NONE, "0", "0 %") for row in rows)
    ]
    return Table(
        head=tuple(head[index] for index in shown),
        rows=tuple(tuple(row[index] for index in shown) for row in rows),
    )


def matrix_table(report: RunReport) -> Table | None:
    """Return a table of contracts × models with the pass rate over all other settings.

    Returns None if the run has only one contract or only one model.
    """
    contracts = tuple(dict.fromkeys(arm.contract_name for arm in report.unchanged_arms))
    models = tuple(dict.fromkeys(arm.model for arm in report.unchanged_arms))
    if len(contracts) == 1 or len(models) == 1:
        return None
    cards = {card.arm: card for card in report.cards}
    counts: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for arm in report.unchanged_arms:
        if card := cards.get(arm.label):
            counts[arm.contract_name, arm.model].append((card.passed, card.passed + card.failed))
    rows = tuple(
        (contract, *(_share_text(counts[contract, model]) for model in models)) for contract in contracts
    )
    return Table(head=("contract", *models), rows=rows)


def results_by_case(results: Iterable[CaseResult]) -> Mapping[str, Mapping[str, Sequence[CaseResult]]]:
    """Group results by the key of the case, then by the label of the arm."""
    grouped: dict[str, dict[str, list[CaseResult]]] = {}
    for result in results:
        grouped.setdefault(result.case_key, {}).setdefault(result.arm, []).append(result)
    return grouped


def tag_table(report: RunReport) -> Table | None:
    """Return a table with a row for each tag and arm. None if no case has a tag."""
    by_tag = make_cards_by_tag(report.results)
    if not by_tag:
        return None
    has_arms = len(report.cards) > 1
    cards = [
        replace(card, arm=f"{tag} · {card.arm}" if has_arms else tag)
        for tag, tag_cards in by_tag.items()
        for card in tag_cards
    ]
    return cards_table(cards, what="tag · arm" if has_arms else "tag")


def failure_table(report: RunReport) -> Table:
    """Return a table with a row for each repetition that did not pass, and the reason."""
    rows = tuple(
        (
            result.case_key,
            result.arm,
            result.status.value,
            f"turn {result.turn}: {result.reason}" if result.turn else result.reason,
            result.calls_told or result.answer or NONE,
        )
        for result in report.results
        if result.status in (CaseStatus.FAILED, CaseStatus.ERROR, CaseStatus.VOID)
    )
    return Table(head=("case", "arm", "status", "reason", "output"), rows=rows)


def conversation_table(report: RunReport) -> Table:
    """Return a table with pass^k and what else is known of conversations, for each arm that had any."""
    talked = {result.arm for result in report.results if result.measures.turns}
    rows = tuple(
        (
            card.arm,
            ", ".join(
                f"{hat.k}: {format_percent(hat.rate)} ({hat.interval.low * 100:.0f}–{hat.interval.high * 100:.0f})"
                for hat in card.pass_hats
            )
            or NONE,
            str(card.void),
            figure(card.needless_calls, ".1f"),
            _blames([result for result in report.results if result.arm == card.arm]),
        )
        for card in report.cards
        if card.arm in talked
    )
    return Table(head=("arm", "pass^k (95 %)", "void", "needless calls", "who failed"), rows=rows)


def _blames(results: Sequence[CaseResult]) -> str:
    counts = Counter(result.blame.value for result in results if result.blame)
    return ", ".join(f"{who} {count}" for who, count in sorted(counts.items())) or NONE


def counts_text(counts: Mapping[str, int]) -> str:
    """Format numbers of fixes or findings by code.

    >>> counts_text({"trailing-comma": 1, "single-quotes": 2})
    'trailing-comma, single-quotes × 2'
    """
    return ", ".join(code if number == 1 else f"{code} × {number}" for code, number in counts.items())


def worth_table(report: RunReport) -> Table:
    """Return a table with a row for each removed part and for each variation of the tools."""
    rows = tuple(
        (
            worth.of,
            worth.change,
            f"−{worth.lost} +{worth.gained}",
            figure(worth.saved_tokens, ".0f"),
            f"{worth.p:.3f}",
        )
        for worth in report.worths
    )
    return Table(head=("arm", "removed or changed", "cases", "prompt tokens saved", "p"), rows=rows)


def change_table(comparison: RunComparison, *, is_whole: bool = False) -> Table:
    """Return a table with a row for each repetition that broke or was fixed, or for each one if `is_whole`."""
    changes = (CaseChange.BROKE, CaseChange.FIXED)
    changed = [pair for pair in comparison.pairs if is_whole or pair.change in changes]
    rows = tuple(
        (
            CHANGE_TEXTS[pair.change],
            f"{pair.suite}/{pair.case_id}",
            pair.arm,
            result_text(pair.before),
            result_text(pair.after),
        )
        for pair in changed
    )
    return Table(head=("change", "case", "arm", "before", "after"), rows=rows)


def comparison_line(comparison: RunComparison) -> str:
    """Return a comparison as one line."""
    if comparison.p is None:
        return "Nothing to compare: no case was checked in both runs"
    significance = "significant" if comparison.is_significant else "not significant"
    before, after = comparison.seconds
    return (
        f"{comparison.broke} broke, {comparison.fixed} fixed, {comparison.compared} compared; "
        f"p = {comparison.p:.3f} (McNemar, {significance}); {before:.1f} s → {after:.1f} s"
    )


def enough_line(pairs: int) -> str:
    """Return what a comparison with this many repetitions per arm can show."""
    least = smallest_difference(pairs)
    repetitions = f"{pairs} repetition{'' if pairs == 1 else 's'}"
    if least is None:
        return f"{repetitions} per arm cannot show any difference"
    return f"{repetitions} per arm can show a difference of {least * 100:.0f} points or more (80 % power)"


def more_line(comparison: RunComparison) -> str:
    """Return how many more repetitions would decide a comparison; empty if it is significant."""
    if comparison.p is None or comparison.is_significant:
        return ""
    more = more_pairs(comparison.fixed, comparison.broke, comparison.compared)
    if not more:
        return "Not decided: as many broke as were fixed" if more is None else ""
    return f"Not decided: about {more:,} more repetitions would show this difference (80 % power)"


def repetitions_text(results: Sequence[CaseResult]) -> str:
    """Return the results of a case in one arm as text: the status, or the number of passed repetitions."""
    if not results:
        return NONE
    if len(results) == 1:
        return results[0].status.value
    passed = sum(result.is_passed for result in results)
    checked = sum(result.is_checked for result in results)
    errors = sum(result.status is CaseStatus.ERROR for result in results)
    void = sum(result.status is CaseStatus.VOID for result in results)
    others = (f", {errors} error{'' if errors == 1 else 's'}" if errors else "") + (
        f", {void} void" if void else ""
    )
    return passed_text(passed, checked, len(results) - checked - errors - void) + others


def passed_text(passed: int, checked: int, unchecked: int, *, word: str = "") -> str:
    """Return how many answers passed, of those that were checked.

    Args:
        word: What follows the number that passed.

    >>> passed_text(3, 5, 0, word=" passed"), passed_text(0, 0, 20), passed_text(3, 5, 1)
    ('3/5 passed', '20 answers, no checks', '3/5 · 1 answer, no checks')
    """
    counts = [f"{passed}/{checked}{word}"] if checked or not unchecked else []
    if unchecked:
        counts.append(f"{unchecked:,} answer{'' if unchecked == 1 else 's'}, no checks")
    return " · ".join(counts)


def result_text(result: CaseResult | None) -> str:
    """Return the status of a result with its calls or answer."""
    if result is None:
        return NONE
    return f"{result.status.value}: {result.error or result.calls_told or result.answer or 'no output'}"


def format_percent(rate: float | None) -> str:
    """Format a rate for a person.

    >>> format_percent(0.5), format_percent(None)
    ('50 %', '–')
    """
    return NONE if rate is None else f"{rate * 100:.0f} %"


def _share_text(counts: Sequence[tuple[int, int]]) -> str:
    passed, scored = sum(passed for passed, _ in counts), sum(scored for _, scored in counts)
    return f"{format_percent(passed / scored)} ({passed}/{scored})" if scored else NONE


def _card_row(card: ScoreCard, *, is_on_front: bool) -> tuple[str, ...]:
    fixes = ", ".join(f"{code} {rate:.2g}" for code, rate in card.fix_rates.items())
    return (
        card.arm,
        passed_text(card.passed, card.passed + card.failed, card.unchecked),
        format_percent(card.pass_rate),
        f"{card.interval.low * 100:.0f}–{card.interval.high * 100:.0f}" if card.interval else NONE,
        str(card.errors),
        str(len(card.flaky)),
        format_percent(card.pass_hat),
        format_percent(card.drop_rate),
        fixes or NONE,
        format_percent(card.valid_rate),
        format_percent(card.wrong_tool_rate),
        format_percent(card.needless_rate),
        figure(card.prompt_tokens, ".0f") + (" ●" if is_on_front else ""),
        figure(card.completion_tokens, ".0f"),
        f"{card.seconds:.1f}",
        "$" * (card.cost is not None) + figure(card.cost, ".4f"),
    )

"""The tables of a search, for the terminal, for files and for the page."""

from workbench.suite.improve.outcome import PartRate, SearchOutcome, Verdict
from workbench.suite.reports.tables import Table
from workbench.suite.search_plan import Search


def search_table(search: Search, outcome: SearchOutcome) -> Table:
    """Return the start, the front and the chosen candidate, with the rates of the three parts."""
    shown = [row for row in outcome.rows if row.is_on_front or row.label == search.chosen or not row.parent]
    return Table(
        head=("candidate", "searched", "choosing", "kept", "tokens", "fixes"),
        rows=tuple(
            (
                row.label + (" (chosen)" if row.label == search.chosen else ""),
                *(_rate(row.rates[part]) for part in ("search", "choose", "kept")),
                row.tokens_text,
                f"{row.fixes:.2f}",
            )
            for row in shown
        ),
    )


def verdict_line(search: Search, outcome: SearchOutcome) -> str:
    """Return what the final test says, in one or two sentences."""
    if outcome.verdict is None or outcome.p is None or outcome.lowest_difference is None:
        return f"The search has no final test yet. {search.ended.capitalize()}".strip()
    tokens = {row.label: row.tokens for row in outcome.rows}
    before, after = tokens[outcome.rows[0].label], tokens[search.chosen]
    name = "Estimated prompt tokens" if outcome.rows[0].is_estimated else "Prompt tokens"
    shorter = "" if not before or after is None else f" {name}: {100 * (after - before) / before:+.0f} %."
    opened = "once" if search.looks == 1 else f"{search.looks} times, which makes the test stricter"
    wins = f"It passes {outcome.better} that the start fails, and fails {outcome.worse} that the start passes"
    lowest = "" if outcome.verdict is Verdict.BETTER else (
        f" Its pass rate may be lower by up to {max(0.0, -outcome.lowest_difference):.0%}."
    )  # fmt: skip
    return (
        f"{outcome.verdict.value.capitalize()}. {wins} (p = {outcome.p:.3f}).{lowest}{shorter}"
        f" The kept part was opened {opened}. The search ended: {search.ended}."
    )


def _rate(rate: PartRate) -> str:
    if rate.rate is None or rate.interval is None:
        return "–"
    return f"{rate.rate:.0%} ({rate.interval.low:.0%} to {rate.interval.high:.0%})"

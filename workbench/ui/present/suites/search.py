"""Show a search for a better contract: its candidates as a tree, and the front as a chart."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from workbench.app.improve.taking import proof_of
from workbench.suite.improve.outcome import CandidateRow, SearchOutcome
from workbench.suite.plan import RunPlan
from workbench.suite.reports.charts import Chart, ChartKind, ChartMark
from workbench.suite.reports.tables import format_percent
from workbench.suite.search_plan import Search, SearchStep
from workbench.ui.present.compare.signs import DiffWord, diff_words

_CONTEXT: Final = 40
"""Unchanged characters that are shown around a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateView:
    """A proposal of a search."""

    label: str
    depth: int
    """How many changes lead from the start to it."""
    change: str
    facts: str
    """How many cases passed and the prompt tokens, or why it was not run. Empty while it waits."""
    words: tuple[DiffWord, ...]
    """What differs from the candidate that it was made from."""
    is_best: bool
    """Whether no other candidate beats it in both aims."""
    is_chosen: bool
    has_run: bool
    """Whether it can be compared."""
    can_save: bool
    """Whether it can become a version: it was measured, and is not the start."""


def show_candidates(plan: RunPlan, outcome: SearchOutcome) -> tuple[CandidateView, ...]:
    """Return every proposal of a search, each below the one that it was made from."""
    if plan.search is None:
        return ()
    texts = {arm.label: arm.contract_text for arm in plan.arms}
    rows = {row.label: row for row in outcome.rows}
    return tuple(
        _candidate(plan.search, step, depth, rows.get(step.label), texts)
        for step, depth in _tree(plan.search.steps, "", 0)
    )


def _tree(steps: Sequence[SearchStep], parent: str, depth: int) -> Iterator[tuple[SearchStep, int]]:
    for step in steps:
        if step.parent == parent:
            yield step, depth
            yield from _tree(steps, step.label, depth + 1)


def _candidate(
    search: Search, step: SearchStep, depth: int, row: CandidateRow | None, texts: Mapping[str, str]
) -> CandidateView:
    before, after = texts.get(step.parent), texts.get(step.label)
    return CandidateView(
        label=step.label,
        depth=depth,
        change=step.change,
        facts=f"not run: {step.problem}" if step.problem else proof_of(row) if row else "",
        words=changed_words(before, after) if before and after else (),
        is_best=row is not None and row.is_on_front,
        is_chosen=step.label == search.chosen,
        has_run=row is not None,
        can_save=row is not None and bool(step.parent) and row.rates["choose"].rate is not None,
    )


@lru_cache(maxsize=1024)
def changed_words(before: str, after: str) -> tuple[DiffWord, ...]:
    """Return a word diff with little of what is the same. Empty if the texts are equal.

    >>> [(piece.kind, piece.text) for piece in changed_words("a" * 90 + " b", "a" * 90 + " c")]
    [('same', '…aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa '), ('drop', 'b'), ('add', 'c')]
    """
    words = diff_words(before, after)
    if all(word.kind == "same" for word in words):
        return ()
    last = len(words) - 1
    return tuple(
        word if word.kind != "same" else replace(word, text=_ends(word.text, place > 0, place < last))
        for place, word in enumerate(words)
    )


def _ends(text: str, has_before: bool, has_after: bool) -> str:  # noqa: FBT001
    """Return the ends of an unchanged text that touch a change."""
    head, tail = text[: _CONTEXT * has_before], text[len(text) - _CONTEXT * has_after :]
    return text if len(text) <= len(head) + len(tail) else f"{head}…{tail}"


def front_chart(outcome: SearchOutcome) -> tuple[Chart, ...]:
    """Return pass rate by prompt tokens in the choosing part, with the front as a line. Empty before it has run."""
    marks = tuple(
        ChartMark(
            y=rate.rate,
            x=row.tokens,
            low=rate.interval.low,
            high=rate.interval.high,
            is_full=row.is_on_front,
            label=f"{row.label}: {format_percent(rate.rate)}, {row.tokens_text} prompt tokens",
        )
        for row in outcome.rows
        if (rate := row.rates["choose"]).rate is not None and rate.interval and row.tokens is not None
    )
    chart = Chart(
        kind=ChartKind.POINTS, title="Front of the choosing part", x_label="prompt tokens", marks=marks
    )
    return (chart,) if marks else ()

"""A run prepared for reports: score cards, results, the effect of each part of a contract, and changes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from pydantic import TypeAdapter

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.rollout.tool_faults import FaultPlan
from workbench.suite.card import ScoreCard, make_cards, make_cards_by_tag
from workbench.suite.compare import (
    SIGNIFICANCE_LEVEL,
    ArmPoint,
    CaseChange,
    RunComparison,
    compare,
    pareto_front,
)
from workbench.suite.plan import Arm, RunPlan
from workbench.suite.result import CaseResult, result_document

_RESERVED: Final = re.compile(r"[^A-Za-z0-9_.~-]")
"""The characters that are percent-encoded in a query. *Source:* https://www.rfc-editor.org/rfc/rfc3986#section-2.3."""
LOCAL_PAGE: Final = "http://127.0.0.1:7860"
"""Default address of the workbench."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmGain:
    """The effect of a change to an arm."""

    of: str
    """Label of the unchanged arm."""
    change: str
    """The part that was removed, or the variation of the tools."""
    lost: int
    """Number of repetitions that pass without the change and fail with it."""
    gained: int
    """Number of repetitions that fail without the change and pass with it."""
    saved_tokens: float | None
    """By how many tokens the change shortens the first prompt, on average. None if that is not known."""
    p: float
    """p-value of McNemar's test."""

    @property
    def is_significant(self) -> bool:
        """Whether chance alone seldom has this effect; see `RunComparison.is_significant`."""
        return self.p < SIGNIFICANCE_LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """The data of a report."""

    run_id: str
    title: str
    state: str
    total: int
    """Number of jobs of the plan."""
    plan: RunPlan
    results: tuple[CaseResult, ...] = field(hash=False)
    """The results in the order of the plan."""
    cards: tuple[ScoreCard, ...] = field(hash=False)
    front: tuple[str, ...]
    """Labels of the arms that no other arm beats in pass rate and prompt tokens."""
    worths: tuple[ArmGain, ...]
    """Effects of removed parts and of varied tools."""
    comparison: RunComparison | None = None
    """Comparison with the baseline, or None without one."""
    baseline: str = ""

    @property
    def unchanged_arms(self) -> tuple[Arm, ...]:
        """The arms with a complete contract and unchanged tools."""
        return tuple(arm for arm in self.plan.arms if not arm.is_changed)

    @property
    def pass_rate(self) -> float | None:
        """Pass rate over the unchanged arms, or None if nothing was scored."""
        labels = {arm.label for arm in self.unchanged_arms}
        counted = [card for card in self.cards if card.arm in labels]
        scored = sum(card.passed + card.failed for card in counted)
        return sum(card.passed for card in counted) / scored if scored else None

    @property
    def errors(self) -> int:
        """Number of repetitions that could not be scored."""
        return sum(card.errors for card in self.cards)


def report_of(
    run_id: str,
    title: str,
    state: str,
    plan: RunPlan,
    results: Sequence[CaseResult],
    *,
    baseline: tuple[str, Sequence[CaseResult]] | None = None,
    arms: tuple[str, str] | None = None,
) -> RunReport:
    """Return the data of a report.

    Args:
        state: State of the run, such as `done` or `stopped`.
        results: The results so far.
        baseline: Title and results of a run to compare with, or None.
        arms: Label of the arm of the baseline and of this run to compare. None pairs arms with the same label.
    """
    score_cards = make_cards(results)
    points = tuple(
        ArmPoint(label=card.arm, cost=card.prompt_tokens, worth=card.pass_rate)
        for card in score_cards
        if card.pass_rate is not None and card.prompt_tokens is not None
    )
    return RunReport(
        run_id=run_id,
        title=title,
        state=state,
        total=plan.total,
        plan=plan,
        results=tuple(results),
        cards=score_cards,
        front=tuple(point.label for point in pareto_front(points)),
        worths=tuple(gains_of(plan.arms, results)),
        comparison=compare(baseline[1], results, arms=arms) if baseline else None,
        baseline=baseline[0] if baseline else "",
    )


def gains_of(arms: Sequence[Arm], results: Sequence[CaseResult]) -> Iterator[ArmGain]:
    """Yield the effect of each removed part and of each variation that has results."""
    for arm in arms:
        base = arm.left_out_of or arm.variation_of
        if not base:
            continue
        found = compare(results, results, arms=(base, arm.label))
        if found.p is None:
            continue
        before, after = found.prompt_tokens
        yield ArmGain(
            of=base,
            change=arm.left_out
            or (_faults_text(arm.faults, found) if arm.faults else f"tools {arm.variation}"),
            lost=found.broke,
            gained=found.fixed,
            saved_tokens=None if before is None or after is None else (before - after) / found.compared,
            p=found.p,
        )


def _faults_text(faults: FaultPlan, found: RunComparison) -> str:
    """Return the faults, and the share of the repetitions that pass in spite of them, of those that pass without."""
    kept = sum(pair.change is CaseChange.PASSES for pair in found.pairs)
    return f"{faults}, recovery {kept}/{kept + found.broke}"


def rollout_url(result: CaseResult, page_url: str) -> str:
    """Return the address where the page shows the rollout of a result; empty if it is not stored.

    Args:
        page_url: Address of the workbench. Empty for a report without links.
    """
    if not result.session_id or not page_url:
        return ""
    quoted = _RESERVED.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), result.session_id
    )
    message = f"&message={result.message_id}" if result.message_id else ""
    return f"{page_url}/?session={quoted}{message}"


_CARD: Final = TypeAdapter(ScoreCard)
_WORTH: Final = TypeAdapter(ArmGain)
_ARM: Final = TypeAdapter(Arm)


def _cards_json(cards: Sequence[ScoreCard]) -> list[JsonValue]:
    return [cast(JsonValue, _CARD.dump_python(card, mode="json")) for card in cards]


def report_json(report: RunReport, *, page_url: str = LOCAL_PAGE) -> JsonObject:
    """Return the report as JSON. Each result has the address of its rollout as `rollout`."""
    return {
        "run": report.run_id,
        "title": report.title,
        "state": report.state,
        "total": report.total,
        "pass_rate": report.pass_rate,
        "errors": report.errors,
        "arms": [cast(JsonValue, _ARM.dump_python(arm, mode="json")) for arm in report.plan.arms],
        "cards": _cards_json(report.cards),
        "front": list(report.front),
        "worths": [cast(JsonValue, _WORTH.dump_python(worth, mode="json")) for worth in report.worths],
        "tags": {tag: _cards_json(tag_cards) for tag, tag_cards in make_cards_by_tag(report.results).items()},
        "results": [
            {**result_document(result), "rollout": rollout_url(result, page_url) or None}
            for result in report.results
        ],
        "comparison": comparison_json(report.comparison) if report.comparison else None,
    }


def comparison_json(comparison: RunComparison) -> JsonObject:
    """Return a comparison as JSON."""
    return {
        "broke": comparison.broke,
        "mended": comparison.fixed,
        "compared": comparison.compared,
        "p": comparison.p,
        "is_sure": comparison.is_significant,
        "seconds": list(comparison.seconds),
        "prompt_tokens": list(comparison.prompt_tokens),
        "pairs": [
            {
                "suite": pair.suite,
                "case": pair.case_id,
                "arm": pair.arm,
                "repetition": pair.repetition,
                "change": pair.change.value,
                "before": result_document(pair.before) if pair.before else None,
                "after": result_document(pair.after) if pair.after else None,
            }
            for pair in comparison.pairs
        ],
    }

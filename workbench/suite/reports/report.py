"""A run prepared for reports: score cards, results, the gain of each part of a contract, and changes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from pydantic import TypeAdapter

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.suite.card import ScoreCard, cards
from workbench.suite.compare import ArmPoint, RunComparison, compare, front
from workbench.suite.plan import Arm, RunPlan
from workbench.suite.result import CaseResult, result_document

_RESERVED: Final = re.compile(r"[^A-Za-z0-9_.~-]")
"""What a query's value holds percent-encoded. *Source:* RFC 3986, 2.3."""
LOCAL_PAGE: Final = "http://127.0.0.1:7860"
"""Address of the workbench's page where nobody has said another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmGain:
    """What a change of an arm cost or gained."""

    of: str
    """Label of the arm that was changed."""
    change: str
    """What was left out, or varied."""
    lost: int
    """Plays that pass without the change and fail with it."""
    gained: int
    """Plays that fail without the change and pass with it."""
    saved_tokens: float
    """Mean length of the first prompt without the change, less that with it."""
    p: float
    """McNemar's: how likely so uneven a split is by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """All that is told of a run."""

    run_id: str
    title: str
    """For a person."""
    state: str
    total: int
    plan: RunPlan
    results: tuple[CaseResult, ...] = field(hash=False)
    """In the order of the plan."""
    cards: tuple[ScoreCard, ...] = field(hash=False)
    front: tuple[str, ...]
    """Labels of the arms that no other beats in pass rate and prompt tokens."""
    worths: tuple[ArmGain, ...]
    """Of parts that were left out, and of tools that were varied."""
    comparison: RunComparison | None = None
    """With a baseline; None where there is none."""
    baseline: str = ""

    @property
    def whole_arms(self) -> tuple[Arm, ...]:
        """Those of which nothing is left out or varied."""
        return tuple(arm for arm in self.plan.arms if not arm.left_out and arm.variation is None)

    @property
    def pass_rate(self) -> float | None:
        """Over all arms that are not changed; None where nothing was scored."""
        whole = {arm.label for arm in self.whole_arms}
        counted = [card for card in self.cards if card.arm in whole]
        scored = sum(card.passed + card.failed for card in counted)
        return sum(card.passed for card in counted) / scored if scored else None

    @property
    def errors(self) -> int:
        """Plays that could not be scored."""
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
    """What there is to tell of a run.

    Args:
        title: For a person.
        state: How far it is.
        plan: What it depended on.
        results: Of its plays, as far as there are any.
        baseline: Title and results of a run to compare with; None for none.
        arms: The one arm of the baseline and of this run to compare; None pairs arms by their labels.
    """
    made = cards(results)
    points = tuple(
        ArmPoint(label=card.arm, cost=card.prompt_tokens, worth=card.pass_rate)
        for card in made
        if card.pass_rate is not None
    )
    return RunReport(
        run_id=run_id,
        title=title,
        state=state,
        total=len(plan.jobs()),
        plan=plan,
        results=tuple(results),
        cards=made,
        front=tuple(point.label for point in front(points)),
        worths=tuple(worths_of(plan.arms, results)),
        comparison=compare(baseline[1], results, arms=arms) if baseline else None,
        baseline=baseline[0] if baseline else "",
    )


def worths_of(arms: Sequence[Arm], results: Sequence[CaseResult]) -> Iterator[ArmGain]:
    """What each part that was left out, and each variation, cost or gained; those that were played."""
    for arm in arms:
        base = arm.left_out_of or arm.variation_of
        if not base:
            continue
        found = compare(results, results, arms=(base, arm.label))
        if not found.compared:
            continue
        before, after = found.prompt_tokens
        yield ArmGain(
            of=base,
            change=arm.left_out or f"tools {arm.variation}",
            lost=found.broke,
            gained=found.mended,
            saved_tokens=(before - after) / found.compared,
            p=found.p,
        )


def rollout_url(result: CaseResult, page_url: str) -> str:
    """Where the page shows what was played and stored; empty where nothing was.

    Args:
        page_url: Of the workbench's page.
    """
    if not result.session_id:
        return ""
    quoted = _RESERVED.sub(lambda one: "".join(f"%{byte:02X}" for byte in one[0].encode()), result.session_id)
    return f"{page_url}/?session={quoted}"


_CARD: Final = TypeAdapter(ScoreCard)
_WORTH: Final = TypeAdapter(ArmGain)
_ARM: Final = TypeAdapter(Arm)


def report_json(report: RunReport, *, page_url: str = LOCAL_PAGE) -> JsonObject:
    """The report as one JSON object; each result has the address of its rollout as `rollout`."""
    return {
        "run": report.run_id,
        "title": report.title,
        "state": report.state,
        "total": report.total,
        "pass_rate": report.pass_rate,
        "errors": report.errors,
        "arms": [cast(JsonValue, _ARM.dump_python(arm, mode="json")) for arm in report.plan.arms],
        "cards": [cast(JsonValue, _CARD.dump_python(card, mode="json")) for card in report.cards],
        "front": list(report.front),
        "worths": [cast(JsonValue, _WORTH.dump_python(one, mode="json")) for one in report.worths],
        "results": [
            {**result_document(one), "rollout": rollout_url(one, page_url) or None} for one in report.results
        ],
        "comparison": comparison_json(report.comparison) if report.comparison else None,
    }


def comparison_json(comparison: RunComparison) -> JsonObject:
    """A comparison as one JSON object; pairs in the order in which one looks at them."""
    return {
        "broke": comparison.broke,
        "mended": comparison.mended,
        "compared": comparison.compared,
        "p": comparison.p,
        "is_sure": comparison.is_sure,
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

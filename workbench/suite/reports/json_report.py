"""A report as JSON; its fields stand in `docs/reference/suites.md`."""

from typing import Final, cast

from pydantic import TypeAdapter

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.suite.card import ScoreCard
from workbench.suite.compare import Comparison
from workbench.suite.plan import Arm
from workbench.suite.reports.report import LOCAL_PAGE, Report, Worth, rollout_url
from workbench.suite.result import result_document

_CARD: Final = TypeAdapter(ScoreCard)
_WORTH: Final = TypeAdapter(Worth)
_ARM: Final = TypeAdapter(Arm)


def report_json(report: Report, *, page_url: str = LOCAL_PAGE) -> JsonObject:
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


def comparison_json(comparison: Comparison) -> JsonObject:
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

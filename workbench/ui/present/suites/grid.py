"""Read the form of a run. Every combination of its values becomes an arm."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Final, NamedTuple

from workbench.app.runs.planning import RunRequest
from workbench.errors import BadInput
from workbench.rollout.sampling import Sampling
from workbench.rollout.setting_field import NumberRange
from workbench.rollout.tool_faults import FaultPlan
from workbench.suite.plan import RunPlan, ToolVariation
from workbench.suite.reports.tables import enough_line
from workbench.ui.present.fold import FoldView
from workbench.ui.present.words import MAX_TOKENS, SEED, TEMPERATURE, TOP_P, count

ABLATE: Final = "ablate"
"""Choice of further arms: the contract without each of its parts."""
OPEN_IMPROVE: Final = FoldView(label="Improve the contract", content="suites-improve-content", is_open=True)
"""The button of a search's fields, which shows them."""
FAULTS: Final = "faults"
"""Choice of further arms: faults planted in the answers of the tools."""
FURTHER: Final = (
    ("contract without each paragraph", ABLATE),
    ("renamed tools", ToolVariation.RENAMED.value),
    ("shuffled tools", ToolVariation.SHUFFLED.value),
    ("paraphrased descriptions", ToolVariation.PARAPHRASED.value),
    ("tools that fail at every fifth call", FAULTS),
)
"""Further arms, as pairs of label and value."""
GRAMMARS: Final = (("constrained", "on"), ("not constrained", "off"))
"""Whether calls are constrained with the schemas, as pairs of label and value."""
REPEAT: Final = NumberRange("Repetitions", 1, 1000)
LIMIT: Final = NumberRange("Max cases (0 for all)", 0, 100_000)
FIRST_SEED: Final = replace(SEED, label="First seed")
MOST_TOKENS: Final = replace(MAX_TOKENS, label="Max tokens")
TIMEOUT_S: Final = NumberRange("Timeout per case in seconds", 1, 3600)


class GridFields(NamedTuple):
    """The values of the fields, in the order of the tab."""

    suites: list[str]
    contracts: list[str]
    models: list[str]
    tool_choices: list[str]
    grammars: list[str]
    further: list[str]
    repeat: float
    temperatures: list[str]
    top_ps: list[str]
    seed: float
    max_tokens: float
    tags: list[str]
    limit: float | None
    timeout_s: float
    judge: str | None
    person: str | None


def read_grid(fields: GridFields) -> RunRequest:
    """Read the fields as a run request.

    Raises:
        BadInput: A field is empty or has an invalid value.
    """
    for label, selected in (
        ("Suites", fields.suites),
        ("Contracts", fields.contracts),
        ("Models", fields.models),
    ):
        if not selected:
            raise BadInput(label, "nothing is selected", "select at least one")
    samplings = tuple(
        Sampling(
            temperature=temperature,
            top_p=top_p,
            seed=FIRST_SEED.whole(fields.seed),
            max_tokens=MOST_TOKENS.whole(fields.max_tokens),
        )
        for temperature, top_p in product(
            _numbers(TEMPERATURE, fields.temperatures), _numbers(TOP_P, fields.top_ps)
        )
    )
    return RunRequest(
        suites=tuple(fields.suites),
        contracts=tuple(fields.contracts),
        models=tuple(fields.models),
        tool_choices=tuple(fields.tool_choices) or ("auto",),
        samplings=samplings,
        constraints=tuple(grammar == "on" for grammar in fields.grammars) or (True,),
        repeat=REPEAT.whole(fields.repeat),
        limit=LIMIT.whole(fields.limit or 0) or None,
        tags=tuple(fields.tags),
        is_ablation=ABLATE in fields.further,
        variations=tuple(variation for variation in ToolVariation if variation.value in fields.further),
        timeout_s=TIMEOUT_S.parse(fields.timeout_s),
        judge=fields.judge or "",
        person=fields.person or "",
        faults=FaultPlan(rate=0.2) if FAULTS in fields.further else None,
    )


def plan_size(plan: RunPlan) -> str:
    """Format the size of a run plan, and what a comparison of such runs can show."""
    runs, cases, arms = len(plan.jobs()), len(plan.cases), len(plan.arms)
    repetitions = f" × {count(plan.repeat, 'repetition')}" if plan.repeat > 1 else ""
    size = f"{count(runs, 'case run')}: {count(cases, 'case')} × {count(arms, 'arm')}{repetitions}"
    return f"{size}. {enough_line(runs // arms)}."


def _numbers(allowed: NumberRange, texts: Sequence[str]) -> tuple[float, ...]:
    """Parse the numbers of a field, without duplicates.

    Raises:
        BadInput: A text is not a number or out of range, or there are no numbers.
    """
    numbers = tuple(dict.fromkeys(_number(allowed, text) for text in texts))
    if not numbers:
        raise BadInput(allowed.label, "nothing is selected", "select at least one")
    return numbers


def _number(allowed: NumberRange, text: str) -> float:
    try:
        number = float(str(text).replace(",", "."))
    except ValueError as error:
        raise BadInput(allowed.label, f"{text!r} is not a number") from error
    if not allowed.least <= number <= allowed.most:
        raise BadInput(allowed.label, f"{text!r} is not between {allowed.least:g} and {allowed.most:g}")
    return number

"""The fields of a run: every combination of their values becomes an arm."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Final, NamedTuple

from workbench.app.runs.planning import RunRequest
from workbench.errors import BadInput
from workbench.rollout.sampling import Sampling
from workbench.rollout.setting_field import NumberRange
from workbench.suite.plan import RunPlan, ToolVariation
from workbench.ui.present.words import MAX_TOKENS, SEED, TEMPERATURE, TOP_P, count

ABLATE: Final = "ablate"
"""Among the further arms: the contract without each of its parts."""
FURTHER: Final = (
    ("without each paragraph of the contract", ABLATE),
    ("tools renamed", ToolVariation.RENAMED.value),
    ("tools in another order", ToolVariation.SHUFFLED.value),
    ("descriptions paraphrased", ToolVariation.PARAPHRASED.value),
)
"""What can be played besides, for a person and as a field has it."""
GRAMMARS: Final = (("with a grammar", "on"), ("without one", "off"))
"""Whether calls are held to a grammar."""
REPEAT: Final = NumberRange("Plays of each case", 1, 1000)
LIMIT: Final = NumberRange("Cases at most, 0 for all", 0, 100_000)
FIRST_SEED: Final = replace(SEED, label="Seed of the first play")
MOST_TOKENS: Final = replace(MAX_TOKENS, label="Tokens of a completion at most")
TIMEOUT_S: Final = NumberRange("Seconds a case may take", 1, 3600)


class GridFields(NamedTuple):
    """The fields' values, in the order of the tab."""

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


def read_grid(fields: GridFields) -> RunRequest:
    """What a run is asked for.

    Raises:
        BadInput: A field holds what cannot be used, or nothing.
    """
    for label, chosen in (
        ("Suites", fields.suites),
        ("Contracts", fields.contracts),
        ("Models", fields.models),
    ):
        if not chosen:
            raise BadInput(label, "nothing is chosen", "choose one or more")
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
        constraints=tuple(one == "on" for one in fields.grammars) or (True,),
        repeat=REPEAT.whole(fields.repeat),
        limit=LIMIT.whole(fields.limit or 0) or None,
        tags=tuple(fields.tags),
        is_ablation=ABLATE in fields.further,
        variations=tuple(one for one in ToolVariation if one.value in fields.further),
        timeout_s=TIMEOUT_S.parse(fields.timeout_s),
        judge=fields.judge or "",
    )


def told_size(plan: RunPlan) -> str:
    """How much a plan is to play."""
    plays, cases, arms = len(plan.jobs()), len(plan.cases), len(plan.arms)
    return f"{count(plays, 'play')}: {count(cases, 'case')} × {count(arms, 'arm')}" + (
        f" × {plan.repeat}" if plan.repeat > 1 else ""
    )


def _numbers(allowed: NumberRange, texts: Sequence[str]) -> tuple[float, ...]:
    """Numbers that a person chose or typed, each once.

    Raises:
        BadInput: One is none, or there is none at all.
    """
    numbers = tuple(dict.fromkeys(_number(allowed, text) for text in texts))
    if not numbers:
        raise BadInput(allowed.label, "nothing is chosen", "choose one or more")
    return numbers


def _number(allowed: NumberRange, text: str) -> float:
    try:
        number = float(str(text).replace(",", "."))
    except ValueError as error:
        raise BadInput(allowed.label, f"{text!r} is no number") from error
    if not allowed.least <= number <= allowed.most:
        raise BadInput(allowed.label, f"{text!r} is not between {allowed.least:g} and {allowed.most:g}")
    return number

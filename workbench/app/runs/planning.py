"""Plan a run from names: which suites, contracts, models and settings are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from workbench.app.runs.drafts import Drafts, shown_reference
from workbench.app.runs.suites import case_problems, offered_tools
from workbench.app.services import Services
from workbench.contract.contract import parse_contract, render_contract
from workbench.errors import BadInput
from workbench.records.run_config import RunConfig
from workbench.records.versions import name_in
from workbench.rollout.sampling import Sampling
from workbench.rollout.tool_faults import FaultPlan
from workbench.suite.case import Case, Suite, tagged
from workbench.suite.plan import SEPARATOR, SOLUTION, Arm, RunPlan, ToolVariation, labels_of, tools_key
from workbench.suite.variants import ablate
from workbench.toolspec.tools_text import render_tools

if TYPE_CHECKING:
    from workbench.toolbox.catalog import Catalog


_TITLE_ARMS: Final = 2
"""How many arms the title of a run names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a run compares, by name."""

    suites: tuple[str, ...]
    """Names of suites, as in `workbench.app.runs.suites`."""
    contracts: tuple[str, ...] = ()
    """References such as `minimal` or `minimal@3`. Empty takes the contract of the settings."""
    models: tuple[str, ...] = ()
    """Names as in `--model`. Empty takes the model of the settings."""
    tool_choices: tuple[str, ...] = ("auto",)
    samplings: tuple[Sampling, ...] = (Sampling(),)
    constraints: tuple[bool, ...] = (True,)
    """Whether forced calls are constrained by a grammar: True, False, or both."""
    repeat: int = 1
    """Repetitions of each case, each with another seed."""
    limit: int | None = None
    """The most cases. None runs all."""
    tags: tuple[str, ...] = ()
    """Only cases with one of these tags. Empty runs all."""
    is_ablation: bool = False
    """True also runs each contract without each of its parts."""
    variations: tuple[ToolVariation, ...] = ()
    """Also runs each contract with the tools varied in these ways."""
    max_rounds: int | None = None
    """The most completions of a turn, for cases that do not set it. None takes the value of the settings."""
    timeout_s: float = 120.0
    """Time limit of a case, in seconds."""
    at_once: int = 8
    """How many cases run at the same time, if the engine can serve several."""
    setup: RunConfig | None = None
    """The setup of a preset. It has the contract, variables, model, grammar and rounds that the request leaves empty,
    in place of the settings."""
    judge: str = ""
    """The model that judges rubrics. Empty takes the judge of the settings, or else the model of the arm."""
    person: str = ""
    """The model that acts as the persons of conversations. Empty follows the rules of the cases."""
    faults: FaultPlan | None = None
    """Also runs each contract with faults planted in the answers of its tools."""
    drafts: Drafts = field(default_factory=dict[str, str], hash=False)
    """Texts that `contracts` may name although they are not saved."""


def plan_run(services: Services, request: RunRequest, suites: Sequence[Suite]) -> RunPlan:
    """Return the plan of a run, with everything that its results depend on.

    Raises:
        BadInput: A suite, contract or tool cannot be used.
        StoreError: The versions cannot be read.
    """
    cases = [case for suite in suites for case in tagged(suite.cases, request.tags)]
    if request.limit is not None:
        cases = cases[: request.limit]
    if not cases:
        raise BadInput("run", "there are no cases to run", "choose other suites or tags")
    _refuse_duplicate_names(suites)
    catalog, first = services.tools, request.setup or services.settings
    _refuse_unusable(catalog, cases)
    _refuse_unplayable(cases, request)
    return RunPlan(
        cases=tuple(cases),
        arms=_arms(services, request),
        tools={tools_key(case): render_tools(offered_tools(catalog, case)) for case in cases},
        repeat=request.repeat,
        max_rounds=request.max_rounds or first.max_rounds,
        timeout_s=request.timeout_s,
        at_once=request.at_once,
        judge=request.judge or services.settings.judge,
        person=request.person,
    )


def title_of(plan: RunPlan) -> str:
    """Return the title of a run: its suites and its first arms."""
    suites = dict.fromkeys(case.suite for case in plan.cases)
    arms = [arm.label for arm in plan.arms if not arm.is_changed]
    more = f" and {len(arms) - _TITLE_ARMS} more" if len(arms) > _TITLE_ARMS else ""
    return f"{', '.join(suites)}: {', '.join(arms[:_TITLE_ARMS])}{more}"[:300]


def _refuse_duplicate_names(suites: Sequence[Suite]) -> None:
    names = [suite.name for suite in suites]
    for name in names:
        if names.count(name) > 1:
            raise BadInput("run", f"two suites are named {name!r}", "name each suite once")


def _refuse_unusable(catalog: Catalog, cases: Sequence[Case]) -> None:
    """Check the tools and mock rules of all cases before anything runs."""
    for case in cases:
        for problem in case_problems(catalog, case):
            where = f"suite {case.suite!r}, case {case.id!r}, {problem.where}"
            raise BadInput(where, problem.problem, problem.remedy)


def _refuse_unplayable(cases: Sequence[Case], request: RunRequest) -> None:
    """Check that each person can talk, and that each case has the solution that the run asks for."""
    for case in cases:
        where = f"suite {case.suite!r}, case {case.id!r}"
        if case.user is not None and not case.user.is_scripted and not request.person:
            remedy = "name a model that acts as the person: --person, or give the person rules"
            raise BadInput(f"{where}, user", "the person has no rules", remedy)
        if SOLUTION in request.models and not case.solution:
            raise BadInput(where, "it has no solution", "give it the key solution, or choose another model")


def _arms(services: Services, request: RunRequest) -> tuple[Arm, ...]:
    setup = request.setup
    contracts = request.contracts or (setup.contract_name if setup else services.settings.contract,)
    models = request.models or (setup.model if setup else services.settings.model,)
    own_text = setup.contract_text if setup and not request.contracts else None
    dimensions = (contracts, models, request.tool_choices, request.samplings, request.constraints)
    services.limits.check_arms(prod(map(len, dimensions)))
    combinations = list(
        product(contracts, models, request.tool_choices, request.samplings, request.constraints)
    )
    labels = labels_of([_parts(combination) for combination in combinations])
    if len(set(labels)) != len(labels):
        raise BadInput(
            "run", "a contract, a model or a setting is named more than once", "name each of them once"
        )
    complete = [
        Arm(
            label=label,
            contract_name=contract,
            contract_text=_text(services, contract, request) if own_text is None else own_text,
            model=model,
            tool_choice=choice,
            sampling=sampling,
            is_constrained=is_constrained,
            variables=setup.variables if setup else {},
            ephemeral=setup.ephemeral if setup else "",
        )
        for label, (contract, model, choice, sampling, is_constrained) in zip(
            labels, combinations, strict=True
        )
    ]
    return tuple(
        variant for arm in complete for variant in (arm, *_ablated(arm, request), *_varied(arm, request))
    )


def _text(services: Services, contract: str, request: RunRequest) -> str:
    draft = request.drafts.get(contract)
    return services.contract_version(contract).text if draft is None else draft


def _parts(combination: tuple[str, str, str, Sampling, bool]) -> tuple[str, ...]:
    """Return the readable parts of an arm's label."""
    contract, model, choice, sampling, is_constrained = combination
    name = PurePath(model).name if "/" in model and ":" not in model else model
    tokens = f"temperature {sampling.temperature:g}, top-p {sampling.top_p:g}, seed {sampling.seed}"
    return shown_reference(contract), name, choice, tokens, "grammar" if is_constrained else "no grammar"


def _ablated(arm: Arm, request: RunRequest) -> Sequence[Arm]:
    if not request.is_ablation:
        return ()
    contract = parse_contract(arm.contract_text, name=name_in(arm.contract_name))
    return [
        replace(
            arm,
            label=f"{arm.label} − {ablation.left_out}",
            contract_text=render_contract(ablation.contract),
            left_out=ablation.left_out,
            left_out_of=arm.label,
        )
        for ablation in ablate(contract)
    ]


def _varied(arm: Arm, request: RunRequest) -> Sequence[Arm]:
    return [
        replace(
            arm,
            label=f"{arm.label}{SEPARATOR}tools {variation.value}",
            variation=variation,
            variation_of=arm.label,
        )
        for variation in request.variations
    ] + [
        replace(arm, label=f"{arm.label}{SEPARATOR}{faults}", faults=faults, variation_of=arm.label)
        for faults in filter(None, [request.faults])
    ]

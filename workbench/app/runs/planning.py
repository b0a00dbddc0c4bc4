"""Plan a run from names: which suites, contracts, models and settings are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import PurePath
from typing import TYPE_CHECKING

from workbench.app.runs.suites import case_problems, offered_tools
from workbench.app.services import Services
from workbench.contract.contract import parse_contract, render_contract
from workbench.errors import BadInput
from workbench.records.versions import parse_reference
from workbench.rollout.sampling import Sampling
from workbench.suite.case import Case, Suite, tagged
from workbench.suite.plan import SEPARATOR, Arm, RunPlan, ToolVariation, labels_of, tools_key
from workbench.suite.variants import ablations
from workbench.toolspec.tools_text import render_tools

if TYPE_CHECKING:
    from workbench.toolbox.catalog import Catalog


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a person asks a run for."""

    suites: tuple[str, ...]
    """Names of suites; see `workbench.app.runs.suites`."""
    contracts: tuple[str, ...] = ()
    """References such as `minimal` or `minimal@3`; none takes the settings'."""
    models: tuple[str, ...] = ()
    """As `--model` takes them; none takes the settings'."""
    tool_choices: tuple[str, ...] = ("auto",)
    samplings: tuple[Sampling, ...] = (Sampling(),)
    constraints: tuple[bool, ...] = (True,)
    """With a grammar, without one, or both."""
    repeat: int = 1
    """Plays of each case, each with another seed."""
    limit: int | None = None
    """Cases at most; None plays all."""
    tags: tuple[str, ...] = ()
    """Cases with any of these; none takes all."""
    is_ablation: bool = False
    """True: each contract also without each of its parts."""
    variations: tuple[ToolVariation, ...] = ()
    """Each contract also with the tools varied so."""
    max_rounds: int | None = None
    """Completions, where a case does not say; None takes the settings'."""
    timeout_s: float = 120.0
    at_once: int = 8
    """Cases at the same time, where the engine takes many."""
    judge: str = ""
    """Model that judges; empty takes the settings' judge, else the arm's own model."""


def plan_run(services: Services, wanted: RunRequest, suites: Sequence[Suite]) -> RunPlan:
    """All plays that a person asks for, with everything that they depend on.

    Raises:
        BadInput: A suite, contract or tool cannot be used.
        StoreError: The versions cannot be read.
    """
    cases = [case for suite in suites for case in tagged(suite.cases, wanted.tags)]
    if wanted.limit is not None:
        cases = cases[: wanted.limit]
    if not cases:
        raise BadInput("run", "there is no case to play", "name other suites or tags")
    _refuse_doubles(suites)
    catalog = services.tools
    _refuse_unplayable(catalog, cases)
    return RunPlan(
        cases=tuple(cases),
        arms=_arms(services, wanted),
        tools={tools_key(case): render_tools(offered_tools(catalog, case)) for case in cases},
        repeat=wanted.repeat,
        max_rounds=wanted.max_rounds or services.settings.max_rounds,
        timeout_s=wanted.timeout_s,
        at_once=wanted.at_once,
        judge=wanted.judge or services.settings.judge,
    )


def title_of(plan: RunPlan) -> str:
    """A run's title: its suites, and what is compared."""
    suites = dict.fromkeys(case.suite for case in plan.cases)
    arms = [arm.label for arm in plan.arms if not arm.left_out and arm.variation is None]
    return f"{', '.join(suites)}: {', '.join(arms)}"[:300]


def _refuse_doubles(suites: Sequence[Suite]) -> None:
    names = [suite.name for suite in suites]
    for name in names:
        if names.count(name) > 1:
            raise BadInput("run", f"two suites are called {name!r}", "name each once")


def _refuse_unplayable(catalog: Catalog, cases: Sequence[Case]) -> None:
    """Whether tools, mock rules and tool choices can be used, before anything is played."""
    for case in cases:
        for problem in case_problems(catalog, case):
            where = f"suite {case.suite!r}, case {case.id!r}, {problem.where}"
            raise BadInput(where, problem.problem, problem.remedy)


def _arms(services: Services, wanted: RunRequest) -> tuple[Arm, ...]:
    contracts = wanted.contracts or (services.settings.contract,)
    models = wanted.models or (services.settings.model,)
    counted = (contracts, models, wanted.tool_choices, wanted.samplings, wanted.constraints)
    services.limits.check_arms(prod(map(len, counted)))
    ways = list(product(contracts, models, wanted.tool_choices, wanted.samplings, wanted.constraints))
    labels = labels_of([_parts(way) for way in ways])
    if len(set(labels)) != len(labels):
        raise BadInput("run", "it names a contract, a model or a way twice", "name each once")
    whole = [
        Arm(
            label=label,
            contract_name=contract,
            contract_text=services.contract_version(contract).text,
            model=model,
            tool_choice=choice,
            sampling=sampling,
            is_constrained=is_constrained,
        )
        for label, (contract, model, choice, sampling, is_constrained) in zip(labels, ways, strict=True)
    ]
    return tuple(one for arm in whole for one in (arm, *_ablated(arm, wanted), *_varied(arm, wanted)))


def _parts(way: tuple[str, str, str, Sampling, bool]) -> tuple[str, ...]:
    """What an arm is made of, each part for a person."""
    contract, model, choice, sampling, is_constrained = way
    name = PurePath(model).name if "/" in model and ":" not in model else model
    tokens = f"temperature {sampling.temperature:g}, top-p {sampling.top_p:g}, seed {sampling.seed}"
    return contract, name, choice, tokens, "grammar" if is_constrained else "no grammar"


def _ablated(arm: Arm, wanted: RunRequest) -> Sequence[Arm]:
    if not wanted.is_ablation:
        return ()
    contract = parse_contract(arm.contract_text, name=parse_reference(arm.contract_name).name)
    return [
        replace(
            arm,
            label=f"{arm.label} − {one.left_out}",
            contract_text=render_contract(one.contract),
            left_out=one.left_out,
            left_out_of=arm.label,
        )
        for one in ablations(contract)
    ]


def _varied(arm: Arm, wanted: RunRequest) -> Sequence[Arm]:
    return [
        replace(
            arm,
            label=f"{arm.label}{SEPARATOR}tools {variation.value}",
            variation=variation,
            variation_of=arm.label,
        )
        for variation in wanted.variations
    ]

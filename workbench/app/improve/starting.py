"""Start a search: plan its run from names, and refuse one that its owner may not start."""

from dataclasses import dataclass, replace

from workbench.app.improve.examples import session_examples
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.services import Services
from workbench.contract.contract import parse_contract
from workbench.engines.all_models import HF_INFERENCE
from workbench.errors import BadInput
from workbench.records.owner import UserRole
from workbench.records.runs import StoredRun
from workbench.records.versions import name_in
from workbench.settings import Secret
from workbench.suite.case import Suite
from workbench.suite.plan import RunPlan
from workbench.suite.search_plan import Search, SearchMode, SearchSettings
from workbench.suite.suite_split import split_cases


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What a search starts from, by name."""

    run: RunRequest
    """Suites, one contract, one model, and repetitions."""
    settings: SearchSettings
    examples_tag: str = ""
    """Tag of the sessions that give examples. Empty for none."""


def plan_search(services: Services, request: SearchRequest, suites: list[Suite]) -> RunPlan:
    """Return the plan of a search, with the start as its only arm.

    Raises:
        BadInput: A suite, contract or tool cannot be used, or the suite is too small to be split.
        StoreError: The versions cannot be read.
    """
    settings = request.settings
    if settings.mode is SearchMode.EXAMPLES and not request.examples_tag:
        raise BadInput("examples", "no sessions are named", "name a tag with --examples-from")
    plan = plan_run(services, request.run, suites)
    if len(plan.arms) != 1:
        raise BadInput("improve", "it improves one contract with one model", "name one of each")
    arm = plan.arms[0]
    family = parse_contract(arm.contract_text, name=name_in(arm.contract_name)).family
    tag = request.examples_tag
    pool = session_examples(services, tag, family) if tag else ()
    parts = split_cases(plan.cases, settings.seed)
    plan = replace(plan, search=Search(settings=settings, parts=parts, pool=pool))
    # The start on all parts, and one candidate on the choosing and the kept part.
    least = max(1, plan.repeat) * (len(plan.cases) + len(parts.choose) + len(parts.kept))
    if settings.runs < least:
        problem = f"a budget of {settings.runs} case runs is too small for {len(plan.cases)} cases"
        raise BadInput("improve", problem, f"allow at least {least}")
    return plan


def begin_search(services: Services, plan: RunPlan, *, token: Secret | None = None) -> StoredRun:
    """Store a new search.

    Raises:
        BadInput: The search exceeds the owner's limits, or a visitor names a model that others pay for.
        StoreError: It could not be stored.
    """
    arm = plan.arms[0]
    reflect = plan.search.settings.reflect if plan.search else ""
    refuse_lent_model(services, (arm.model, *filter(None, (reflect,))), token)
    services.limits.check_plan(plan)
    suites = ", ".join(dict.fromkeys(case.suite for case in plan.cases))
    return services.runs.create_run(f"improve {arm.label}: {suites}"[:300], plan)


def refuse_lent_model(services: Services, models: tuple[str, ...], token: Secret | None) -> None:
    """Refuse a search by a visitor that does not use the visitor's own model.

    Raises:
        BadInput: It is such a search.
    """
    if services.owner.role is not UserRole.VISITOR:
        return
    if token is None or not all(model.startswith(HF_INFERENCE) for model in models):
        remedy = f"sign in and choose a model that begins with {HF_INFERENCE}, or run the workbench yourself"
        raise BadInput("improve", "a search needs thousands of completions of your own model", remedy)

"""Run only the failing cases of a run again, with the contracts as they are now."""

from collections.abc import Sequence
from dataclasses import replace

from workbench.app.runs.drafts import DRAFT, Drafts
from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.records.versions import name_in
from workbench.suite.plan import Arm, RunPlan
from workbench.suite.result import CaseResult, CaseStatus


def plan_failing(services: Services, plan: RunPlan, results: Sequence[CaseResult], drafts: Drafts) -> RunPlan:
    """Return the plan of a run with the cases that did not always pass.

    Each arm has the draft of its contract if there is one, or else its newest version, unless the run named a version.
    Its label stays, so that the two runs can be compared. Arms with a part left out are not run.

    Raises:
        BadInput: Every case passed, or a contract no longer exists.
        StoreError: The versions cannot be read.
    """
    failing = {result.case_key for result in results if result.status is not CaseStatus.PASSED}
    cases = tuple(case for case in plan.cases if case.key in failing)
    if not cases:
        raise BadInput("run", "no case failed", "change the contract, and run the suites again")
    arms = tuple(_now(services, arm, drafts) for arm in plan.arms if not arm.left_out)
    # The arms of a search are its candidates, which share one contract.
    return replace(plan, cases=cases, arms=arms[:1] if plan.search else arms, search=None)


def _now(services: Services, arm: Arm, drafts: Drafts) -> Arm:
    reference = arm.contract_name.removesuffix(DRAFT)
    name = name_in(reference)
    if reference != name:
        return arm
    if (draft := drafts.get(name + DRAFT)) is not None:
        return replace(arm, contract_name=name + DRAFT, contract_text=draft)
    return replace(arm, contract_name=name, contract_text=services.contract_version(name).text)

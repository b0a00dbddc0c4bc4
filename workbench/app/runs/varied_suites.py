"""Make more conversations from those of a suite, and keep those that can be solved."""

from collections.abc import Callable
from dataclasses import dataclass

from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run
from workbench.app.runs.suites import offered_tools
from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.suite.case import Case, Suite
from workbench.suite.case_variation import varied_case
from workbench.suite.plan import SOLUTION
from workbench.suite.read_suite import parse_case
from workbench.toolbox.entry import Staging


@dataclass(frozen=True, slots=True, kw_only=True)
class VariedSuite:
    """Variations of the conversations of a suite."""

    suite: Suite
    """The variations that their solution passes."""
    tried: int
    run_id: str
    """The run of the solutions, which proves that the variations can be solved."""


def vary_suite(
    services: Services, suite: Suite, *, count: int, seed: int, name: str, is_cancelled: Callable[[], bool]
) -> VariedSuite:
    """Return variations of the conversations with a solution, in turn.

    Args:
        count: How many to try.
        name: Name of the new suite.

    Raises:
        BadInput: No case has a person with rules and a solution.
        StoreError: The run could not be stored.
    """
    sources = [case for case in suite.cases if case.user and case.user.is_scripted and case.solution]
    if not sources:
        raise BadInput(
            f"suite {suite.name!r}",
            "no case has a person with rules and a solution",
            "give it the key solution",
        )
    cases = [
        _varied(services, sources[index % len(sources)], index // len(sources) + 1, seed, name)
        for index in range(count)
    ]
    tried = Suite(name=name, description=f"Variations of {suite.name}", cases=tuple(cases))
    run = begin_run(services, plan_run(services, RunRequest(suites=(name,), models=(SOLUTION,)), [tried]))
    for _ in execute_run(services, run, is_cancelled=is_cancelled):
        pass
    solved = {result.case_id for result in services.runs.results(run.id) if result.is_passed}
    kept = tuple(case for case in cases if case.id in solved)
    return VariedSuite(
        suite=Suite(name=name, description=tried.description, cases=kept), tried=len(cases), run_id=run.id
    )


def _varied(services: Services, case: Case, number: int, seed: int, name: str) -> Case:
    catalog = services.tools
    start = catalog.world_start(
        offered_tools(catalog, case).names, Staging(mocks=case.mocks, world=case.world)
    )
    declared = catalog.world_start(offered_tools(catalog, case).names)
    return parse_case(varied_case(case, start, declared=declared, number=number, seed=seed), suite=name)

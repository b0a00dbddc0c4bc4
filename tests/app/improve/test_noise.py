"""A search over random scores says "not better": what it found by luck does not survive the part that it never saw."""

from collections import Counter
from types import SimpleNamespace

import pytest

from tests.app.improve.planted import HEAD, PLANTED, PlantedModel, suite_of
from tests.fakes import SteppedCalendar
from workbench.app.improve.bench import Bench
from workbench.app.improve.running import search_with
from workbench.records.runs import StoredRun
from workbench.suite.improve.outcome import Verdict, outcome_of
from workbench.suite.plan import Arm, RunPlan
from workbench.suite.search_plan import Search, SearchSettings
from workbench.suite.suite_split import split_cases

CASES = suite_of().cases


class MemoryRuns:
    """The parts of a run store that a bench uses, in memory."""

    def results(self, run_id):
        return ()

    def save_result(self, run_id, result):
        pass

    def change_plan(self, run_id, plan):
        pass

    def list_runs(self, *, limit):
        return ()


def verdict_of(seed):
    """Return the verdict of a search in which every answer passes with a probability of one half."""
    settings = SearchSettings(seed=seed, runs=250)
    arm = Arm(label="planted", contract_name="planted", contract_text=HEAD + PLANTED, model="noise")
    plan = RunPlan(cases=CASES, arms=(arm,), search=Search(settings=settings, parts=split_cases(CASES, seed)))
    stored = StoredRun(listed=SimpleNamespace(id=str(seed)), plan=plan)
    services = SimpleNamespace(runs=MemoryRuns(), calendar=SteppedCalendar())
    results = []
    bench = Bench(
        services, stored, PlantedModel(chance=seed), lambda: False, lambda event: results.append(event.result)
    )
    search_with(bench)
    return outcome_of(bench.plan, bench.search, results).verdict


@pytest.mark.parametrize(("seeds", "least"), [(25, 23), pytest.param(100, 95, marks=pytest.mark.long)])
@pytest.mark.slow
def test_a_search_over_noise_finds_nothing_better_in_nearly_all_seeds(seeds, least):
    verdicts = Counter(map(verdict_of, range(seeds)))
    assert verdicts[None] == 0
    not_better = sum(verdicts[verdict] for verdict in (Verdict.NOT_BETTER, Verdict.SHORTER))
    assert not_better >= least, verdicts

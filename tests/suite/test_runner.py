"""Runs: order, time limits, resuming, stopping, and errors as opposed to failures."""

import threading
from dataclasses import replace

import pytest

from tests.fakes import SteppedCalendar
from tests.suite.rollouts import CALL, case, rollout
from workbench.errors import EngineError
from workbench.rollout.events import EndReason
from workbench.suite.card import make_cards
from workbench.suite.case_rollout import RubricVerdict
from workbench.suite.plan import Arm, RunPlan, ToolVariation, labels_of, plan_document, plan_value
from workbench.suite.result import CaseStatus, result_document, result_value
from workbench.suite.runner import CaseFinished, CaseStarted, RunEnded, run

TEXT = "---\ntitle: T\nfamily: hermes-lines\n---\nCall tools.\n"


class FakeExecutor:
    """Returns the rollout that a test gives for each job, and records the jobs."""

    def __init__(self, rollout_for=None, at_once=1, group_of=lambda arm: arm.label):
        self.jobs = []
        self.group_of = group_of
        self._at_once = at_once
        self._rollout_for = rollout_for or (lambda job: rollout(CALL))

    def at_once(self, arm):
        return self._at_once

    def run(self, job, *, is_cancelled):
        self.jobs.append((job.arm.label, job.case.id, job.repetition))
        return self._rollout_for(job)

    def judge(self, rubric, job, rollout, *, is_cancelled):
        return RubricVerdict(rubric == "good", "so it is", "judge")


def arm(label, **more):
    return Arm(label=label, contract_name=label, contract_text=TEXT, model="scripted", **more)


def plan(*ids, arms=("a",), **more):
    cases = tuple(case({"call_count": 1}, id=case_id) for case_id in ids)
    return RunPlan(cases=cases, arms=tuple(map(arm, arms)), **more)


def events_of(run_plan, executor, **more):
    options = {"clock": SteppedCalendar(), "timeout_s": 1000.0, "is_cancelled": lambda: False} | more
    return list(run(run_plan.jobs(), executor, **options))


def results(events):
    return [event.result for event in events if isinstance(event, CaseFinished)]


def test_jobs_are_run_arm_by_arm_and_cases_with_the_same_tools_follow_each_other():
    cases = tuple(
        case({"no_call": True}, id=case_id, tools=tools)
        for case_id, tools in (("1", ["x"]), ("2", ["y"]), ("3", ["x"]))
    )
    executor = FakeExecutor()
    events_of(RunPlan(cases=cases, arms=(arm("a"), arm("b")), repeat=2), executor)
    order = [("1", 0), ("1", 1), ("3", 0), ("3", 1), ("2", 0), ("2", 1)]
    assert executor.jobs == [(label, *job) for label in "ab" for job in order]


def test_progress_counts_finished_and_passed_jobs_and_estimates_the_time_left():
    events = events_of(
        plan("1", "2", "3"), FakeExecutor(lambda job: rollout("no" if job.case.id == "2" else CALL))
    )
    progress = [event.progress for event in events if isinstance(event, CaseFinished)]
    counts = [(step.done, step.passed, step.total) for step in progress]
    assert counts == [(1, 1, 3), (2, 1, 3), (3, 2, 3)]
    assert progress[0].seconds_left > progress[1].seconds_left > progress[2].seconds_left == 0
    assert isinstance(events[0], CaseStarted)
    assert events[-1] == RunEnded(is_cancelled=False, progress=progress[-1])


def test_an_engine_that_fails_is_an_error_and_not_a_failure():
    def rollout_for(job):
        if job.case.id == "2":
            raise EngineError("out of memory")
        return rollout(CALL)

    found = results(events_of(plan("1", "2", "3"), FakeExecutor(rollout_for)))
    assert [result.status for result in found] == [CaseStatus.PASSED, CaseStatus.ERROR, CaseStatus.PASSED]
    assert found[1].error == "out of memory"
    [card] = make_cards(found)
    assert (card.plays, card.passed, card.failed, card.errors, card.pass_rate) == (3, 2, 0, 1, 1.0)


def test_every_case_of_an_arm_with_a_missing_model_is_an_error():
    class Missing(FakeExecutor):
        def at_once(self, arm):
            raise EngineError("no such model")

    errors = [result.error for result in results(events_of(plan("1", "2"), Missing()))]
    assert errors == ["no such model"] * 2


def test_a_case_that_takes_too_long_is_stopped_and_is_an_error():
    class Slow(FakeExecutor):
        def run(self, job, *, is_cancelled):
            while not is_cancelled():
                pass
            return replace(rollout(CALL), end=EndReason.CANCELLED)

    found = results(events_of(plan("1", "2"), Slow(), timeout_s=20.0))
    assert [result.error for result in found] == ["stopped after the time limit of 20 s"] * 2


def test_an_interrupted_connection_is_an_error():
    broken = replace(rollout("The"), end=EndReason.INTERRUPTED, problem="the server hung up")
    [result] = results(events_of(plan("1"), FakeExecutor(lambda job: broken)))
    assert (result.status, result.error) == (CaseStatus.ERROR, "the server hung up")


def test_a_stopped_run_keeps_its_results_and_leaves_the_rest():
    stop = threading.Event()

    def rollout_for(job):
        if job.case.id == "2":
            stop.set()
            return replace(rollout("…"), end=EndReason.CANCELLED)
        return rollout(CALL)

    run_plan = plan("1", "2", "3", arms=("a", "b"))
    events = events_of(run_plan, FakeExecutor(rollout_for), is_cancelled=stop.is_set)
    assert [result.case_id for result in results(events)] == ["1"]
    assert events[-1].is_cancelled


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_resumed_run_runs_only_the_remaining_jobs_and_gives_the_same_results(at_once):
    run_plan = plan("1", "2", "3", "4", arms=("a", "b"))
    uninterrupted = results(events_of(run_plan, FakeExecutor()))
    executor = FakeExecutor(at_once=at_once)
    events = events_of(run_plan, executor, done=uninterrupted[:5])
    assert sorted(executor.jobs) == [("b", "2", 0), ("b", "3", 0), ("b", "4", 0)]
    by_key = {result.key: result for result in [*uninterrupted[:5], *results(events)]}
    assert [by_key[job.key] for job in run_plan.jobs()] == uninterrupted
    assert events[-1].progress.done == 8


def test_cases_run_at_the_same_time_up_to_the_limit():
    lock, running, peak = threading.Lock(), [0], [0]
    barrier = threading.Barrier(3, timeout=30)

    def rollout_for(job):
        with lock:
            running[0] += 1
            peak[0] = max(peak[0], running[0])
        barrier.wait()
        with lock:
            running[0] -= 1
        return rollout(CALL)

    found = results(events_of(plan(*"123456"), FakeExecutor(rollout_for, at_once=3)))
    assert (len(found), peak[0]) == (6, 3)


def test_cases_of_arms_in_the_same_group_run_at_the_same_time():
    barrier = threading.Barrier(2, timeout=30)

    def rollout_for(job):
        barrier.wait()
        return rollout(CALL)

    executor = FakeExecutor(rollout_for, at_once=2, group_of=lambda arm: "all")
    found = results(events_of(plan("1", arms=("a", "b")), executor))
    assert sorted(result.arm for result in found) == ["a", "b"]


def test_a_judge_is_asked_for_each_rubric_and_its_reason_is_stored():
    cases = (case({"judge": "good"}, {"not": {"judge": "bad"}}, id="1"),)
    [result] = results(events_of(RunPlan(cases=cases, arms=(arm("a"),)), FakeExecutor()))
    assert result.is_passed
    reasons = [outcome.reason for outcome in result.outcomes]
    assert reasons == ["judge: so it is", "not expected: judge: so it is"]


def test_each_repetition_has_its_own_seed():
    jobs = plan("1", repeat=3).jobs()
    assert [job.sampling.seed for job in jobs] == [0, 1, 2]
    assert len({job.key for job in jobs}) == 3


def test_a_case_that_passes_only_sometimes_is_flaky():
    executor = FakeExecutor(lambda job: rollout(CALL if job.case.id == "1" or job.repetition else "no"))
    [card] = make_cards(results(events_of(plan("1", "2", repeat=2), executor)))
    assert card.flaky == ("own/2",)
    assert card.pass_hat == 0.5


def test_results_and_plans_are_restored_from_json():
    run_plan = RunPlan(
        cases=plan("1").cases,
        arms=(arm("a", variation=ToolVariation.RENAMED, variation_of="b"),),
        repeat=2,
        tools={"k": "[]"},
    )
    assert plan_value(plan_document(run_plan)) == run_plan
    for result in results(events_of(run_plan, FakeExecutor())):
        assert result_value(result_document(result)) == result


def test_labels_contain_the_parts_in_which_arms_differ():
    assert labels_of([("a", "m", "auto"), ("a", "n", "auto")]) == ("a · m", "a · n")
    assert labels_of([("a", "m", "auto")]) == ("a",)

"""Runs: in order, in time, resumed, stopped; errors apart from failures."""

import threading
from dataclasses import replace

import pytest

from tests.fakes import SteppedCalendar
from tests.suite.playing import CALL, case, rollout
from workbench.errors import EngineError
from workbench.rollout.events import EndReason
from workbench.suite.card import cards
from workbench.suite.case_rollout import RubricVerdict
from workbench.suite.plan import Arm, RunPlan, ToolVariation, labels_of, plan_document, plan_value
from workbench.suite.result import CaseStatus, result_document, result_value
from workbench.suite.runner import CaseFinished, CaseStarted, RunEnded, run

TEXT = "---\ntitle: T\nfamily: hermes-lines\n---\nCall tools.\n"


class WrittenPlayer:
    """Plays what a test says of each job, and remembers the order."""

    def __init__(self, play=None, at_once=1):
        self.played = []
        self._at_once = at_once
        self._play = play or (lambda job: rollout(CALL))

    def at_once(self, arm):
        return self._at_once

    def play(self, job, *, is_cancelled):
        self.played.append((job.arm.label, job.case.id, job.repetition))
        return self._play(job)

    def judge(self, rubric, job, played, *, is_cancelled):
        return RubricVerdict(rubric == "good", "so it is", "judge")


def arm(label, **more):
    return Arm(label=label, contract_name=label, contract_text=TEXT, model="scripted", **more)


def plan(*ids, arms=("a",), **more):
    cases = tuple(case({"call_count": 1}, id=one) for one in ids)
    return RunPlan(cases=cases, arms=tuple(map(arm, arms)), **more)


def played(one, player, **more):
    terms = {"clock": SteppedCalendar(), "timeout_s": 1000.0, "is_cancelled": lambda: False} | more
    return list(run(one.jobs(), player, **terms))


def results(events):
    return [event.result for event in events if isinstance(event, CaseFinished)]


def test_cases_of_one_contract_are_played_in_a_row_and_those_with_the_same_tools_too():
    cases = tuple(
        case({"no_call": True}, id=one, tools=tools)
        for one, tools in (("1", ["x"]), ("2", ["y"]), ("3", ["x"]))
    )
    player = WrittenPlayer()
    played(RunPlan(cases=cases, arms=(arm("a"), arm("b")), repeat=2), player)
    order = [("1", 0), ("1", 1), ("3", 0), ("3", 1), ("2", 0), ("2", 1)]
    assert player.played == [(label, *place) for label in "ab" for place in order]


def test_progress_tells_what_is_done_what_passes_and_the_time_left():
    ended = played(
        plan("1", "2", "3"), WrittenPlayer(lambda job: rollout("no" if job.case.id == "2" else CALL))
    )
    progress = [event.progress for event in ended if isinstance(event, CaseFinished)]
    assert [(one.done, one.passed, one.total) for one in progress] == [(1, 1, 3), (2, 1, 3), (3, 2, 3)]
    assert progress[0].seconds_left > progress[1].seconds_left > progress[2].seconds_left == 0
    assert isinstance(ended[0], CaseStarted)
    assert ended[-1] == RunEnded(is_cancelled=False, progress=progress[-1])


def test_an_engine_that_fails_is_an_error_and_no_failure():
    def play(job):
        if job.case.id == "2":
            raise EngineError("it is gone")
        return rollout(CALL)

    found = results(played(plan("1", "2", "3"), WrittenPlayer(play)))
    assert [one.status for one in found] == [CaseStatus.PASSED, CaseStatus.ERROR, CaseStatus.PASSED]
    assert found[1].error == "it is gone"
    [card] = cards(found)
    assert (card.plays, card.passed, card.failed, card.errors, card.pass_rate) == (3, 2, 0, 1, 1.0)


def test_an_arm_whose_model_is_missing_is_an_error_each():
    class Missing(WrittenPlayer):
        def at_once(self, arm):
            raise EngineError("no such model")

    assert [one.error for one in results(played(plan("1", "2"), Missing()))] == ["no such model"] * 2


def test_a_case_that_takes_too_long_is_stopped_and_is_an_error():
    class Slow(WrittenPlayer):
        def play(self, job, *, is_cancelled):
            while not is_cancelled():
                pass
            return replace(rollout(CALL), end=EndReason.CANCELLED)

    found = results(played(plan("1", "2"), Slow(), timeout_s=20.0))
    assert [one.error for one in found] == ["it took over 20 s and was stopped"] * 2


def test_a_connection_that_breaks_is_an_error():
    broken = replace(rollout("The"), end=EndReason.INTERRUPTED, problem="the server hung up")
    [one] = results(played(plan("1"), WrittenPlayer(lambda job: broken)))
    assert (one.status, one.error) == (CaseStatus.ERROR, "the server hung up")


def test_what_is_stopped_keeps_what_is_done_and_leaves_the_rest():
    stop = threading.Event()

    def play(job):
        if job.case.id == "2":
            stop.set()
            return replace(rollout("…"), end=EndReason.CANCELLED)
        return rollout(CALL)

    events = played(plan("1", "2", "3", arms=("a", "b")), WrittenPlayer(play), is_cancelled=stop.is_set)
    assert [one.case_id for one in results(events)] == ["1"]
    assert events[-1].is_cancelled


@pytest.mark.parametrize("at_once", [1, 3])
def test_what_is_done_is_not_played_again_and_the_results_are_those_of_an_unbroken_run(at_once):
    one = plan("1", "2", "3", "4", arms=("a", "b"))
    whole = results(played(one, WrittenPlayer()))
    player = WrittenPlayer(at_once=at_once)
    events = played(one, player, done=whole[:5])
    assert sorted(player.played) == [("b", "2", 0), ("b", "3", 0), ("b", "4", 0)]
    again = {result.key: result for result in [*whole[:5], *results(events)]}
    assert [again[job.key] for job in one.jobs()] == whole
    assert events[-1].progress.done == 8


def test_many_are_played_at_once_and_never_more_than_the_limit():
    lock, running, most = threading.Lock(), [0], [0]
    together = threading.Barrier(3, timeout=30)

    def play(job):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        together.wait()
        with lock:
            running[0] -= 1
        return rollout(CALL)

    found = results(played(plan(*"123456"), WrittenPlayer(play, at_once=3)))
    assert (len(found), most[0]) == (6, 3)


def test_a_judge_is_asked_for_each_rubric_and_its_verdict_is_kept():
    cases = (case({"judge": "good"}, {"not": {"judge": "bad"}}, id="1"),)
    [one] = results(played(RunPlan(cases=cases, arms=(arm("a"),)), WrittenPlayer()))
    assert one.is_passed
    assert [each.reason for each in one.outcomes] == ["judge: so it is", "not wanted: judge: so it is"]


def test_repetitions_have_seeds_of_their_own():
    jobs = plan("1", repeat=3).jobs()
    assert [job.sampling.seed for job in jobs] == [0, 1, 2]
    assert len({job.key for job in jobs}) == 3


def test_a_case_that_passes_now_and_then_is_flaky():
    [card] = cards(results(played(plan("1", "2", repeat=2), WrittenPlayer(
        lambda job: rollout(CALL if job.case.id == "1" or job.repetition else "no")
    ))))  # fmt: skip
    assert card.flaky == ("own/2",)
    assert card.pass_hat == 0.5


def test_results_and_plans_come_back_from_their_json():
    one = RunPlan(
        cases=plan("1").cases,
        arms=(arm("a", variation=ToolVariation.RENAMED, variation_of="b"),),
        repeat=2,
        tools={"k": "[]"},
    )
    assert plan_value(plan_document(one)) == one
    for result in results(played(one, WrittenPlayer())):
        assert result_value(result_document(result)) == result


def test_labels_say_in_what_arms_differ():
    assert labels_of([("a", "m", "auto"), ("a", "n", "auto")]) == ("a · m", "a · n")
    assert labels_of([("a", "m", "auto")]) == ("a",)

"""The shipped conversations: every case can be solved, and a run is the same again."""

import json
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.runs.conversation_cases import case_of_conversation
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run, find_run
from workbench.app.runs.suites import load_suite
from workbench.app.runs.varied_suites import vary_suite
from workbench.app.world_editing import edit_world
from workbench.errors import BadInput
from workbench.records.session_world import world_at, world_at_start
from workbench.suite.case import Suite
from workbench.suite.read_suite import parse_case, parse_suite, render_suite
from workbench.suite.runner import CaseFinished

SUITES = ("shop", "travel", "desk")


def planned(services, *names):
    """Return a stored run of suites in which the model writes the solutions."""
    suites = [load_suite(services, name) for name in names]
    return begin_run(services, plan_run(services, RunRequest(suites=names, models=("solution",)), suites))


def finished(services, run, *, until=None):
    """Run what is left of a run, or some cases of it, and return the results."""
    done = set[str]()

    def is_cancelled():
        return until is not None and len(done) >= until

    for event in execute_run(services, run, is_cancelled=is_cancelled):
        if isinstance(event, CaseFinished):
            done.add(event.result.key)
    return {result.key: result for result in services.runs.results(run.id)}


def comparable(services, result):
    """Return a result and its messages without what differs from run to run: ids and times."""
    messages = [
        (stored.message, stored.origin, stored.world_patch)
        for stored in services.sessions.path(result.session_id)
    ]
    measures = replace(result.measures, seconds=0.0, prompt_seconds=None)
    return replace(result, session_id=None, message_id="", measures=measures), messages


@pytest.mark.slow
def test_sixty_conversations_can_be_solved_and_are_the_same_after_a_stop_and_a_resume(tmp_path):
    with services_for(tmp_path) as (services, _):
        results = finished(services, planned(services, *SUITES))
        assert len(results) == 60
        assert {key: result.reason for key, result in results.items() if not result.is_passed} == {}
        stopped = planned(services, *SUITES)
        assert len(finished(services, stopped, until=23)) == 23
        resumed = finished(services, find_run(services, stopped.id))
        assert resumed.keys() == results.keys()
        for key, result in results.items():
            assert comparable(services, resumed[key]) == comparable(services, result)


@pytest.mark.slow
def test_variations_are_other_cases_and_each_is_solved(tmp_path):
    with services_for(tmp_path) as (services, _):
        for name in SUITES:
            source = load_suite(services, name)
            made = vary_suite(services, source, count=20, seed=3, name="more", is_cancelled=lambda: False)
            assert len(made.suite.cases) >= 15, (name, len(made.suite.cases))
            assert parse_suite(render_suite(made.suite), name="more").cases == made.suite.cases
        shop = load_suite(services, "shop")
        made = vary_suite(services, shop, count=2, seed=1, name="more", is_cancelled=lambda: False)
        for case in made.suite.cases:
            assert case.document["world"]["shop"]["orders"]["O-101"] is None
            assert "O-101" not in str([case.user, case.solution, case.expectations])


@pytest.mark.slow
def test_a_session_becomes_a_case_that_its_own_answers_solve(tmp_path):
    with services_for(tmp_path) as (services, _):
        [case, *_] = load_suite(services, "shop").cases
        run = planned(services, "shop")
        [result] = [r for r in finished(services, run, until=20).values() if r.case_id == case.id]
        session = services.sessions.find_session(result.session_id)
        path = services.sessions.path(session.id)
        document = case_of_conversation(services, session.setup, path)
        made = parse_case(document, suite="mine")
        assert made.id.startswith("hi-i-want-to-cancel-an-")
        # The case had changed the world of the shop, so the new one does too.
        assert made.world == {"shop": {"orders": {"O-102": {"status": "paid"}, "O-103": {"status": "paid"}}}}
        assert [expectation.kind for expectation in made.expectations] == ["calls", "world"]
        assert made.user.goal == made.user.first == made.user.script[0] == "Hi, I want to cancel an order."
        facts = {name: fact.value for name, fact in made.user.facts.items()}
        assert facts == {"mail address": "ana@example.org", "order": "O-101"}

        suite = Suite(name="mine", cases=(made,))
        plan = plan_run(services, RunRequest(suites=("mine",), models=("solution",)), [suite])
        [again] = finished(services, begin_run(services, plan)).values()
        assert (again.status, again.reason) == ("passed", "")


def test_a_what_if_of_the_world_belongs_to_the_start_only_before_the_first_call(tmp_path):
    with services_for(tmp_path) as (services, _):
        run = planned(services, "shop")
        result = next(iter(finished(services, run, until=1).values()))
        session = services.sessions.find_session(result.session_id)
        path = services.sessions.path(session.id)
        for message, problem in ((path[1], ""), (path[-1], "a person changed the world after a call")):
            changed = {**services.tools.world_start(session.setup.offered_tools().names), **world_at(path)}
            changed["shop"] = {**changed["shop"], "stock": {"mug": 77}}
            edited = edit_world(services, session.id, path, message.id, json.dumps(changed))
            branch = services.sessions.path(session.id, leaf_id=edited.id)
            if problem:
                with pytest.raises(BadInput, match=problem):
                    world_at_start(branch)
            else:
                assert world_at_start(branch)["shop"]["stock"] == {"mug": 77}

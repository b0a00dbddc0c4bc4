"""Conversations of suites: the person, the runner, the expectations, and what makes a run void."""

import json

import pytest

from tests.services import services_for
from workbench.app.export import export_sharegpt
from workbench.app.runs.conversations import solution_completions
from workbench.app.runs.kept import keep_passed, pairs_of
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run, find_run
from workbench.errors import BadInput
from workbench.records.sessions import MessageOrigin
from workbench.rollout.tool_faults import FaultPlan, ToolFault
from workbench.suite.case import SolutionStep
from workbench.suite.read_suite import parse_suite
from workbench.suite.reports.report import report_of
from workbench.trajectory.validate.check import check_rows

PERSON = {
    "goal": "I want a flumbuster reading.",
    "facts": {"location": {"value": "cairo", "asked": "(?i)where|location"}},
    "rules": [{"when": "(?i)anything else|reading is", "say": "No, thanks.", "ends": True}],
}
SOLUTION = [
    "Where?",
    {"calls": [{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}]},
    "The reading is 31.",
]
EXPECT = [
    {"calls": [{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}]},
    {"told": "31"},
    {"turns_at_most": 2},
    {"person_turns_at_most": 3},
]


def run_cases(services, *cases, person="", **options):
    """Run these cases, and return the run with its results."""
    document = {"suite": "s", "defaults": {"tools": ["nonsense"]}, "cases": list(cases)}
    suite = parse_suite(json.dumps(document), name="s")
    request = RunRequest(suites=("s",), person=person, **{"models": ("solution",), **options})
    stored = begin_run(services, plan_run(services, request, [suite]))
    for _ in execute_run(services, stored, is_cancelled=lambda: False):
        pass
    return find_run(services, stored.id), services.runs.results(stored.id)


def talk(**changes):
    """Return a case in which the person wants a reading."""
    return {"id": "a", "user": PERSON, "solution": SOLUTION, "expect": EXPECT, **changes}


def test_a_scripted_person_gives_a_fact_when_asked_and_ends_the_conversation(tmp_path):
    with services_for(tmp_path) as (services, _):
        _, [result] = run_cases(services, talk())
        assert result.status == "passed", result.reason
        path = services.sessions.path(result.session_id)
        said = [stored for stored in path if stored.message.role == "user"]
        assert [stored.message.text for stored in said] == [
            "I want a flumbuster reading.",
            "The location is cairo.",
            "No, thanks.",
        ]
        assert {stored.origin for stored in said} == {MessageOrigin.SCRIPTED}
        assert (result.measures.turns, result.measures.needless_calls) == (3, 0)


def test_a_conversation_fails_in_a_turn_and_opens_there(tmp_path):
    hasty = [SOLUTION[1], "The reading is 31."]
    with services_for(tmp_path) as (services, _):
        _, [result] = run_cases(services, talk(solution=hasty, expect=[{"told": "Where?"}]))
        assert (result.status, result.blame, result.turn) == ("failed", "model", 1)
        path = services.sessions.path(result.session_id)
        assert [stored.message.text for stored in path if stored.id == result.message_id] == [PERSON["goal"]]


def test_a_model_acts_as_the_person_and_its_mistake_makes_the_conversation_void(tmp_path):
    simulated = {"goal": "You want a flumbuster reading.", "facts": PERSON["facts"]}
    with services_for(
        tmp_path, "Hi, a reading please.", "In cairo.", "Bye ###STOP###", "It is in cairo!", "###STOP###"
    ) as (
        services,
        _,
    ):
        model = services.settings.model
        _, results = run_cases(
            services, talk(user=simulated), talk(id="b", user=simulated, solution=SOLUTION[1:]), person=model
        )
        assert [result.status for result in results] == ["passed", "void"], [r.reason for r in results]
        assert results[1].reason == "the person revealed 'location' before the model asked for it"
        said = [m for m in services.sessions.path(results[0].session_id) if m.message.role == "user"]
        assert [m.message.text for m in said] == ["Hi, a reading please.", "In cairo.", "Bye"]
        assert {m.origin for m in said} == {MessageOrigin.SIMULATED}


def test_a_model_replaces_a_script_only_if_more_is_known_of_the_person(tmp_path):
    drafted = {"goal": "A reading.", "script": ["A reading, please.", "Cairo."]}
    said = ["Hi, a reading please.", "It is in cairo!", "###STOP###"]
    with services_for(tmp_path, *said) as (services, _):
        fixed, known = talk(user=drafted), talk(id="b", user={**drafted, "facts": PERSON["facts"]})
        _, results = run_cases(services, fixed, known, person=services.settings.model)
        assert [result.status for result in results] == ["passed", "passed"], [r.reason for r in results]
        first = [services.sessions.path(result.session_id)[1] for result in results]
        assert [(m.message.text, m.origin) for m in first] == [
            ("A reading, please.", MessageOrigin.SCRIPTED),
            ("Hi, a reading please.", MessageOrigin.SIMULATED),
        ]


def test_a_judge_that_fails_is_blamed_and_the_conversation_is_kept(tmp_path):
    case = talk(expect=[{"told": "31"}, {"policy": {"rule": "Be polite."}}])
    with services_for(tmp_path, "I cannot say.") as (services, _):
        run, [result] = run_cases(services, case, judge=services.settings.model)
        assert (result.status, result.blame) == ("error", "judge")
        assert "did not return a verdict: 'I cannot say.'" in result.error
        assert (result.measures.turns, len(services.sessions.path(result.session_id))) == (3, 8)
        # A judge that cannot be reached.
        _, [result] = run_cases(services, case, judge="scripted:/nowhere.yaml")
        assert (result.status, result.blame) == ("error", "judge")
        assert "nowhere.yaml" in result.error
        assert services.sessions.path(result.session_id)
        # Once the judge works, the run goes on with the case.
        assert find_run(services, run.id).listed.errors == 1


def test_a_person_without_rules_or_a_model_is_refused_before_the_run(tmp_path):
    with services_for(tmp_path) as (services, _), pytest.raises(BadInput, match="--person"):
        run_cases(services, talk(user={"goal": "A reading."}))


def test_a_person_who_never_ends_reaches_the_limit(tmp_path):
    endless = {**PERSON, "rules": [{"when": "never", "ends": True}], "max_turns": 2}
    with services_for(tmp_path) as (services, _):
        _, [result] = run_cases(
            services, talk(user=endless, solution=["Hm?", "Well?"], expect=[{"told": "31"}])
        )
        assert (result.status, result.measures.turns) == ("failed", 2)


def test_a_run_with_faults_is_compared_with_the_run_without(tmp_path):
    with services_for(tmp_path) as (services, _):
        run, results = run_cases(services, talk(), faults=FaultPlan(rate=1.0, kinds=(ToolFault.TIMEOUT,)))
        assert [(result.arm, result.status) for result in results] == [
            ("minimal", "passed"),
            ("minimal · tool faults 100% (timeout)", "passed"),
        ]
        [worth] = report_of(run.id, "", "done", run.plan, results).worths
        assert worth.change == "tool faults 100% (timeout), recovery 1/1"
        tool = next(m for m in services.sessions.path(results[1].session_id) if m.message.role == "tool")
        assert tool.tool_run.rule == "planted fault: timeout"


def errors_in(rows):
    """Return the errors that the command `check` would report."""
    return [found for found in check_rows(rows) if found.finding.severity == "error"]


def test_passed_conversations_become_sessions_with_their_proof_that_check_accepts(tmp_path):
    with services_for(tmp_path) as (services, _):
        run, _ = run_cases(services, talk(), talk(id="b", solution=["It is 31.", "Done. Anything else?"]))
        kept = keep_passed(services, run)
        assert (len(kept.session_ids), kept.passed, kept.total) == (1, 1, 2)
        assert keep_passed(services, run).session_ids == ()
        [listed] = services.sessions.list_sessions()
        assert listed.tags == ("kept", "suite:s", "case:a", "score:1", "seed:0", f"run:{run.id[:12]}")
        exported = export_sharegpt(services)
        assert (exported.row_count, exported.left_out) == (1, ())
        assert errors_in([json.loads(exported.text)]) == []


def test_pairs_are_the_first_messages_that_differ(tmp_path):
    right, wrong = "Where?", "I don't know."
    completions = [right, SOLUTION[1], "The reading is 31.", wrong, "Sorry. Anything else?"]
    with services_for(
        tmp_path,
        *(
            solution_completions(
                [
                    SolutionStep(**step) if isinstance(step, dict) else SolutionStep(text=step)
                    for step in completions
                ]
            )
        ),
    ) as (services, _):
        run, results = run_cases(services, talk(repeat=2), models=(services.settings.model,))
        assert [result.status for result in results] == ["passed", "failed"], results[0].reason
        pairs = pairs_of(services, run)
        [row] = pairs.rows
        assert [message["content"] for message in row["prompt"][1:]] == ["I want a flumbuster reading."]
        assert (row["chosen"][0]["content"], row["rejected"][0]["content"]) == (right, wrong)
        assert [kto["label"] for kto in pairs.kto_rows()] == [True, False]
        assert errors_in([row]) == errors_in(pairs.kto_rows()) == []

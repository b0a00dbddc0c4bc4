"""Runs through the desk: each case a session of its own, judged, priced, gone on with."""

import json
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run, find_run
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.records.runs import RunState
from workbench.suite.case_rollout import Price
from workbench.suite.plan import ToolVariation
from workbench.suite.read_suite import parse_suite

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


def played(services, *cases, **wanted):
    """A run of these cases, and its results."""
    document = {"suite": "s", "defaults": {"tools": ["nonsense"]}, "cases": list(cases)}
    suite = parse_suite(json.dumps(document), name="s")
    kept = begin_run(services, plan_run(services, RunRequest(suites=("s",), **wanted), [suite]))
    for _ in execute_run(services, kept, is_cancelled=lambda: False):
        pass
    return find_run(services, kept.id), services.runs.results(kept.id)


def test_a_rollout_holds_what_was_said_before_the_case(tmp_path):
    messages = [
        {"role": "system", "content": "Answer in French."},
        {"role": "user", "content": "Reading for lima?"},
        {"role": "assistant", "calls": [{"name": "get_flumbuster", "arguments": {"flumb": "lima"}}]},
        {"role": "tool", "name": "get_flumbuster", "content": '{"reading": 14}'},
        {"role": "user", "content": "And for cairo?"},
    ]
    with services_for(tmp_path, CALL, "31.") as (services, _):
        case = {"id": "a", "messages": messages, "expect": [{"text_contains": "31"}]}
        run, [result] = played(services, case)
        assert (result.status, run.listed.state) == ("passed", RunState.DONE)
        path = services.sessions.path(result.session_id)
        assert [one.message.role for one in path] == [
            Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT,
        ]  # fmt: skip
        prompt = path[5].generation.prompt_text
        assert "Answer in French." in prompt
        assert '"flumb": "lima"' in prompt and '{"reading": 14}' in prompt
        assert services.sessions.list_sessions() == ()


def test_a_case_s_own_mocks_answer_in_it_alone(tmp_path):
    broken = {"get_flumbuster": [{"error": "out of order"}]}
    with services_for(tmp_path, CALL, "A.", CALL, "B.") as (services, _):
        cases = [
            {"id": "a", "prompt": "p", "mocks": broken, "expect": [{"call_count": 1}]},
            {"id": "b", "prompt": "p", "expect": [{"call_count": 1}]},
        ]
        _, results = played(services, *cases)
        texts = [services.sessions.path(one.session_id)[3].message.text for one in results]
        assert "out of order" in texts[0]
        assert '"reading": 31' in texts[1]


def test_mocks_that_cannot_be_used_are_told_before_anything_is_played(tmp_path):
    with services_for(tmp_path, "x") as (services, _), pytest.raises(BadInput, match="case 'a', mocks of"):
        case = {"id": "a", "prompt": "p", "mocks": {"f": [{"when": {}}]}, "expect": [{"no_call": True}]}
        played(services, case)


def test_a_judge_reads_the_rollout_and_its_verdict_is_kept(tmp_path):
    verdict = 'Here: {"reason": "It names no source.", "holds": false}'
    with services_for(tmp_path, "It is 31.", verdict, "It is 31.", "I cannot say.") as (services, _):
        case = {"id": "a", "prompt": "p", "expect": [{"judge": "It names its source."}]}
        _, results = played(services, case, repeat=2)
        assert [one.status for one in results] == ["failed", "error"]
        assert results[0].outcomes[0].reason.endswith("It names no source.")
        assert "did not return a verdict" in results[1].error


def test_tools_that_are_renamed_are_told_so_and_scored_by_their_own_names(tmp_path):
    renamed = CALL.replace("get_flumbuster", "flumbuster_get")
    with services_for(tmp_path, CALL, renamed) as (services, _):
        case = {
            "id": "a",
            "prompt": "p",
            "max_rounds": 1,
            "expect": [{"calls": [{"name": "get_flumbuster"}]}],
        }
        _, results = played(services, case, variations=(ToolVariation.RENAMED,))
        assert [one.status for one in results] == ["passed", "passed"]
        path = services.sessions.path(results[1].session_id)
        assert '"flumbuster_get"' in path[0].message.text
        assert '"reading": 31' in path[3].message.text


def test_a_price_makes_a_cost(tmp_path):
    with services_for(tmp_path, "Hi.") as (services, _):
        model = services.settings.model
        priced = replace(services, prices={model: Price(1.0, 2.0)})
        _, [result] = played(priced, {"id": "a", "prompt": "p", "expect": [{"cost_at_most": 1}]})
        assert result.status == "passed"
        measures = result.measures
        assert measures.cost == (measures.prompt_tokens + 2 * measures.completion_tokens) / 1e6


def test_errors_are_played_again_and_results_are_not(tmp_path):
    with services_for(tmp_path, {"text": "", "error": "gone"}, "Hi.", "Hi.") as (services, _):
        cases = [{"id": one, "prompt": "p", "expect": [{"no_call": True}]} for one in "ab"]
        run, results = played(services, *cases)
        assert [one.status for one in results] == ["error", "passed"]
        for _ in execute_run(services, run, is_cancelled=lambda: False):
            pass
        again = services.runs.results(run.id)
        assert [one.status for one in again] == ["passed", "passed"]
        assert again[1] == results[1]

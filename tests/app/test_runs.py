"""Suite runs: each case is a session, is judged and priced, and can run again."""

import json
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run, find_run
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.records.runs import RunState
from workbench.records.versions import NewVersion, VersionKind
from workbench.rollout.sampling import Sampling
from workbench.suite.case_rollout import Price
from workbench.suite.plan import ToolVariation
from workbench.suite.read_suite import parse_suite

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


def run_cases(services, *cases, **options):
    """Run these cases, and return the run with its results."""
    document = {"suite": "s", "defaults": {"tools": ["nonsense"]}, "cases": list(cases)}
    suite = parse_suite(json.dumps(document), name="s")
    stored = begin_run(services, plan_run(services, RunRequest(suites=("s",), **options), [suite]))
    for _ in execute_run(services, stored, is_cancelled=lambda: False):
        pass
    return find_run(services, stored.id), services.runs.results(stored.id)


def test_a_rollout_contains_the_history_of_the_case(tmp_path):
    messages = [
        {"role": "system", "content": "Answer in French."},
        {"role": "user", "content": "Reading for lima?"},
        {"role": "assistant", "calls": [{"name": "get_flumbuster", "arguments": {"flumb": "lima"}}]},
        {"role": "tool", "name": "get_flumbuster", "content": '{"reading": 14}'},
        {"role": "user", "content": "And for cairo?"},
    ]
    with services_for(tmp_path, CALL, "31.") as (services, _):
        case = {"id": "a", "messages": messages, "expect": [{"text_contains": "31"}]}
        run, [result] = run_cases(services, case)
        assert (result.status, run.listed.state) == ("passed", RunState.DONE)
        path = services.sessions.path(result.session_id)
        assert [stored.message.role for stored in path] == [
            Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT,
        ]  # fmt: skip
        prompt = path[5].generation.prompt_text
        assert "Answer in French." in prompt
        assert '"flumb": "lima"' in prompt and '{"reading": 14}' in prompt
        assert services.sessions.list_sessions() == ()


def test_a_title_names_two_arms_and_counts_the_others(tmp_path):
    with services_for(tmp_path, "It is 31.") as (services, _):
        case = {"id": "a", "prompt": "p", "expect": [{"no_call": True}]}
        run, _ = run_cases(services, case, samplings=tuple(Sampling(temperature=t) for t in (0.0, 0.5, 1.0)))
        labels = [arm.label for arm in run.plan.arms]
        assert run.listed.title == f"s: {labels[0]}, {labels[1]} and 1 more"


def test_mock_rules_of_a_case_apply_only_to_it(tmp_path):
    broken = {"get_flumbuster": [{"error": "out of order"}]}
    with services_for(tmp_path, CALL, "A.", CALL, "B.") as (services, _):
        cases = [
            {"id": "a", "prompt": "p", "mocks": broken, "expect": [{"call_count": 1}]},
            {"id": "b", "prompt": "p", "expect": [{"call_count": 1}]},
        ]
        _, results = run_cases(services, *cases)
        texts = [services.sessions.path(result.session_id)[3].message.text for result in results]
        assert "out of order" in texts[0]
        assert '"reading": 31' in texts[1]


def test_unusable_mock_rules_are_reported_before_the_run_starts(tmp_path):
    with services_for(tmp_path, "x") as (services, _), pytest.raises(BadInput, match="case 'a', mocks of"):
        case = {"id": "a", "prompt": "p", "mocks": {"f": [{"when": {}}]}, "expect": [{"no_call": True}]}
        run_cases(services, case)


def test_the_judge_s_verdict_is_stored(tmp_path):
    verdict = 'Here: {"reason": "It names no source.", "holds": false}'
    with services_for(tmp_path, "It is 31.", verdict, "It is 31.", "I cannot say.") as (services, _):
        case = {"id": "a", "prompt": "p", "expect": [{"judge": "It names its source."}]}
        _, results = run_cases(services, case, repeat=2)
        assert [result.status for result in results] == ["failed", "error"]
        assert results[0].outcomes[0].reason.endswith("It names no source.")
        assert "did not return a verdict" in results[1].error


def test_renamed_tools_are_scored_by_their_original_names(tmp_path):
    renamed = CALL.replace("get_flumbuster", "flumbuster_get")
    with services_for(tmp_path, CALL, renamed) as (services, _):
        case = {
            "id": "a",
            "prompt": "p",
            "max_rounds": 1,
            "expect": [{"calls": [{"name": "get_flumbuster"}]}],
        }
        _, results = run_cases(services, case, variations=(ToolVariation.RENAMED,))
        assert [result.status for result in results] == ["passed", "passed"]
        path = services.sessions.path(results[1].session_id)
        assert '"flumbuster_get"' in path[0].message.text
        assert '"reading": 31' in path[3].message.text


@pytest.mark.parametrize("reference", ["weather@1", "weather@production"])
def test_a_pinned_contract_runs_with_and_without_each_paragraph(tmp_path, reference):
    text = "---\nname: weather\ntitle: Weather\nfamily: hermes-lines\n---\nBe brief.\n\nUse a tool.\n\n{{ tools }}\n"
    with services_for(tmp_path, *["31."] * 4) as (services, _):
        version = services.versions.save(NewVersion(kind=VersionKind.CONTRACT, name="weather", text=text))
        services.versions.tag(version.id, "production")
        case = {"id": "a", "prompt": "p", "expect": [{"text_contains": "31"}]}
        run, results = run_cases(services, case, contracts=(reference,), is_ablation=True)
        assert [arm.contract_name for arm in run.plan.arms] == [reference] * len(run.plan.arms)
        assert len(results) >= 3
        assert {result.status for result in results} == {"passed"}


def test_prices_lead_to_costs(tmp_path):
    with services_for(tmp_path, "Hi.") as (services, _):
        model = services.settings.model
        priced = replace(services, prices={model: Price(1.0, 2.0)})
        _, [result] = run_cases(priced, {"id": "a", "prompt": "p", "expect": [{"cost_at_most": 1}]})
        assert result.status == "passed"
        measures = result.measures
        assert measures.cost == (measures.prompt_tokens + 2 * measures.completion_tokens) / 1e6


def test_cases_with_errors_run_again_and_others_do_not(tmp_path):
    with services_for(tmp_path, {"text": "", "error": "gone"}, "Hi.", "Hi.") as (services, _):
        cases = [{"id": case_id, "prompt": "p", "expect": [{"no_call": True}]} for case_id in "ab"]
        run, results = run_cases(services, *cases)
        assert [result.status for result in results] == ["error", "passed"]
        for _ in execute_run(services, run, is_cancelled=lambda: False):
            pass
        new_results = services.runs.results(run.id)
        assert [result.status for result in new_results] == ["passed", "passed"]
        assert new_results[1] == results[1]

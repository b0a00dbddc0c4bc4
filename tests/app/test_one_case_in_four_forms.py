"""A case is an evaluation, an environment, a training row and a preference pair, and all four agree."""

import json
from dataclasses import replace

import pytest

from tests.app.test_conversation_suites import SUITES, finished
from tests.services import services_for
from workbench.app.export import export_sharegpt
from workbench.app.runs.conversations import solution_completions
from workbench.app.runs.environments import export_suite
from workbench.app.runs.kept import keep_passed, pairs_of
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run
from workbench.app.runs.suites import load_suite
from workbench.chat.message import Role
from workbench.suite.case import Suite
from workbench.toolbox.suite_environment import SuiteEnvironment
from workbench.training.examples import examples_of
from workbench.trajectory.formats.known import FORMATS

pytestmark = pytest.mark.slow


def environment_of(services, suite, folder, weights):
    """Return a suite as an environment, from the files of its export."""
    exported = export_suite(services, suite, "verifiers", weights=weights)
    assert exported.left_out == ()
    for name, text in exported.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return SuiteEnvironment(folder / f"{suite.name}_env")


def written(services, result):
    """Return what the model wrote in a rollout."""
    path = services.sessions.path(result.session_id)
    return [stored.message.text for stored in path if stored.message.role is Role.ASSISTANT]


@pytest.mark.parametrize("each", [5, pytest.param(20, marks=pytest.mark.long)])
def test_conversations_have_the_same_score_and_text_in_a_run_an_environment_and_a_row(tmp_path, each):
    with services_for(tmp_path) as (services, _):
        loaded = [load_suite(services, name) for name in SUITES]
        # Every fourth of twenty, or all.
        suites = [replace(suite, cases=suite.cases[:: 20 // each]) for suite in loaded]
        request = RunRequest(suites=SUITES, models=("solution",))
        run = begin_run(services, plan_run(services, request, suites))
        results = finished(services, run)
        cases = {}
        for suite in suites:
            environment = environment_of(services, suite, tmp_path, {"arguments": 1})
            cases |= {row["id"]: (environment, row) for row in environment.rows}
        assert len(cases) == each * len(SUITES)
        texts = {}
        for result in results.values():
            environment, row = cases[result.case_key]
            replies = written(services, result)
            assert environment.reward(row, replies) == result.share
            shown, seen = environment.play(row, replies), ""
            path = [stored.message for stored in services.sessions.path(result.session_id)]
            assert [message.text for message in shown.conversation.messages] == [
                message.text for message in path
            ]
            for number, reply in enumerate(replies):
                prompt = environment.play(row, replies[:number]).prompt
                assert prompt.startswith(seen)
                seen = prompt + reply
            texts[result.case_id] = (replies, f"{seen}<|im_end|>")
        for session_id in keep_passed(services, run).session_ids:
            [case_id] = [
                tag[5:] for tag in services.sessions.find_session(session_id).tags if tag[:5] == "case:"
            ]
            [line] = export_sharegpt(services, [session_id]).text.splitlines()
            [example] = examples_of(FORMATS["sharegpt"].read(json.loads(line)), row["family"])
            replies, text = texts.pop(case_id)
            trained = [piece.text for piece in example if piece.is_trained]
            assert trained == [f"{reply}<|im_end|>" for reply in replies]
            assert "".join(piece.text for piece in example) == text
        assert not texts


@pytest.mark.parametrize("name", SUITES)
def test_a_preference_pair_of_a_case_has_the_better_reward_first(tmp_path, name):
    with services_for(tmp_path) as (services, _):
        [case, *_] = load_suite(services, name).cases
    solution, refusal = solution_completions(case.solution), "Sorry, I do not want to."
    with services_for(tmp_path, *solution, *[refusal] * 10) as (services, _):
        suite = Suite(name=name, cases=(case,))
        run = begin_run(services, plan_run(services, RunRequest(suites=(name,), repeat=2), [suite]))
        finished(services, run)
        [pair] = pairs_of(services, run).rows
        environment = environment_of(services, suite, tmp_path, {"result": 1})
        [row] = environment.rows
        assert [message["content"] for message in pair["prompt"]] == [
            message["content"] for message in row["prompt"]
        ]
        assert pair["chosen"][0]["content"] == solution[0] and pair["rejected"][0]["content"] == refusal
        assert environment.reward(row, solution) == 1
        assert environment.reward(row, [refusal] * 10) == 0

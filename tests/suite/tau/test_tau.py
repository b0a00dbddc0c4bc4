"""Tasks in the JSON of τ-bench become cases of a domain whose tools are a Python file with a world."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import copy

import pytest

from tests.services import services_for
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run
from workbench.app.runs.tau_tasks import tau_suite
from workbench.errors import BadInput
from workbench.suite.case import CallForm, SolutionStep, Suite
from workbench.suite.read_suite import parse_case

LEND = {"name": "lend_book", "kwargs": {"book_id": "b1", "user_id": "u1"}}
BACK = {"name": "return_book", "kwargs": {"book_id": "b2"}}
TASKS = [
    {"user_id": "u1", "instruction": "You are Ana (u1). You want to borrow Dune (b1).", "actions": [LEND], "outputs": ["Dune"]},
    {"user_id": "u2", "instruction": "You are Bo. You ask for the moon.", "actions": [], "outputs": []},
    {"id": "two", "user_scenario": {"instructions": {"task": "Bring back b2."}}, "evaluation_criteria": {"actions": [{"name": "return_book", "arguments": {"book_id": "b2"}}]}},
    {"user_id": "u1", "instruction": "Impossible.", "actions": [{"name": "lend_book", "kwargs": {"book_id": "b2", "user_id": "u1"}}]},
    {"user_id": "u1", "instruction": "Unknown.", "actions": [{"name": "fly", "kwargs": {}}]},
]  # fmt: skip


@pytest.fixture
def home(tmp_path):
    """The variables of a home with the domain's tool file."""
    folder = tmp_path / "home" / "tools_catalog"
    folder.mkdir(parents=True)
    copy(Path(__file__).with_name("library.py"), folder)
    return {"WORKBENCH_HOME": str(tmp_path / "home"), "WORKBENCH_LOCAL_CODE": str(folder.parent)}


def test_tasks_become_conversations_that_expect_what_their_actions_change(tmp_path, home):
    with services_for(tmp_path, "Hello.", variables=home) as (services, _):
        made = tau_suite(services, json.dumps(TASKS), name="library", toolset="library")
        expected = [[e.document() for e in case.expectations] for case in made.suite.cases]
        assert expected == [
            [{"told": ["Dune"]}, {"world": {"/library/books/b1/lent_to": "u1"}}],
            [{"world_unchanged": True}],
            [{"world": {"/library/books/b2/lent_to": None}}],
        ]
        assert [line.split(": ")[0] for line in made.left_out] == ["task-3", "task-4"]


def test_a_task_is_passed_by_its_actions_and_failed_without_them(tmp_path, home):
    with services_for(tmp_path, "Hi, I want Dune.", "###STOP###", variables=home) as (services, _):
        [case, *_] = tau_suite(services, json.dumps(TASKS), name="library", toolset="library").suite.cases
        right = (
            SolutionStep(calls=[CallForm(name="lend_book", arguments=LEND["kwargs"])]),
            SolutionStep(text="Dune is yours."),
        )
        suite_cases = (
            replace(case, solution=right),
            replace(case, id="wrong", solution=(SolutionStep(text="Dune? No."),)),
        )
        results = []
        for own in suite_cases:
            document = {
                **own.document,
                "id": own.id,
                "solution": [step.model_dump() for step in own.solution],
            }
            suite = Suite(name="library", cases=(parse_case(document, suite="library"),))
            request = RunRequest(suites=("library",), models=("solution",), person=services.settings.model)
            run = begin_run(services, plan_run(services, request, [suite]))
            for _ in execute_run(services, run, is_cancelled=lambda: False):
                pass
            results += services.runs.results(run.id)
        assert [result.status for result in results] == ["passed", "failed"], [r.reason for r in results]


def test_a_toolset_without_a_world_is_refused(tmp_path):
    with services_for(tmp_path, "x") as (services, _), pytest.raises(BadInput, match="has no world"):
        tau_suite(services, json.dumps(TASKS), name="t", toolset="nonsense")

"""The shipped suites can be run with the shipped tools."""

import pytest

from tests.services import CHECKOUT, services_for
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.suites import load_suite, suite_names
from workbench.suite.read_suite import parse_suite, render_suite
from workbench.training.synth.chats import SMALL_TALK

NAMES = sorted(path.stem for path in (CHECKOUT / "prompts/suites").glob("*.yaml"))


def test_the_shipped_suites():
    one_turn = [
        "clarify",
        "everyday",
        "irrelevance",
        "nonsense",
        "parallel",
        "robust",
        "strangers",
        "weather",
    ]
    assert [name for name in NAMES if name not in ("desk", "shop", "travel")] == one_turn


def test_no_message_of_strangers_is_in_the_training_rows():
    text = (CHECKOUT / "prompts/suites/strangers.yaml").read_text(encoding="utf-8")
    asked = {case.messages[-1].text.lower() for case in parse_suite(text, name="strangers").cases}
    assert len(asked) == 30
    assert asked & {question.lower() for question, _ in SMALL_TALK} == set()


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_suite_can_be_planned_and_rendered(name, tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        assert name in suite_names(services)
        suite = load_suite(services, name)
        plan = plan_run(services, RunRequest(suites=(name,)), [suite])
        assert len(plan.jobs()) == len(suite.cases) >= 4
        assert suite.description
        assert all(case.tags for case in suite.cases)
        assert parse_suite(render_suite(suite), name=name).cases == suite.cases


def test_the_suite_nonsense_has_five_cases():
    text = (CHECKOUT / "prompts/suites/nonsense.yaml").read_text(encoding="utf-8")
    assert [case.id for case in parse_suite(text, name="nonsense").cases] == [
        "flumbuster-basic",
        "flumbuster-with-uster",
        "zorbix-add",
        "zorbix-multiply",
        "no-tool-greeting",
    ]

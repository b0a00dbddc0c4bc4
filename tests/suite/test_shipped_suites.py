"""The shipped suites can be run with the shipped tools."""

import pytest

from tests.services import CHECKOUT, services_for
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.suites import load_suite, suite_names
from workbench.suite.read_suite import parse_suite, render_suite

NAMES = sorted(path.stem for path in (CHECKOUT / "prompts/suites").glob("*.yaml"))


def test_seven_suites_are_shipped():
    assert NAMES == ["clarify", "everyday", "irrelevance", "nonsense", "parallel", "robust", "weather"]


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

"""Suites are found by name, and the text of a suite is checked."""

import json

import pytest

from tests.services import CHECKOUT, services_for
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.suites import check_suite_text, load_suite, suite_text
from workbench.errors import BadInput
from workbench.library.home_files import HomeFiles
from workbench.records.versions import NewVersion, VersionKind
from workbench.suite.read_suite import parse_suite

TEXT = """suite: s
cases:
  - {id: a, prompt: p, tools: [nonsense], expect: [{no_call: true}]}
  - {id: b, prompt: p, tools: [nowhere], expect: [{no_call: true}]}
  - {id: c, prompt: p, mocks: {f: [{when: {}}]}, expect: [{no_call: true}]}
  - {id: d, prompt: p, tools: [../secret.json], expect: [{no_call: true}]}
  - {id: e, prompt: p, tool_specs: [{function: {parameters: 3}}], expect: [{no_call: true}]}
  - {id: f, prompt: p, expect: []}
"""


def test_unusable_tools_and_mock_rules_are_reported_with_their_lines(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        checked = check_suite_text(services, TEXT, name="s")
    faults = {fault.case: (fault.line, fault.problem) for fault in checked.faults}
    assert {case: line for case, (line, _) in faults.items()} == {"b": 4, "c": 5, "d": 6, "e": 7, "f": 8}
    assert "no tool or toolset 'nowhere'" in faults["b"][1]
    assert "is a file" in faults["d"][1]
    assert [case.id for case in checked.suite.cases] == ["a", "b", "c", "d", "e"]


UNKNOWN_NAMES = [
    (
        "expect: [{calls: [{name: get_temprature}]}]",
        "offer a tool 'get_temprature'",
        "mean 'get_temperature'?",
    ),
    (
        "expect: [{tool_sequence: [get_weather]}]",
        "offer a tool 'get_weather'",
        "offered tools: get_temperature",
    ),
    (
        "expect: [{any_of: [{calls: [{name: gettemperature}]}, {no_call: true}]}]",
        "gettemperature",
        "get_temperature",
    ),
    ("expect: [{not: {calls: [{name: get_temprature}]}}]", "get_temprature", "get_temperature"),
    (
        "expect: [{calls: [{name: get_temperature, arguments: {citty: Rome}}]}]",
        "argument 'citty'",
        "mean 'city'?",
    ),
    (
        "expect: [{calls: [{name: get_temperature, optional: {days: 1}}]}]",
        "argument 'days'",
        "its arguments: city",
    ),
    (
        "mocks: {get_temprature: [{result: 1}]}, expect: [{no_call: true}]",
        "get_temprature",
        "get_temperature",
    ),
    ("tool_choice: get_temprature, expect: [{no_call: true}]", "get_temprature", "get_temperature"),
]


def _case_with(keys):
    parameters = "{type: object, properties: {city: {type: string}}}"
    specs = f"tool_specs: [{{name: get_temperature, parameters: {parameters}}}]"
    return f"suite: s\ncases:\n  - {{id: a, prompt: p, {specs}, {keys}}}\n"


@pytest.mark.parametrize(("keys", "problem", "remedy"), UNKNOWN_NAMES, ids=[row[0] for row in UNKNOWN_NAMES])
def test_a_name_that_the_offered_tools_do_not_have_is_reported(tmp_path, keys, problem, remedy):
    with services_for(tmp_path, "x") as (services, _):
        [fault] = check_suite_text(services, _case_with(keys), name="s").faults
        with pytest.raises(BadInput, match="suite 's', case 'a'"):
            plan_run(services, RunRequest(suites=("s",)), [parse_suite(_case_with(keys), name="s")])
    assert (fault.line, fault.case) == (3, "a")
    assert problem in fault.problem and remedy in fault.remedy


@pytest.mark.parametrize(
    "keys",
    [
        "expect: [{not: {calls: [{name: delete_all}]}}]",
        "mocks: {search: [{result: 1}]}, expect: [{no_call: true}]",
        "expect: [{calls: [{name: get_temperature, has_arguments: {city: Rome}}]}]",
        "expect: [{calls: [{name: {any_of: [get_temprature, x]}}]}]",
        "tool_choice: none, expect: [{no_call: true}]",
    ],
)
def test_names_that_may_be_meant_are_not_reported(tmp_path, keys):
    with services_for(tmp_path, "x") as (services, _):
        assert check_suite_text(services, _case_with(keys), name="s").faults == ()


def test_a_saved_toolset_can_be_offered(tmp_path):
    tools = "toolset: own\ntools:\n  - function: {name: own_tool, parameters: {type: object}}\n"
    with services_for(tmp_path, "x") as (services, _):
        services.versions.save(NewVersion(kind=VersionKind.TOOLS, name="own", text=tools))
        text = "suite: s\ncases:\n  - {id: a, prompt: p, tools: [own], expect: [{no_call: true}]}\n"
        assert check_suite_text(services, text, name="s").faults == ()


def test_a_saved_version_is_used_as_the_suite(tmp_path):
    text = "suite: mine\ncases:\n  - {id: a, prompt: p, expect: [{no_call: true}]}\n"
    with services_for(tmp_path, "x") as (services, _):
        services.versions.save(NewVersion(kind=VersionKind.SUITE, name="mine", text=text))
        assert [case.id for case in load_suite(services, "mine").cases] == ["a"]
        assert suite_text(services, "mine@1") == text
        with pytest.raises(BadInput, match="known suites: clarify, desk, everyday, irrelevance, mine,"):
            suite_text(services, "nowhere")


def test_csv_files_are_read_only_from_the_suites_folder(tmp_path):
    suites = tmp_path / "prompts" / "suites"
    suites.mkdir(parents=True)
    (suites / "rows.csv").write_text("a\n1\n")
    (tmp_path / "secret.csv").write_text("a\n2\n")
    files = HomeFiles(tmp_path)
    assert files.find_rows("rows.csv") == "a\n1\n"
    for name in ("../secret.csv", "../../secret.csv", str(tmp_path / "secret.csv"), "nowhere.csv", "", "."):
        with pytest.raises(BadInput, match="not found in"):
            files.find_rows(name)


def test_the_shipped_suites_are_valid(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        for path in (CHECKOUT / "prompts/suites").glob("*.yaml"):
            checked = check_suite_text(services, path.read_text(encoding="utf-8"), name=path.stem)
            assert json.dumps([fault.problem for fault in checked.faults]) == "[]"

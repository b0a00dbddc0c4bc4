"""Suites are found by name, and the text of a suite is checked."""

import json

import pytest

from tests.services import CHECKOUT, services_for
from workbench.app.runs.suites import check_suite_text, load_suite, suite_text
from workbench.errors import BadInput
from workbench.library.home_files import HomeFiles
from workbench.records.versions import NewVersion, VersionKind

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
        with pytest.raises(BadInput, match="known suites: clarify, irrelevance, mine,"):
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

"""The shipped catalog, and files that cannot be used."""

import json
from pathlib import Path

import pytest

from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.toolbox.catalog import FileCatalog
from workbench.toolbox.catalog_file import load_toolset

CATALOG = FileCatalog(Path(__file__).parents[2] / "tools_catalog")


def run(name, **arguments):
    return CATALOG.toolbox().run(ToolCall(name=name, arguments=arguments))


def test_the_catalog_has_the_tools_that_the_contracts_speak_of():
    assert {name: tools.names for name, tools in CATALOG.toolsets().items()} == {
        "nonsense": ("get_flumbuster", "calculate_zorbix"),
        "search": ("search_docs",),
        "weather": ("get_weather",),
    }


@pytest.mark.parametrize(
    ("name", "arguments", "result", "rule"),
    [
        ("get_flumbuster", {"flumb": "cairo"}, {"flumb": "Cairo", "reading": 31, "unit": "metric usters"}, 2),
        (
            "get_flumbuster",
            {"flumb": "Cairo, Egypt", "uster": "imperial"},
            {"flumb": "Cairo", "reading": 87.8, "unit": "imperial usters"},
            1,
        ),
        ("get_flumbuster", {"flumb": 'Li"ma'}, {"flumb": 'Li"ma', "reading": 15, "unit": "metric usters"}, 4),
        ("calculate_zorbix", {"zorb": 3, "bix": 4}, {"zorbix": 7}, 2),
        ("calculate_zorbix", {"zorb": 3, "bix": 4, "mode": "mul"}, {"zorbix": 12}, 1),
        (
            "get_weather",
            {"city": "Paris"},
            {"city": "Paris", "temperature": 18, "unit": "celsius", "conditions": "partly cloudy"},
            2,
        ),
        ("search_docs", {"query": "cheese"}, {"passages": []}, 3),
    ],
)
def test_a_mock_answers_by_its_rule(name, arguments, result, rule):
    done = run(name, **arguments)
    assert json.loads(done.result.text) == result
    assert done.rule == f"mock rule {rule}"
    assert not done.result.is_error


def test_a_mock_may_fail_and_the_failure_is_json():
    done = run("get_weather", city="Atlantis")
    assert done.result.is_error
    assert json.loads(done.result.text) == {"error": "city not found"}


def test_a_tool_without_rules_gives_its_arguments_back_and_says_so():
    done = run("invented_on_the_page", a=[1, "ü"])
    assert done.result.text == '{"echo": {"a": [1, "ü"]}}'
    assert done.rule == "no mock: arguments given back"


def test_selecting_takes_toolsets_tools_and_files_each_tool_once(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text('[{"name": "mine", "parameters": {"type": "object"}}]')
    tools = CATALOG.select(["get_weather", "nonsense", "calculate_zorbix", str(file)])
    assert tools.names == ("get_weather", "get_flumbuster", "calculate_zorbix", "mine")


def test_selecting_what_is_not_there_names_what_is():
    with pytest.raises(BadInput, match=r"no 'nonsens' .*nonsense, search, weather"):
        CATALOG.select(["nonsens"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("toolset: [", "catalog bad.yaml: .*line 1"),
        ("toolset: x\ntools: []", "catalog bad.yaml, tools: .*at least 1"),
        ("toolset: x\ntools:\n- function: {name: f}\n  mock: []", r"tools.0.mock: Extra inputs"),
        (
            "toolset: x\ntools:\n- function: {name: f}\n  mocks: [{result: 1, error: oh}]",
            "exactly one of result, template, error and sequence",
        ),
        ("toolset: x\ntools:\n- function: {name: f, parameters: {type: objekt}}", "tool 'f'"),
    ],
)
def test_a_file_that_cannot_be_used_says_what_and_where(tmp_path, text, message):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match=message):
        load_toolset(path)


def test_a_name_in_two_toolsets_is_refused(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(f"toolset: {name}\ntools:\n- function: {{name: f}}")
    with pytest.raises(BadInput, match="tool 'f' is declared in toolset 'a' too"):
        FileCatalog(tmp_path).toolsets()

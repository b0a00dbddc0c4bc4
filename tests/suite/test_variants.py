"""Contracts without one of their parts, and tools with other names, order or descriptions."""

import pytest

from tests.suite.rollouts import TOOLS, called, case, rollout
from workbench.contract.contract import parse_contract
from workbench.suite.plan import ToolVariation
from workbench.suite.score import score
from workbench.suite.variants import ablate, vary_tools, with_original_names
from workbench.toolspec.spec import OfferedTools, ToolSpec

TEXT = "---\ntitle: T\nfamily: hermes-lines\n---\nFirst.\n\n<tools>\n{{ tools }}\n</tools>\n\nUser: a\nAssistant: b\n"


def test_each_paragraph_is_removed_in_turn_except_the_tools():
    found = list(ablate(parse_contract(TEXT, name="t")))
    assert [ablated.left_out for ablated in found] == ["¶1 “First.”", "¶3 “User: a Assistant: b”"]
    assert found[0].contract.text == "<tools>\n{{ tools }}\n</tools>\n\nUser: a\nAssistant: b"
    assert found[1].contract.text == "First.\n\n<tools>\n{{ tools }}\n</tools>"


def test_a_contract_with_one_paragraph_has_no_removable_parts():
    assert list(ablate(parse_contract(TEXT.split("\n\n")[0], name="t"))) == []


def test_renamed_tools_keep_their_original_names_for_scoring():
    varied = vary_tools(TOOLS, ToolVariation.RENAMED)
    assert varied.tools.names == ("weather_get", "note_send")
    assert varied.originals == {"weather_get": "get_weather", "note_send": "send_note"}
    assert varied.tools.specs[0].parameters == TOOLS.specs[0].parameters


def test_a_call_with_the_new_name_is_scored_like_one_with_the_original_name():
    expected = case({"calls": [{"name": "get_weather"}]})
    run = rollout(called("weather_get", city="Rome"))
    assert not score(expected, run).is_passed
    assert score(expected, with_original_names(run, {"weather_get": "get_weather"})).is_passed


def test_shuffled_tools_are_the_same_tools_in_another_order():
    varied = vary_tools(TOOLS, ToolVariation.SHUFFLED)
    assert varied.tools != TOOLS
    assert set(varied.tools.names) == set(TOOLS.names)
    assert vary_tools(TOOLS, ToolVariation.SHUFFLED) == varied


def test_paraphrased_tools_differ_only_in_their_descriptions():
    [weather, note] = vary_tools(TOOLS, ToolVariation.PARAPHRASED).tools.specs
    assert weather.description.endswith("get the weather of a city.")
    assert weather.properties["city"]["description"].endswith("the city")
    assert (weather.name, weather.required) == ("get_weather", ("city",))
    assert note.description == ""


@pytest.mark.parametrize("variation", ToolVariation)
def test_an_empty_list_of_tools_stays_empty(variation):
    none = OfferedTools()
    assert vary_tools(none, variation).tools == none
    single = OfferedTools(specs=(ToolSpec.of_function({"name": "now"}),))
    assert len(vary_tools(single, variation).tools.specs) == 1

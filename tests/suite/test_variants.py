"""Contracts without their parts, tools told of differently."""

import pytest

from tests.suite.playing import TOOLS, called, case, rollout
from workbench.contract.contract import parse_contract
from workbench.suite.plan import ToolVariation
from workbench.suite.score import score
from workbench.suite.variants import ablations, vary_tools, with_own_names
from workbench.toolspec.spec import OfferedTools, ToolSpec

TEXT = "---\ntitle: T\nfamily: hermes-lines\n---\nFirst.\n\n<tools>\n{{ tools }}\n</tools>\n\nUser: a\nAssistant: b\n"


def test_each_paragraph_is_left_out_in_turn_and_the_tools_stay():
    found = list(ablations(parse_contract(TEXT, name="t")))
    assert [one.left_out for one in found] == ["¶1 “First.”", "¶3 “User: a Assistant: b”"]
    assert found[0].contract.text == "<tools>\n{{ tools }}\n</tools>\n\nUser: a\nAssistant: b"
    assert found[1].contract.text == "First.\n\n<tools>\n{{ tools }}\n</tools>"


def test_a_contract_of_one_paragraph_has_nothing_to_leave_out():
    assert list(ablations(parse_contract(TEXT.split("\n\n")[0], name="t"))) == []


def test_renamed_tools_say_what_they_are():
    varied = vary_tools(TOOLS, ToolVariation.RENAMED)
    assert varied.tools.names == ("weather_get", "note_send")
    assert varied.originals == {"weather_get": "get_weather", "note_send": "send_note"}
    assert varied.tools.specs[0].parameters == TOOLS.specs[0].parameters


def test_a_call_by_the_new_name_is_scored_as_one_by_the_old():
    wanted = case({"calls": [{"name": "get_weather"}]})
    played = rollout(called("weather_get", city="Rome"))
    assert not score(wanted, played).is_passed
    assert score(wanted, with_own_names(played, {"weather_get": "get_weather"})).is_passed


def test_shuffled_tools_are_the_same_in_another_order():
    varied = vary_tools(TOOLS, ToolVariation.SHUFFLED)
    assert varied.tools != TOOLS
    assert set(varied.tools.names) == set(TOOLS.names)
    assert vary_tools(TOOLS, ToolVariation.SHUFFLED) == varied


def test_paraphrased_tools_differ_in_their_descriptions_alone():
    [weather, note] = vary_tools(TOOLS, ToolVariation.PARAPHRASED).tools.specs
    assert weather.description.endswith("get the weather of a city.")
    assert weather.properties["city"]["description"].endswith("the city")
    assert (weather.name, weather.required) == ("get_weather", ("city",))
    assert note.description == ""


@pytest.mark.parametrize("variation", ToolVariation)
def test_no_tools_are_no_tools(variation):
    none = OfferedTools()
    assert vary_tools(none, variation).tools == none
    one = OfferedTools(specs=(ToolSpec.of_function({"name": "now"}),))
    assert len(vary_tools(one, variation).tools.specs) == 1

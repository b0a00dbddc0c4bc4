"""Example questions, and the toolset that a message needs."""

import pytest

from tests.services import services_for
from workbench.ui.present.questions import example_questions, missing_toolset


def test_the_first_example_is_in_everyday_words_and_the_second_says_why() -> None:
    weather, nonsense, *others = example_questions(["get_flumbuster"], ["weather", "nonsense", "home"])
    assert (weather.text, weather.toolset) == ("What is the weather in Paris?", "weather")
    assert (nonsense.toolset, nonsense.note[:13]) == ("", "Made-up words")
    assert [question.toolset for question in others] == ["home"]


@pytest.mark.parametrize(
    ("message", "offered", "toolset"),
    [
        ("What is the weather in Berlin tomorrow?", "nonsense", "weather"),
        ("What is the weather in Berlin tomorrow?", "weather", ""),
        ("What is the flumbuster reading for cairo?", "nonsense", ""),
        ("Turn on the light in the kitchen, please.", "weather", "home"),
        ("Thank you, that was all.", "nonsense", ""),
        ("", "nonsense", ""),
    ],
)
def test_a_message_that_no_offered_tool_fits_names_a_toolset(
    tmp_path, message: str, offered: str, toolset: str
) -> None:
    with services_for(tmp_path) as (services, _):
        toolsets = services.tools.toolsets()
    assert missing_toolset(message, toolsets[offered], lambda: toolsets) == toolset

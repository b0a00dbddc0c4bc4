"""Example questions: where they come from, and what a click on one does."""

from pathlib import Path
from typing import Any

import gradio as gr

from tests.services import CHECKOUT, services_for
from tests.ui.requests import page_request
from workbench.app.services import Services
from workbench.suite.read_suite import parse_suite
from workbench.ui.present.notices import CLEAR
from workbench.ui.present.questions import QUESTIONS, questions_elsewhere, questions_for
from workbench.ui.present.setup import ALL_ENABLED
from workbench.ui.tabs.play.session_events import SessionEvents
from workbench.ui.tabs.play.setup_events import SetupEvents
from workbench.ui.visitor import Visitor

EVERYDAY = ("weather", "home", "office")


def clicked(services: Services, text: str, toolset: str) -> tuple[Any, ...]:
    """Click an example question in the page of a new visitor."""
    event = gr.EventData(target=None, _data={"text": text, "toolset": toolset})
    return SessionEvents(services, SetupEvents(services)).on_example(Visitor(), page_request(), event)


def test_every_question_names_a_tool_of_its_toolset(tmp_path: Path) -> None:
    with services_for(tmp_path) as (services, _):
        toolsets = services.catalog.toolsets()
        for question in QUESTIONS:
            assert question.tool in toolsets[question.toolset].names


def test_the_suite_everyday_asks_the_ten_questions_of_three_toolsets() -> None:
    text = (CHECKOUT / "prompts/suites/everyday.yaml").read_text(encoding="utf-8")
    asked = {case.messages[-1].text: case.tools for case in parse_suite(text, name="everyday").cases}
    shown = {one.text: (one.toolset,) for one in QUESTIONS if one.toolset in EVERYDAY}
    assert asked == shown
    assert len(asked) == 10


def test_the_tutorial_has_the_ten_questions() -> None:
    tutorial = (CHECKOUT / "docs/tutorial/first-conversation.md").read_text(encoding="utf-8")
    rows = [f"| `{one.toolset}` | *{one.text}* |" for one in QUESTIONS if one.toolset in EVERYDAY]
    assert [row for row in rows if row not in tutorial] == []


def test_questions_for_other_tools_name_their_toolset() -> None:
    toolsets = [*EVERYDAY, "nonsense"]
    assert questions_for(["get_weather"])[0] == "What is the weather in Paris?"
    assert [one.toolset for one in questions_elsewhere(["get_weather"], toolsets)] == [
        "nonsense",
        "home",
        "office",
    ]
    assert questions_elsewhere(["get_weather"], ["weather"]) == ()


def test_a_question_for_other_tools_chooses_their_toolset(tmp_path: Path) -> None:
    with services_for(tmp_path) as (services, _):
        editors, notice, toolset, disabled = clicked(
            services, "Turn on the light in the kitchen, please.", "home"
        )
        tools, message = editors.changes
        assert '"set_light"' in tools.text
        assert message.text == "Turn on the light in the kitchen, please."
        assert toolset["value"] == ["home"]
        assert disabled == ALL_ENABLED
        assert notice == CLEAR


def test_a_question_for_the_offered_tools_leaves_them(tmp_path: Path) -> None:
    with services_for(tmp_path) as (services, _):
        editors, _, toolset, _ = clicked(services, "What is the weather in Paris?", "")
        assert [change.text for change in editors.changes] == ["What is the weather in Paris?"]
        assert "value" not in toolset


def test_a_question_for_a_toolset_that_is_gone_says_so(tmp_path: Path) -> None:
    with services_for(tmp_path) as (services, _):
        _, notice, *_ = clicked(services, "Play it.", "gone")
        assert "gone" in str(notice)

"""Example questions: where they come from."""

from pathlib import Path

from tests.services import CHECKOUT, services_for
from workbench.suite.read_suite import parse_suite
from workbench.ui.present.questions import QUESTIONS

EVERYDAY = ("weather", "home", "office")


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

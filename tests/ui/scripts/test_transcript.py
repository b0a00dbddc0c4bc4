"""The conversation, and the example questions in its place."""

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from workbench.ui.present.blocks import ProseBlock
from workbench.ui.present.transcript import TranscriptEntry, TranscriptView, show_examples, show_transcript

pytestmark = pytest.mark.browser


def one_message(text: str) -> TranscriptView:
    empty = show_transcript((), (), selected=None, examples=())
    entry = TranscriptEntry(id="first", role="user", blocks=(ProseBlock(text=text),))
    return TranscriptView(entries=(entry,), selected=None, heading=empty.heading, hint="", examples=())


def test_late_examples_do_not_replace_a_session_that_was_opened_meanwhile(component: Component) -> None:
    shown = component.mount("transcript", show_examples(["get_weather"], ()))
    expect(shown.get_by_role("button").first).to_have_text("What is the weather in Paris?")
    component.update(show_examples(["search_docs"], ()))
    expect(shown.get_by_role("button")).to_have_text("What do the documents say about tool calls?")
    component.update(one_message("Hello."))
    component.update(show_examples(["get_weather"], ()))
    expect(shown.get_by_role("listitem")).to_contain_text("Hello.")
    expect(shown.locator(".hw-empty")).to_be_hidden()
    component.update(show_transcript((), (), selected=None, examples=()))
    expect(shown.get_by_role("heading")).to_have_text(
        "See exactly what a tool-calling model reads and writes"
    )


def test_a_question_that_needs_another_toolset_names_it(component: Component) -> None:
    shown = component.mount("transcript", show_examples(["get_flumbuster"], ("home", "nonsense")))
    other = shown.get_by_role("button", name="Turn on the light")
    expect(other).to_contain_text("Uses the toolset home.")
    other.click()
    assert component.events == [
        ("example", {"text": "Turn on the light in the kitchen, please.", "toolset": "home"})
    ]

"""The Inspect tab's handlers."""

from types import SimpleNamespace

import gradio as gr
import pytest

from tests.services import services_for
from workbench.records.versions import NewVersion, VersionKind
from workbench.ui.owners import services_of
from workbench.ui.present.examples import EXAMPLES
from workbench.ui.tabs.inspect import InspectEvents
from workbench.ui.tabs.play.screen import SAME
from workbench.ui.visitor import Visitor

REQUEST = SimpleNamespace(username=None, query_params={})


@pytest.fixture
def events(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        yield InspectEvents(services)


@pytest.mark.parametrize("index", range(len(EXAMPLES)))
def test_an_example_brings_all_that_its_reading_needs(events, index):
    text, toolset, tools, dialect, level, finish_reason, starts_in_thought = events.on_example(
        gr.EventData(None, {"index": index})
    )
    assert (text, toolset) == (EXAMPLES[index].text, "nonsense")
    read, calls, *_ = events.on_read(text, tools, dialect, level, finish_reason, starts_in_thought)
    assert read.sections
    assert {"unknown tool", "invalid arguments"}.isdisjoint(
        call.status.partition(" · ")[0] for call in calls.calls
    )


def test_a_toolset_fills_the_editor_none_empties_it_and_one_that_is_gone_leaves_it(events):
    assert "get_flumbuster" in events.on_toolset(Visitor(), "nonsense", REQUEST)[0]
    assert events.on_toolset(Visitor(), "", REQUEST) == ("", SAME)
    assert events.on_toolset(Visitor(), None, REQUEST) == ("", SAME)
    assert events.on_choices(Visitor(), None, REQUEST) == events.on_choices(Visitor(), "", REQUEST)
    text, notice = events.on_toolset(Visitor(), "gone", REQUEST)
    assert text == SAME
    assert "gone" in notice.lines[0].text


def test_toolsets_that_were_saved_since_can_be_chosen_and_what_is_chosen_stays(events):
    tools = "toolset: own\ntools:\n  - function: {name: mine, parameters: {type: object}}\n"
    own = services_of(events.services, Visitor(), REQUEST)
    own.versions.save(NewVersion(kind=VersionKind.TOOLS, name="own", text=tools))
    offered = [value for _, value in events.on_choices(Visitor(), "gone", REQUEST)["choices"]]
    assert offered[0] == ""
    assert {"own", "gone", "nonsense"} < set(offered)
    assert "mine" in events.on_toolset(Visitor(), "own", REQUEST)[0]


def test_clearing_brings_the_examples_back(events):
    read, calls, _, differ, _ = events.on_read(events.on_clear(), "", "auto", "tolerant", "stop", False)
    assert (read.sections, calls.calls, differ.rows) == ((), (), ())

"""The handlers of the Inspect tab."""

import json
from types import SimpleNamespace

import gradio as gr
import pytest

from tests.services import services_for
from workbench.hermes.parse import parse
from workbench.records.versions import NewVersion, VersionKind
from workbench.toolspec.tools_text import parse_tools
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.owners import services_of
from workbench.ui.present.examples import EXAMPLES
from workbench.ui.present.inspect import show_calls
from workbench.ui.present.notices import CLEAR
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.inspect import InspectEvents

REQUEST = SimpleNamespace(username=None, query_params={})


@pytest.fixture
def events(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        yield InspectEvents(services)


@pytest.mark.parametrize("index", range(len(EXAMPLES)))
def test_an_example_sets_every_field_that_its_reading_needs(events, index):
    editors, toolset, dialect, level, finish_reason, starts_in_thought = events.on_example(
        gr.EventData(None, {"index": index})
    )
    text, tools = (change.text for change in editors.changes)
    assert (text, toolset) == (EXAMPLES[index].text, "nonsense")
    read, calls, *_ = events.on_read(text, tools, dialect, level, finish_reason, starts_in_thought)
    assert read.sections
    assert {"unknown tool", "invalid arguments"}.isdisjoint(
        call.status.partition(" · ")[0] for call in calls.calls
    )


def tools_text(events, toolset):
    editors, notice = events.on_toolset(TabState(), toolset, REQUEST)
    assert notice == SAME
    [change] = editors.changes
    return change.text


def test_choosing_a_toolset_fills_or_empties_the_editor_and_a_missing_one_changes_nothing(events):
    assert "get_flumbuster" in tools_text(events, "nonsense")
    assert tools_text(events, "") == tools_text(events, None) == ""
    assert events.on_choices(TabState(), None, REQUEST) == events.on_choices(TabState(), "", REQUEST)
    text, notice = events.on_toolset(TabState(), "gone", REQUEST)
    assert text == SAME
    assert "gone" in notice.lines[0].text


def test_tools_in_another_form_become_an_array_in_the_editor_and_those_left_out_are_named(events):
    listed = [{"name": name, "inputSchema": {"type": "object"}} for name in ("a", "b")]
    editors, notice = events.on_import_tools(TabState(), json.dumps({"tools": listed}), REQUEST)
    [change] = editors.changes
    assert (change.how, change.field, change.document) == ("replace", "inspect-tools-text", "inspect:tools")
    assert (notice, parse_tools(change.text).names) == (CLEAR, ("a", "b"))
    assert change.note == "The imported tools replaced your text."
    listed[1]["name"] = ""
    [change] = events.on_import_tools(TabState(), json.dumps({"tools": listed}), REQUEST)[0].changes
    assert change.note == "The imported tools replaced your text. Left out: tool 2: the tool has no name."


def test_tools_that_can_no_longer_be_imported_are_kept_and_the_reason_shown(events):
    text, notice = events.on_import_tools(TabState(), "{", REQUEST)
    assert text == SAME
    assert "neither JSON nor YAML" in notice.lines[0].text


def test_newly_saved_toolsets_can_be_chosen_and_the_choice_stays(events):
    tools = "toolset: own\ntools:\n  - function: {name: mine, parameters: {type: object}}\n"
    own = services_of(events.services, TabState(), REQUEST)
    own.versions.save(NewVersion(kind=VersionKind.TOOLS, name="own", text=tools))
    offered = [value for _, value in events.on_choices(TabState(), "gone", REQUEST)["choices"]]
    assert offered[0] == ""
    assert {"own", "gone", "nonsense"} < set(offered)
    assert "mine" in tools_text(events, "own")


def test_an_empty_editor_shows_the_examples_again(events):
    read, calls, _, differ, _ = events.on_read("", "", "auto", "tolerant", "stop", False)
    assert (read.sections, calls.calls, differ.rows) == ((), (), ())


def test_a_call_of_glm_is_not_said_to_have_no_tool_call_block():
    text = "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n</tool_call>"
    hint = show_calls(parse(text)).hint
    assert "<tool_call>" not in hint and "Other formats" in hint

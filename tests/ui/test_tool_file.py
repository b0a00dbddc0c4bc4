"""The file that the Tools tab shows is the whole file of the toolset, with the edited tool in it."""

import gradio as gr
import pytest
import yaml

from tests.services import CHECKOUT, services_for
from tests.ui.requests import page_request
from workbench.records.versions import NewVersion, VersionKind
from workbench.toolbox.catalog_file import parse_toolset
from workbench.toolbox.entry import ToolDraft
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.tools.edit_events import file_text
from workbench.ui.tabs.tools.storage_events import ToolStorageEvents

SPEC = '{"name": "f", "description": "F.", "parameters": {"type": "object", "properties": {}}}'
SHIPPED = (CHECKOUT / "tools_catalog/nonsense.yaml").read_text(encoding="utf-8")


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        yield services


def names(text):
    return [tool.spec.name for tool in parse_toolset(text, where="file").tools]


def test_an_edited_tool_is_shown_among_the_others_of_its_toolset(services):
    draft = services.studio.open_tool("get_flumbuster")
    edited = ToolDraft(spec_text=draft.spec_text, rules_text="- result: {reading: 99}")
    text = file_text(services, edited, "nonsense")
    assert names(text) == names(SHIPPED) and len(names(text)) > 1
    tools = {tool["function"]["name"]: tool for tool in yaml.safe_load(text)["tools"]}
    shipped = {tool["function"]["name"]: tool for tool in yaml.safe_load(SHIPPED)["tools"]}
    assert tools.pop("get_flumbuster")["mocks"] == [{"result": {"reading": 99}}]
    assert shipped.pop("get_flumbuster") and tools == shipped


def test_an_unchanged_tool_shows_the_file_as_it_is(services):
    assert file_text(services, services.studio.open_tool("get_flumbuster"), "nonsense") == SHIPPED


def test_a_new_tool_is_added_to_the_newest_version_of_the_toolset(services):
    saved = services.studio.merged_text(ToolDraft(spec_text=SPEC), toolset="own", before=None)
    services.versions.save(NewVersion(kind=VersionKind.TOOLS, name="own", text=saved))
    assert names(file_text(services, ToolDraft(spec_text=SPEC.replace('"f"', '"g"')), "own")) == ["f", "g"]
    assert names(file_text(services, ToolDraft(spec_text=SPEC), "other")) == ["f"]


@pytest.mark.parametrize("spec", ["", "[]", "{", '{"name": 3}'])
def test_an_invalid_draft_shows_no_file(services, spec):
    assert file_text(services, ToolDraft(spec_text=spec), "nonsense") == ""


def test_a_tool_with_code_does_not_change_the_file(services):
    draft = services.studio.open_tool("calculate")
    assert file_text(services, draft, "nonsense") == SHIPPED


def include(services, name, toolset, act="add"):
    """Send the event of the list of tools, and return the answer."""
    data = gr.EventData(None, {"name": name, "toolset": toolset, "act": act})
    return ToolStorageEvents(services).on_include(TabState(), page_request(), data)


def shown_in(view, toolset):
    """Return the tools that the list shows in a toolset, and whether each is from another one."""
    return [
        (tool.name, tool.is_included)
        for group in view.groups
        if group.name == toolset
        for tool in group.tools
    ]


def test_a_tool_is_added_to_other_toolsets_and_removed(services):
    view = include(services, "get_weather", "nonsense")
    assert (view.note, view.is_problem) == ("Added get_weather to nonsense.", False)
    assert ("get_weather", True) in shown_in(view, "nonsense")
    # The toolset keeps its own tools, in the file's order.
    assert services.tools.select(["nonsense"]).names == ("get_flumbuster", "calculate_zorbix", "get_weather")
    assert shown_in(include(services, "get_weather", "trip"), "trip") == [("get_weather", True)]
    assert services.tools.select(["trip", "weather", "nonsense"]).names[0] == "get_weather"
    # Also a toolset whose tools are code.
    include(services, "get_weather", "arithmetic")
    names_now = services.tools.select(["arithmetic"]).names
    assert (names_now[0], names_now[-1]) == ("calculate", "get_weather")
    view = include(services, "get_weather", "nonsense", "remove")
    assert ("get_weather", True) not in shown_in(view, "nonsense")
    assert services.tools.select(["nonsense"]).names == ("get_flumbuster", "calculate_zorbix")


@pytest.mark.parametrize(
    ("name", "toolset", "problem"),
    [
        ("nothing", "nonsense", "no such tool"),
        ("get_weather", "weather", "is declared in it"),
        ("get_weather", "a/b", "not usable as a file name"),
        ("get_weather", "", "not usable as a file name"),
    ],
)
def test_a_tool_that_cannot_be_added_is_reported(services, name, toolset, problem):
    view = include(services, name, toolset)
    assert (problem in view.note, view.is_problem) == (True, True)


def test_an_imported_tool_opens_and_a_taken_name_is_reported_once(services):
    def imported(name):
        return ToolStorageEvents(services).on_import(
            TabState(), SPEC.replace('"f"', f'"{name}"'), "own", page_request()
        )

    view, notice = imported("get_it")
    assert (view.open_name, view.opens) == ("get_it", True)
    assert notice.lines[0].text.startswith("Imported 1 tool")
    view, notice = imported("get_weather")
    assert view is SAME
    [line] = notice.lines
    assert line.text == (
        "toolset 'own': tool 'get_weather' is also declared in toolset 'weather' (rename the tool)"
    )

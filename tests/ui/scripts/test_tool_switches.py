"""The switches of the tools belong to the browser: an answer about the names of the tools moves none of them."""

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.scripts.component import Component
from workbench.ui.present.setup import ALL_ENABLED, ToolSwitchesView

pytestmark = pytest.mark.browser


def names(*tools: str) -> ToolSwitchesView:
    return ToolSwitchesView(names=tools)


@pytest.fixture
def switches(component: Component) -> Component:
    """Three tools, of which the second is off."""
    component.mount("tool_switches", ToolSwitchesView(names=("a", "b", "c"), disabled=("b",)))
    component.page.evaluate("stubs.events.splice(0)")
    return component


def box(component: Component, tool: str) -> Locator:
    return component.element.get_by_role("checkbox", name=tool, exact=True)


def off(component: Component) -> list[str]:
    """The tools that are off: those of the component's value, which must be those that the boxes show."""
    tools = component.value["names"]
    shown = [tool for tool in tools if not box(component, tool).is_checked()]
    assert component.value["disabled"] == shown
    return shown


def test_a_switch_counts_at_once(switches: Component) -> None:
    assert off(switches) == ["b"]
    box(switches, "c").uncheck()
    box(switches, "b").check()
    assert off(switches) == ["c"]
    assert switches.events == [("switch_tool", {}), ("switch_tool", {})]


def test_an_answer_with_the_names_moves_no_switch_and_keeps_the_focus(switches: Component) -> None:
    box(switches, "a").focus()
    switches.press("Space")
    switches.update(names("a", "b", "c"))
    assert off(switches) == ["a", "b"]
    expect(box(switches, "a")).to_be_focused()
    assert [name for name, _ in switches.events] == ["switch_tool"]


def test_new_tools_are_on_and_the_others_stay_as_they_are(switches: Component) -> None:
    switches.update(names("d", "c", "b"))
    assert switches.value["names"] == ["d", "c", "b"]
    assert off(switches) == ["b"]
    assert switches.events == []


def test_a_tool_that_comes_back_has_its_switch(switches: Component) -> None:
    switches.update(names("a"))
    assert off(switches) == []
    switches.update(names("a", "b"))
    assert off(switches) == ["b"]


def test_a_setup_that_is_filled_in_sets_the_switches(switches: Component) -> None:
    switches.update(ToolSwitchesView(names=("a", "b"), disabled=("a",)))
    assert off(switches) == ["a"]
    switches.update(ALL_ENABLED)
    assert off(switches) == []
    # What follows from the switches is asked for.
    assert [name for name, _ in switches.events] == ["switch_tool", "switch_tool"]


def test_a_page_without_tools_has_no_switches(component: Component) -> None:
    component.mount("tool_switches")
    assert component.value == {"names": [], "disabled": []}
    assert component.events == []

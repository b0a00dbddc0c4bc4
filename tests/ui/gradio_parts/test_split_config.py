"""Tabs that are sent to the browser when they are opened for the first time."""

import json
from collections import Counter

import gradio as gr
import pytest

from tests.services import services_for
from workbench.app.api.functions import API_FUNCTIONS
from workbench.records.owner import UserRole
from workbench.ui.gradio_parts.page_blocks import PageBlocks
from workbench.ui.gradio_parts.slim_config import slim_component, slim_event
from workbench.ui.gradio_parts.split_config import split_page
from workbench.ui.page import build_page
from workbench.ui.page_checks import PageChecks
from workbench.ui.tab_loader import LAZY_TABS

_OF_SERVER = {
    "_api_info",
    "component_class_name",
    "delete_callback",
    "name",
    "preserved_by_key",
    "script",
    "visible",
}
"""Properties with a value that the browser does not need."""


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    with services_for(tmp_path_factory.mktemp("page"), "Hello.") as (services, _):
        yield build_page(services).blocks.get_config_file()


@pytest.fixture(scope="module")
def parts(config):
    """What the page and each further tab consist of."""
    start, tabs = split_page(config, LAZY_TABS)
    assert set(tabs) == set(LAZY_TABS)
    return [start, *tabs.values()]


def ids(components):
    return [component["id"] for component in components]


@pytest.mark.slow
def test_every_component_and_event_of_the_page_is_sent_once(config, parts):
    shown = {block["id"] for block in config["components"] if block["type"] not in {"api", "state"}}
    sent = Counter(block_id for part in parts for block_id in ids(part["components"]) if block_id in shown)
    tabs = {tab["layout"]["id"] for tab in parts[1:]}
    assert sent == {block_id: 2 if block_id in tabs else 1 for block_id in shown}
    events = [event["id"] for event in config["dependencies"] if event["api_name"] not in API_FUNCTIONS]
    assert Counter(ids(event for part in parts for event in part["dependencies"])) == Counter(events)


def test_an_event_of_a_component_is_sent_even_if_it_is_not_private():
    """Gradio's own components, such as the button that signs in, have public events."""

    def function(text: str) -> str:
        return text

    with PageBlocks(PageChecks(lambda _: UserRole.LOCAL), analytics_enabled=False) as blocks:
        field = gr.Textbox()
        field.change(function, field, field).then(function, field, field)
        gr.api(function)
    start, _ = split_page(blocks.get_config_file(), LAZY_TABS)
    assert [event["api_visibility"] for event in start["dependencies"]] == ["public"] * 2


def test_the_page_starts_with_a_quarter_of_its_configuration(config, parts):
    assert len(json.dumps(parts[0], default=str)) < len(json.dumps(config, default=str)) / 4


def test_an_event_is_sent_with_what_triggers_it_and_with_what_it_follows(parts):
    for part in parts:
        events, blocks = {event["id"] for event in part["dependencies"]}, set(ids(part["components"]))
        for event in part["dependencies"]:
            follows = event.get("trigger_after")
            assert follows is None or follows in events, event
            targets = {_target(target) for target in event["targets"] if target[1] not in {"load", "unload"}}
            assert follows is not None or targets <= blocks, event


def _target(target):
    """Return the component whose event this is. That of our own one is an event of the page, such as `pick 12`."""
    block_id, name = target
    return int(name.split()[1]) if " " in name else block_id


def test_events_of_our_own_components_need_no_search_for_them(config, parts):
    root_id = config["layout"]["id"]
    own = {block["id"] for block in config["components"] if block["type"] == "drawn"}
    sent = [target for part in parts for event in part["dependencies"] for target in event["targets"]]
    assert not own & {block_id for block_id, _ in sent}
    triggered = {
        (root_id, f"{name} {block_id}")
        for event in config["dependencies"]
        for block_id, name in event["targets"]
        if block_id in own
    }
    assert triggered and triggered <= {tuple(target) for target in sent}


def test_an_event_reads_only_what_the_browser_has_and_waits_for_a_tab_that_it_writes_to(parts):
    start = set(ids(parts[0]["components"]))
    for part in parts:
        present = start | set(ids(part["components"]))
        for event in part["dependencies"]:
            assert set(event["inputs"]) <= present, event
            assert set(event["outputs"]) <= present or "loadTab" in (event.get("js") or ""), event


def test_what_runs_when_a_tab_is_selected_runs_also_when_it_arrives(parts):
    for tab in parts[1:]:
        tab_id = tab["layout"]["id"]
        for event in tab["dependencies"]:
            targets = [list(target) for target in event["targets"]]
            assert ([tab_id, "select"] in targets) == ([tab_id, "load"] in targets)


def test_only_the_page_itself_runs_events_when_it_is_loaded(parts):
    started = [
        event["api_name"]
        for event in parts[0]["dependencies"]
        if any(n == "load" for _, n in event["targets"])
    ]
    assert started == ["on_page"]


def test_only_the_model_is_loaded_and_servers_are_asked_after_the_page_was(parts):
    events = {event["id"]: event for event in parts[0]["dependencies"]}
    (page,) = (number for number, event in events.items() if event["api_name"] == "on_page")
    following = [
        event for event in events.values() if event.get("trigger_after") == page and event["backend_fn"]
    ]
    assert [event["api_name"].rstrip("_0123456789") for event in following] == ["on_warm", "on_servers"]
    assert all("drop(" in event["js"] for event in following), "neither is sent if it has nothing to do"


def test_a_field_can_be_edited_if_it_could_be_on_a_page_that_is_sent_as_a_whole(config, parts):
    def editable(block, events):
        props = block["props"]
        read = any(block["id"] in event["inputs"] for event in events)
        written = any(block["id"] in event["outputs"] for event in events)
        declared = props.get("interactive")
        return declared if declared is not None else read or (not written and not props.get("value"))

    whole = {block["id"]: editable(block, config["dependencies"]) for block in config["components"]}
    known = parts[0]["dependencies"]
    for part in parts:
        for block in part["components"]:
            if block["type"] != "state":
                assert editable(block, known) == whole[block["id"]], block["props"].get("elem_id")


def test_nothing_that_the_browser_uses_is_left_out(config):
    for before in config["components"]:
        after = slim_component(before)
        assert (after["id"], after["type"]) == (before["id"], before["type"])
        props = after["props"]
        dropped = {name: value for name, value in before["props"].items() if name not in props}
        assert {name for name, value in dropped.items() if value} <= _OF_SERVER
    assert config["components"][0].keys() >= {"api_info", "props"}, "the server keeps all of it"
    for before in config["dependencies"]:
        dropped = before.keys() - slim_event(before).keys()
        assert not any(before[name] for name in dropped - {"max_batch_size", "stream_every"})

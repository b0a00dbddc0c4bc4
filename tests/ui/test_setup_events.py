"""The handlers of the Setup column, without a browser."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from tests.services import services_for
from tests.ui.requests import page_request
from workbench.toolspec.tools_text import parse_tools
from workbench.ui.present.documents import EditorsView
from workbench.ui.present.notices import CLEAR
from workbench.ui.present.setup import SETUP_FIELDS, SystemTextView, ToolSwitchesView, show_setup
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play import setup_events
from workbench.ui.tabs.play.setup_events import SetupEvents


def test_a_model_that_is_loaded_while_the_texts_are_checked_counts_their_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    advise = setup_events.grammar_advice

    def advise_while_the_model_is_loaded(tools: Any) -> Any:
        services.models.engine(services.settings.model)
        return advise(tools)

    with services_for(tmp_path, "Hello.") as (services, _):
        monkeypatch.setattr(setup_events, "grammar_advice", advise_while_the_model_is_loaded)
        setup = services.setup_for()
        assert not services.models.status(setup.model).is_loaded
        fields = [show_setup(setup)[name] for name in SETUP_FIELDS]
        text = setup.contract_text
        shown = SetupEvents(services).on_texts(TabState(), "minimal", text, page_request(), *fields)
        assert "tokens" in cast(SystemTextView, shown.system_text).size


def test_tools_in_another_form_are_offered_for_import_and_become_an_array(tmp_path: Path) -> None:
    listed = [{"name": name, "inputSchema": {"type": "object"}} for name in ("a", "b")]
    pasted = json.dumps({"tools": listed})
    with services_for(tmp_path) as (services, _):
        events, setup = SetupEvents(services), services.setup_for()
        fields = [show_setup(setup)[name] for name in SETUP_FIELDS]
        fields[SETUP_FIELDS.index("tools_text")] = pasted
        shown = events.on_texts(TabState(), "minimal", setup.contract_text, page_request(), *fields)
        (line,) = shown.tools_notice.lines
        assert line.offer == "Import these 2 tools"
        editors, notice = events.on_import_tools(TabState(), pasted, page_request())
        (change,) = cast(EditorsView, editors).changes
        assert notice == CLEAR and parse_tools(change.text).names == ("a", "b")


@pytest.mark.parametrize("key", ["inputSchema", "input_schema"])
def test_tools_with_the_keys_of_another_api_are_offered_for_import(tmp_path: Path, key: str) -> None:
    pasted = json.dumps([{"name": name, key: {"type": "object"}} for name in ("a", "b")])
    with services_for(tmp_path) as (services, _):
        setup = services.setup_for()
        fields = [show_setup(setup)[name] for name in SETUP_FIELDS]
        fields[SETUP_FIELDS.index("tools_text")] = pasted
        events = SetupEvents(services)
        shown = events.on_texts(TabState(), "minimal", setup.contract_text, page_request(), *fields)
    first, *others = shown.tools_notice.lines
    assert (first.offer, [line.offer for line in others]) == ("Import these 2 tools", [""])
    assert cast(ToolSwitchesView, shown.switches).names == ("a", "b")


def test_each_tool_that_an_import_leaves_out_is_named_with_its_fault(tmp_path: Path) -> None:
    schemas = {"a": {"type": "object"}, "b": {"type": "objekt"}, "": {"type": "object"}}
    pasted = json.dumps({"tools": [{"name": name, "inputSchema": schemas[name]} for name in schemas]})
    with services_for(tmp_path) as (services, _):
        editors, notice = SetupEvents(services).on_import_tools(TabState(), pasted, page_request())
    (change,) = cast(EditorsView, editors).changes
    assert notice == CLEAR and parse_tools(change.text).names == ("a",)
    assert change.note == (
        "The imported tools replaced your text. Left out: tool 'b': the schema of the arguments must have type"
        " object; tool 3: the tool has no name."
    )

"""The built page: its API, its components and its scripts."""

import json
import os
import re
import socket
from dataclasses import replace
from pathlib import Path

import gradio as gr
import pytest

from tests.served import free_port
from tests.services import services_for
from workbench.app.api.functions import API_FUNCTIONS
from workbench.app.hosts import check_address
from workbench.errors import BadInput
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import ChoiceField, CodeEditor, TextField
from workbench.ui.gradio_parts.listen import AT_ONCE
from workbench.ui.page import build_page, launch_options, page_head
from workbench.ui.present.raw import RawSection, RawView
from workbench.ui.present.text_spans import TextSpan
from workbench.ui.script_files import head_script, joined_scripts, script_paths, scripts_address
from workbench.ui.serve import serve_page
from workbench.ui.style_files import STYLE_FOLDER, joined_styles, styles_address
from workbench.ui.tabs.play.screen import Screen

UI = Path(__file__).parents[2] / "workbench" / "ui"
SCRIPTS = sorted(script_paths().values())
ALL_SCRIPTS = sorted(UI.rglob("*.js"))


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    with services_for(tmp_path_factory.mktemp("page"), "Hello.") as (services, _):
        yield build_page(services).blocks.get_config_file()


@pytest.mark.slow
def test_the_api_has_its_functions_and_no_event_of_the_page(config):
    offered = {event["api_name"] for event in config["dependencies"] if event["api_visibility"] != "private"}
    assert offered == set(API_FUNCTIONS)
    assert len(config["dependencies"]) > 50


@pytest.mark.slow
def test_the_api_functions_have_their_recorded_parameters_and_results(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        described = build_page(services).blocks.get_api_info()["named_endpoints"]
    found = {
        name: {
            "parameters": [
                [parameter["parameter_name"], parameter["parameter_has_default"]]
                for parameter in function["parameters"]
            ],
            "returns": [value["type"] for value in function["returns"]],
        }
        for name, function in described.items()
    }
    golden = UI.parents[1] / "tests" / "golden" / "api.json"
    if os.environ.get("WRITE_GOLDEN"):
        golden.write_text(json.dumps(found, indent=2) + "\n")
    assert found == json.loads(golden.read_text())


@pytest.mark.slow
def test_all_model_work_shares_one_concurrency_limit(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        page = build_page(services)
    lines = {fn.name: fn.concurrency_id for fn in page.blocks.fns.values()}
    assert lines["on_watch"] == lines["on_warm"] == "model"
    assert {fn.concurrency_limit for fn in page.blocks.fns.values() if fn.concurrency_id == "model"} == {
        AT_ONCE
    }
    assert lines["on_texts"] != "model"


def test_events_of_which_only_the_last_counts_have_different_names(config):
    latest = [event["js"] for event in config["dependencies"] if event["trigger_mode"] == "always_last"]
    names = [name for js in latest for name in re.findall(r"newest\('([^']+)'", js)]
    assert len(names) == len(latest) > 15
    assert len(names) == len(set(names))


def test_element_ids_are_unique(config):
    ids = [component["props"].get("elem_id") for component in config["components"]]
    named = [elem_id for elem_id in ids if elem_id]
    assert len(named) == len(set(named))
    assert {"play-composer", "play-transcript", "play-raw", "play-contract-text", "play-send"} <= set(named)


def test_every_text_field_starts_with_a_text_value(config):
    texts = [
        component["props"] for component in config["components"] if component["type"] in ("textbox", "code")
    ]
    assert len(texts) > 40
    assert [props.get("elem_id") for props in texts if not isinstance(props.get("value"), str)] == []


@pytest.mark.parametrize("field", [TextField, CodeEditor])
def test_an_empty_text_field_holds_the_empty_text(field):
    empty = field()
    assert (empty.preprocess(None), empty.preprocess(" a ")) == ("", " a ")
    assert (empty.postprocess(None), empty.postprocess(" a ")) == ("", " a ")


def test_a_choice_field_accepts_values_that_are_not_among_its_choices():
    assert ChoiceField(["a"]).preprocess("gone") == "gone"
    assert ChoiceField(["a"], multiselect=True).postprocess(["gone"]) == ["gone"]


def test_the_page_requests_nothing_from_other_hosts(config):
    theme = launch_options()["theme"]
    assert theme._stylesheets == []
    assert "http" not in joined_styles()
    assert len(SCRIPTS) > 50
    for path in ALL_SCRIPTS:
        assert "http" not in path.read_text().replace("http://www.w3.org/2000/svg", ""), path.name


def test_no_script_parses_text_as_html():
    for path in ALL_SCRIPTS:
        if path.stem == "lit_html":  # parses templates of our scripts, and sets what they show as text
            assert "unsafeHTML" not in path.read_text()
            continue
        script = path.read_text()
        for way in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
        ):
            assert way not in script, path.name


def test_a_value_is_sent_to_the_browser_as_json():
    view = RawView(
        sections=(RawSection(role="user", label="user", note="", pieces=(TextSpan(text="${x} \\n"),)),)
    )
    part = Drawn("raw", view, elem_id="raw")
    assert json.loads(json.dumps(part.value))["sections"][0]["pieces"][0]["text"] == "${x} \\n"


def test_scripts_and_styles_are_served_as_files_and_not_inside_the_page(config):
    drawn = [component["props"] for component in config["components"] if component["type"] == "drawn"]
    assert len(drawn) > 80
    assert all(len(props["script"]) < 30 and "js_on_load" not in props for props in drawn)
    head = page_head()
    assert f'<link rel="modulepreload" href="{scripts_address()}">' in head
    assert head.count("modulepreload") == 1
    assert f'<link rel="stylesheet" href="{styles_address()}">' in head


def test_each_style_rule_is_sent_once_and_outweighs_those_of_gradio():
    joined = joined_styles()
    version = gr.__version__.replace(".", "-")
    whole, _, weighted = joined.partition(
        f":is(:root, .gradio-container.gradio-container-{version} .contain) {{"
    )
    sheets = {path.stem: path.read_text(encoding="utf-8") for path in STYLE_FOLDER.glob("*.css")}
    assert whole == sheets.pop("document")
    assert len(sheets) > 5 and all(
        joined.count(text) == weighted.count(text) == 1 for text in sheets.values()
    )


def test_the_joined_scripts_hold_what_each_script_exports_after_what_it_imports():
    joined = joined_scripts()
    places = {path.stem: joined.index(f"scripts.{path.stem} = ") for path in SCRIPTS}
    for path in SCRIPTS:
        text = path.read_text(encoding="utf-8")
        exported = re.findall(r"^export (?:async )?(?:const|function|class|let) (\w+)", text, re.MULTILINE)
        assert f"return {{ {', '.join(exported)} }};" in joined
        for imported in re.findall(r'from "[./\w]+/(\w+)\.js"', text):
            assert places[imported] < places[path.stem]
    assert not re.search(r"^import ", joined, re.MULTILINE)


def test_the_page_gets_scripts_without_comments_and_with_all_of_their_code():
    joined = joined_scripts() + head_script("router")
    assert not re.search(r"/\*\*|^ *//", joined, re.MULTILINE)
    # A parameter on a line of its own, or after another, with its type before it.
    assert "const isSameAction = (left, right) =>" in joined
    assert "onTab = (work) =>" in joined


def test_listening_to_an_event_that_no_script_triggers_is_an_error():
    part = Drawn("transcript", elem_id="transcript")
    assert part.event("message_act")
    with pytest.raises(AttributeError, match=r"transcript\.js does not trigger 'mesage_act'"):
        part.event("mesage_act")


def test_an_editor_keeps_all_white_space():
    part = CodeEditor(" \n text \n\n", elem_id="editor")
    assert part.value == " \n text \n\n"
    assert part.get_block_name() == "code"


def test_building_the_page_writes_no_files_next_to_the_components():
    assert not list(UI.rglob("*.pyi"))


def test_an_empty_screen_changes_no_component():
    assert all(value in ({"__type__": "update"}, ()) for value in Screen())


def test_a_port_in_use_is_an_error_that_says_what_to_do(tmp_path):
    with socket.socket() as taken, services_for(tmp_path, "Hello.") as (services, _):
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        settings = replace(services.settings, host="127.0.0.1", port=port)
        with pytest.raises(BadInput, match=rf"{port}.*WORKBENCH_PORT"):
            serve_page(replace(services, settings=settings))


@pytest.mark.slow
def test_a_space_that_asks_for_rendering_on_the_server_gets_the_page_all_the_same(tmp_path, monkeypatch):
    launched = {}

    def launch(blocks, **options):
        launched.update(options, is_rendered_here=blocks._resolve_ssr_mode(options.get("ssr_mode")))
        raise BadInput("launch", "the test ends here", "")

    monkeypatch.setenv("GRADIO_SSR_MODE", "true")
    monkeypatch.setattr(gr.Blocks, "launch", launch)
    with services_for(tmp_path, "Hello.") as (services, _), pytest.raises(BadInput, match="ends here"):
        settings = replace(services.settings, port=free_port())
        serve_page(replace(services, settings=settings))
    assert launched["is_rendered_here"] is False


def test_an_address_of_another_machine_is_an_error():
    with pytest.raises(BadInput, match="cannot listen on this address"):
        check_address("192.0.2.1", 7860)

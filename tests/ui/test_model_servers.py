"""Servers on the Models tab and in the picker of models, for an owner of the machine and for visitors of a Space."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.engines.remote.scripted_server import ScriptedServer, scripted_server
from tests.engines.remote.test_server_lists import KEY, listing, with_key
from tests.engines.remote.test_server_report import HERMES, ToolServer, served
from tests.served import free_port
from tests.services import services_for
from tests.ui.requests import page_request
from workbench.app.services import Services
from workbench.engines.remote.server import ServerKind
from workbench.ui.present.model_servers import GUEST_NOTE, TOY, ModelPickerView, ModelServersView, PickerGroup
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.model_servers import ModelServerEvents, PickerEvents
from workbench.ui.tabs.models_tab import ModelsEvents, Pulls

SPACE = {"SPACE_ID": "o/s", "SPACE_HOST": "o-s.hf.space"}
ANN, BOB = TabState(browser_key="browser:ann"), TabState(browser_key="browser:bob")


def event(**data: object) -> Any:
    return SimpleNamespace(_data=data)


def draft(url: str, **data: object) -> Any:
    form = {"name": "", "new_name": "", "url": url, "kind": "openai", "key": "", "key_place": "session"}
    return event(**form | {"key_variable": ""} | data)


@pytest.fixture
def lab() -> Iterator[ScriptedServer]:
    with scripted_server(with_key("hermes")) as server:
        yield server


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Services]:
    with services_for(tmp_path) as (services, _):
        yield services


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setattr("workbench.engines.remote.transport.guarded_client._require_public", lambda *_: None)
    with services_for(tmp_path, variables=SPACE) as (services, _):
        yield services


def view(shown: Any) -> ModelServersView:
    return cast(ModelServersView, shown.servers)


def test_a_server_is_added_without_a_name_used_edited_and_removed(local: Services, lab: ScriptedServer):
    events = ModelServerEvents(local)
    shown = events.on_save(TabState(), page_request(), draft(lab.url, key=KEY.reveal()))
    (line,) = view(shown).servers
    assert (line.name, line.status, line.reason) == ("127.0.0.1", "vllm · 1 model", "")
    assert line.kind == "openai", "an edit must not fix what was detected"
    assert [(model.name, model.modes) for model in line.models] == [
        ("openai:127.0.0.1/hermes", ("chat", "raw"))
    ]
    assert "openai:127.0.0.1/hermes" in shown.model["choices"]
    shown = events.on_save(
        TabState(), page_request(), draft(lab.url, name="127.0.0.1", new_name="lab", key="wrong")
    )
    (line,) = view(shown).servers
    assert (line.name, line.status) == ("lab", "failed")
    assert "the API key was refused" in line.reason and "edit the server 'lab'" in line.reason
    assert view(events.on_remove(TabState(), page_request(), event(name="lab"))).servers == ()


def test_what_is_wrong_with_a_form_is_shown_and_the_form_stays(local: Services):
    shown = view(ModelServerEvents(local).on_save(TabState(), page_request(), draft("nowhere")))
    assert (shown.has_failed, shown.servers) == (True, ())
    assert "not an address" in shown.problems[0]


def test_a_key_is_in_no_view_and_no_file(local: Services, lab: ScriptedServer, tmp_path: Path):
    shown = ModelServerEvents(local).on_save(TabState(), page_request(), draft(lab.url, key=KEY.reveal()))
    assert KEY.reveal() not in repr(shown)
    assert all(
        KEY.reveal().encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    )


def test_a_test_shows_its_problems_with_their_remedies(local: Services):
    with served(ToolServer(calls=0, content=HERMES), ServerKind.VLLM) as (_, url):
        events = ModelServerEvents(local)
        events.on_save(TabState(), page_request(), draft(url, new_name="lab"))
        (line,) = view(events.on_test(TabState(), page_request(), event(name="lab"))).servers
    assert line.report[0].text == "1 problem found with hermes"
    (found,) = [line.text for line in line.report if line.is_problem]
    assert "start vLLM with --enable-auto-tool-choice --tool-call-parser hermes" in found


def test_the_picker_lists_local_models_servers_and_failures(local: Services, lab: ScriptedServer):
    events = ModelServerEvents(local)
    events.on_save(TabState(), page_request(), draft(lab.url, new_name="lab", key=KEY.reveal()))
    events.on_save(TabState(), page_request(), draft("http://127.0.0.1:1/v1", new_name="down"))
    *_, last = PickerEvents(local).on_open(TabState(), "embedded", page_request())
    groups = {group.title: group for group in cast(Any, last.picker).groups}
    assert groups["On this machine"].models[0].note == TOY
    assert [model.title for model in groups["lab"].models] == ["hermes"]
    assert (groups["down"].retry, groups["down"].reason.startswith("no answer")) == ("down", True)
    assert cast(Any, last.picker).can_add


def group_of(shown: Any, title: str) -> PickerGroup:
    (group,) = (group for group in cast(ModelPickerView, shown.picker).groups if group.title == title)
    return group


def test_retry_lists_a_server_that_was_down_or_shows_its_reason_again(local: Services):
    events, port = ModelServerEvents(local), free_port()
    url = f"http://127.0.0.1:{port}/v1"
    (down,) = view(events.on_save(TabState(), page_request(), draft(url, new_name="lab"))).servers
    (still_down,) = view(events.on_retry(TabState(), page_request(), event(name="lab"))).servers
    assert (still_down.status, still_down.reason) == ("failed", down.reason)
    assert down.reason.startswith("no answer")
    with scripted_server(listing("hermes"), port=port):
        shown = events.on_retry(TabState(), page_request(), event(name="lab"))
    (line,) = view(shown).servers
    assert (line.status, line.reason) == ("vllm · 1 model", "")
    assert [model.name for model in line.models] == ["openai:lab/hermes"]
    assert "openai:lab/hermes" in shown.model["choices"]


def test_retry_in_the_picker_lists_a_server_that_was_down_or_shows_its_reason_again(local: Services):
    events, port = PickerEvents(local), free_port()
    url = f"http://127.0.0.1:{port}/v1"
    ModelServerEvents(local).on_save(TabState(), page_request(), draft(url, new_name="lab"))
    *_, opened = events.on_open(TabState(), "embedded", page_request())
    still_down = events.on_retry(TabState(), "embedded", page_request(), event(name="lab"))
    assert group_of(still_down, "lab") == group_of(opened, "lab")
    assert group_of(still_down, "lab").reason.startswith("no answer")
    with scripted_server(listing("hermes"), port=port):
        shown = events.on_retry(TabState(), "embedded", page_request(), event(name="lab"))
    up = group_of(shown, "lab")
    assert ([model.title for model in up.models], up.reason, up.retry) == (["hermes"], "", None)
    assert "openai:lab/hermes" in cast(Any, shown.model)["choices"]


def test_the_server_of_the_settings_can_be_asked_again(tmp_path: Path):
    port = free_port()
    variables = {"WORKBENCH_OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1"}
    with services_for(tmp_path, variables=variables) as (services, _):
        *_, opened = PickerEvents(services).on_open(TabState(), "", page_request())
        assert group_of(opened, "Server of the settings").retry == ""
        with scripted_server(listing("hermes"), port=port):
            picked = PickerEvents(services).on_retry(TabState(), "", page_request(), event(name=""))
            listed = ModelServerEvents(services).on_retry(TabState(), page_request(), event(name=""))
    assert group_of(picked, "Server of the settings").reason == ""
    assert [line.status for line in view(listed).servers] == ["vllm · 1 model"]


def test_a_server_that_fails_again_keeps_the_models_that_it_listed(local: Services):
    with scripted_server(listing("hermes")) as server:
        ModelServerEvents(local).on_save(TabState(), page_request(), draft(server.url, new_name="lab"))
    shown = PickerEvents(local).on_retry(TabState(), "openai:lab/hermes", page_request(), event(name="lab"))
    down = group_of(shown, "lab")
    assert down.reason.startswith("no answer")
    assert [model.title for model in down.models] == ["hermes"]
    assert "openai:lab/hermes" in cast(Any, shown.model)["choices"]


def test_a_retry_of_a_server_that_was_removed_meanwhile_changes_only_the_lists(local: Services):
    shown = ModelServerEvents(local).on_retry(TabState(), page_request(), event(name="gone"))
    assert "no such server" in view(shown).problems[0]
    picked = PickerEvents(local).on_retry(TabState(), "embedded", page_request(), event(name="gone"))
    assert "gone" not in [group.title for group in cast(ModelPickerView, picked.picker).groups]


def test_visitors_add_servers_for_themselves_only(space: Services, lab: ScriptedServer):
    events = ModelServerEvents(space)
    shown = view(events.on_save(ANN, page_request(), draft(lab.url, new_name="mine", key=KEY.reveal())))
    assert [line.status for line in shown.servers] == ["vllm · 1 model"]
    assert (shown.note, shown.key_places) == (GUEST_NOTE, ())
    *_, ann = PickerEvents(space).on_open(ANN, "", page_request())
    *_, bob = PickerEvents(space).on_open(BOB, "", page_request())
    assert "mine" in [group.title for group in cast(Any, ann.picker).groups]
    assert "mine" not in [group.title for group in cast(Any, bob.picker).groups]
    assert "no such server" in view(events.on_remove(BOB, page_request(), event(name="mine"))).problems[0]
    assert not (space.settings.data / "servers.yaml").exists()


def test_a_visitor_cannot_name_a_variable_of_the_machine(space: Services, lab: ScriptedServer, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", KEY.reveal())
    data = {"new_name": "mine", "key_place": "variable", "key_variable": "HF_TOKEN"}
    (line,) = view(ModelServerEvents(space).on_save(ANN, page_request(), draft(lab.url, **data))).servers
    assert "it needs an API key" in line.reason
    assert all("Authorization" not in sent.headers for sent in lab.requests)


def test_visitors_see_no_downloads_and_owners_of_the_machine_do(space: Services, local: Services):
    for services, state, is_visible in ((space, ANN, False), (local, TabState(), True)):
        first, *_ = ModelsEvents(services, Pulls()).on_open(state, page_request())
        assert cast(Any, first.get)["visible"] is is_visible

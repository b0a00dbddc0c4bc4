"""Models of servers on the page: listed, checked when chosen, and never waited for before the page opens."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.engines.remote.scripted_server import ScriptedServer, scripted_server
from tests.engines.remote.test_server_lists import KEY, with_key
from tests.services import services_for
from tests.ui.requests import page_request
from workbench.app.services import Services
from workbench.ui.present.notices import CLEAR
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.models_tab import ModelsEvents, Pulls
from workbench.ui.tabs.play.setup_events import SetupEvents


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server(with_key("hermes", "other")) as served:
        yield served


@pytest.fixture
def opened(tmp_path: Path, server: ScriptedServer) -> Callable[[str], AbstractContextManager[Services]]:
    @contextmanager
    def services(key: str) -> Iterator[Services]:
        variables = {
            "WORKBENCH_MODEL": "openai:hermes",
            "WORKBENCH_OPENAI_BASE_URL": server.url,
            "WORKBENCH_OPENAI_API_KEY": key,
        }
        with services_for(tmp_path, variables=variables) as (services, _):
            yield services

    return services


def test_the_page_is_built_and_its_header_shown_without_asking_the_server(opened, server):
    with opened(KEY.reveal()) as services:
        header = SetupEvents(services).header(services, "openai:hermes")
        assert header.text == f"openai:hermes · {server.url} · not contacted"
        assert (header.is_loaded, header.asks_servers, server.requests) == (False, True, [])


def test_a_chosen_model_is_ready_and_the_others_can_be_chosen(opened, server):
    with opened(KEY.reveal()) as services:
        events = SetupEvents(services)
        header, notice = events.on_warm(TabState(), "openai:hermes", "auto", None, page_request())
        assert header.text.endswith("· ready")
        assert notice == CLEAR
        assert {"openai:hermes", "openai:other"} <= set(
            events.on_servers(TabState(), None, page_request())["choices"]
        )
        listing, *probes = server.requests
        assert listing.path == "/v1/models"
        assert not events.header(services, "openai:hermes").asks_servers
        # Its list is asked for once, and finding out what it can do takes a token at most.
        assert {sent.body.get("max_tokens") for sent in probes} == {1}


@pytest.mark.parametrize(
    ("key", "model", "words"),
    [("wrong", "openai:hermes", "the API key was refused"), ("sk-right", "openai:nope", "no model 'nope'")],
)
def test_a_wrong_key_or_model_is_reported_when_it_is_chosen(opened, key, model, words):
    with opened(key) as services:
        header, notice = SetupEvents(services).on_warm(TabState(), model, "auto", None, page_request())
        assert header.text.endswith("· not contacted")
        assert words in notice.lines[0].text


def test_the_models_tab_shows_what_it_has_and_then_what_the_servers_list(opened):
    with opened(KEY.reveal()) as services:
        first, then = ModelsEvents(services, Pulls()).on_open(TabState(), page_request())
        assert "openai:other" not in [row.name for row in first.here.rows]
        assert "openai:other" in [row.name for row in then.here.rows]
        assert "openai:other" in then.model["choices"]

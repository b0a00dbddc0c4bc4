"""The first visit, without a browser."""

from pathlib import Path
from threading import Event
from typing import Any, cast

import gradio as gr
import pytest

from tests.services import services_for
from tests.ui.requests import page_request
from workbench.app.running_turn import RunningTurn
from workbench.app.services import Services
from workbench.app.turn_request import TurnRequest
from workbench.ui import guide
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.guide import GuideEvents
from workbench.ui.present.guide import KEYS, DemoView, TourView
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.opening_events import OpeningEvents
from workbench.ui.tabs.play.screen import Screen
from workbench.ui.tabs.play.session_events import SessionEvents
from workbench.ui.tabs.play.setup_events import SetupEvents


def guide_events(services: Services) -> GuideEvents:
    return GuideEvents(services, SessionEvents(services, SetupEvents(services)))


def first_screen(events: GuideEvents) -> Screen:
    event = gr.EventData(target=None, _data={"asked": ""})
    return events.on_first_visit(TabState(), page_request(), event)


def test_the_page_offers_the_tour_to_visitors_without_sessions(tmp_path: Path) -> None:
    with services_for(tmp_path, "Hello.") as (services, play):
        opening = OpeningEvents(services, SessionEvents(services, SetupEvents(services)))
        for is_empty in (True, False):
            screen = opening.on_page("", "", "", page_request())
            assert screen.tour == TourView(is_empty=is_empty, serial=1)
            assert screen.demo == DemoView()
            play("Is anybody there?")


def test_a_first_visit_opens_the_example(tmp_path: Path) -> None:
    with services_for(tmp_path) as (services, _):
        screen = first_screen(guide_events(services))
        (example,) = services.sessions.list_sessions()
        assert cast(TabState, screen.state).session_id == example.id


def test_a_message_sent_while_the_example_loads_stays_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with services_for(tmp_path, "Hello.") as (services, play):
        load = guide.load_conversation

        def load_while_a_message_is_sent(*arguments: Any) -> str:
            play("Is anybody there?")
            return load(*arguments)

        monkeypatch.setattr(guide, "load_conversation", load_while_a_message_is_sent)
        screen = first_screen(guide_events(services))
        assert (screen.state, screen.transcript) == (SAME, SAME)
        assert len(cast(Any, screen.sessions).rows) == 2


def test_text_typed_while_the_example_loads_is_not_lost(tmp_path: Path) -> None:
    with services_for(tmp_path) as (services, _):
        changes = first_screen(guide_events(services)).editors.changes
        [typed] = (change for change in changes if change.document.startswith("composer:"))
        assert (typed.how, typed.was) == ("moved", "composer:new")


def test_a_turn_started_while_the_example_loads_stays_on_the_screen(tmp_path: Path) -> None:
    started = Event()
    with services_for(tmp_path, "Hello.") as (services, _):
        turn = RunningTurn(
            None,
            TurnRequest(setup=services.setup_for(), text="Is anybody there?"),
            now_s=services.calendar.seconds,
            approval_timeout_s=1.0,
        )
        services.turns.start(services.at_work(), turn, lambda _: iter([started.wait(5)]))
        screen = first_screen(guide_events(services))
        started.set()
        assert (screen.state, screen.transcript) == (SAME, SAME)
        assert len(cast(Any, screen.sessions).rows) == 1


def test_the_keys_of_play_are_documented() -> None:
    text = (Path(__file__).parents[2] / "docs/reference/play.md").read_text(encoding="utf-8")
    keys = {row.keys for tab in KEYS.tabs if tab.tab in ("", "page-tab-play") for row in tab.keys}
    words = {word for each in keys for word in each.replace(",", "").split()} - {"to", "Shift+Tab"}
    assert [word for word in sorted(words) if f"`{word}`" not in text] == []

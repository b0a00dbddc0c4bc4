"""The handlers that start, watch, stop and answer a turn, without a browser."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

import gradio as gr
import pytest

from tests.services import services_for
from tests.ui.requests import page_request
from workbench.app.running_turn import RunningTurn
from workbench.app.services import Services
from workbench.app.turn_request import Execution
from workbench.app.turns import running_turn
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.owners import browser_key_of
from workbench.ui.present.documents import DocumentChange, EditorsView
from workbench.ui.present.live import LiveView, WaitingView
from workbench.ui.present.notices import CLEAR
from workbench.ui.present.setup import SETUP_FIELDS, show_setup
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.conversation_column import WaitingEvents
from workbench.ui.tabs.play.screen import Screen
from workbench.ui.tabs.play.setup_events import SetupEvents
from workbench.ui.tabs.play.turn_events import TurnEvents
from workbench.ui.tabs.tab_work import TabWork

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
ANN, BOB = (TabState(browser_key=browser_key_of(letter * 32)) for letter in "ab")


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Services of a public server, whose model calls a tool, then answers."""
    with services_for(tmp_path, CALL, "It is 31.") as (services, _):
        yield replace(services, settings=replace(services.settings, is_on_space=True))


def events_of(services: Services, work: TabWork | None = None) -> TurnEvents:
    return TurnEvents(services, work or TabWork(), SetupEvents(services))


def begin(events: TurnEvents, text: str, execution: Execution = Execution.AUTO, tab: str = "tab") -> Screen:
    setup = show_setup(events.services.setup_for())
    fields = [setup[name] for name in SETUP_FIELDS]
    return events.on_begin(ANN, text, execution.value, 1, page_request(tab), None, *fields)


def turn_in(services: Services, screen: Screen) -> RunningTurn:
    owner = services.owner.key
    found = running_turn(services, cast(TabState, screen.state).session_id)
    assert found is not None, owner
    return found


def own(services: Services, state: TabState) -> Services:
    return services.of(replace(services.owner, key=cast(str, state.browser_key)))


def watched(events: TurnEvents, state: TabState, turn_id: str, tab: str) -> list[Screen]:
    return list(events.on_watch(state, page_request(tab), gr.EventData(None, {"turn": turn_id})))


def notice(screen: Screen) -> str:
    return str(asdict(cast(Any, screen.notice)))


def changes(screen: Screen) -> tuple[DocumentChange, ...]:
    return screen.editors.changes if isinstance(screen.editors, EditorsView) else ()


def test_a_message_is_answered_and_the_page_is_asked_to_watch(services: Services) -> None:
    events = events_of(services)
    screen = begin(events, "Cairo?")
    first, *others = changes(screen)
    assert (first.how, first.document, first.text) == ("sent", "composer:new", "Cairo?")
    assert {change.how for change in others} == {"saved"} and cast(Any, screen.stop)["interactive"]
    state, turn_id = cast(TabState, screen.state), cast(LiveView, screen.live).follow
    steps = watched(events, state, turn_id, "tab")
    last = [step for step in steps if step.transcript != SAME][-1]
    assert "It is 31." in str(last.transcript)
    settled = events.on_settle(state, "scripted", page_request("tab"))
    assert settled.live == LiveView() and cast(Any, settled.send)["interactive"]
    assert settled.editors == SAME


def test_the_same_message_sent_twice_by_a_tab_starts_one_turn(services: Services) -> None:
    events = events_of(services)
    turn = turn_in(own(services, ANN), begin(events, "Cairo?", Execution.STEP))
    assert begin(events, "Cairo?", Execution.STEP) == Screen()
    assert own(services, ANN).turns.all_running(ANN.browser_key) == [turn]
    turn.stop.set()


def test_a_second_message_to_the_session_is_refused_with_a_line_and_stays_in_its_field(
    services: Services,
) -> None:
    events = events_of(services)
    started = begin(events, "Cairo?", Execution.STEP)
    state = cast(TabState, started.state)
    setup = show_setup(services.setup_for())
    fields = [setup[name] for name in SETUP_FIELDS]
    screen = events.on_begin(state, "And now?", "auto", 1, page_request("other"), None, *fields)
    assert screen.editors == SAME
    assert "an answer is being written (wait until it ends, or stop it)" in notice(screen)
    turn_in(own(services, ANN), started).stop.set()


def test_an_invalid_field_starts_nothing_and_the_message_stays(services: Services) -> None:
    events, setup = events_of(services), show_setup(services.setup_for())
    fields = [setup[name] for name in SETUP_FIELDS]
    for execution, samples, words in (("auto", "", "samples"), ("never", 1, "tool calls")):
        screen = events.on_begin(ANN, "Hi", execution, samples, page_request("tab"), None, *fields)
        assert screen.editors == SAME and words in notice(screen)
    assert services.turns.all_running(ANN.browser_key) == []


def test_nobody_else_watches_stops_or_answers_a_turn(services: Services) -> None:
    work = TabWork()
    events, waiting = events_of(services, work), WaitingEvents(services)
    screen = begin(events, "Cairo?", Execution.STEP)
    turn, session_id = turn_in(own(services, ANN), screen), cast(TabState, screen.state).session_id
    pages = events.on_watch(
        cast(TabState, screen.state), page_request("tab"), gr.EventData(None, {"turn": turn.id})
    )
    shown = next(page.waiting for page in pages if isinstance(page.waiting, WaitingView))
    assert isinstance(shown, WaitingView)
    forged = {"question": shown.question}
    strangers = [
        replace(BOB, session_id=session_id),
        TabState(session_id=session_id),
        replace(ANN, session_id=session_id, is_read_only=True),
    ]
    for stranger in strangers:
        assert watched(events, stranger, turn.id, "bob") == [Screen()]
    for stranger in strangers[:2]:
        events.on_stop(stranger, page_request("bob"))
        assert waiting.on_give(stranger, forged, "forged", page_request("bob")) == (SAME, CLEAR)
        waiting.on_always(stranger, forged, page_request("bob"))
    for shape in (None, {}, {"question": "1"}, {"question": shown.question + 1}, {"question": [1]}):
        state = cast(TabState, screen.state)
        assert waiting.on_use(state, shape, "", page_request("other")) == SAME
    assert not turn.stop() and not turn.over.is_set()
    given, _ = waiting.on_give(cast(TabState, screen.state), forged, '"mine"', page_request("other"))
    [change] = cast(EditorsView, given).changes
    assert (change.how, change.document, change.text) == ("sent", shown.document, '"mine"')
    assert turn.over.wait(10)
    results = [s.message.text for s in own(services, ANN).sessions.path(turn.subject) if s.tool_run]
    assert results == ['"mine"']
    cast(Any, pages).close()


def test_a_watch_ends_when_its_tab_shows_another_session(services: Services) -> None:
    shown = {"tab": ANN}
    events = TurnEvents(services, TabWork(), SetupEvents(services), shown.get)
    screen = begin(events, "Cairo?", Execution.STEP)
    state, turn = cast(TabState, screen.state), turn_in(own(services, ANN), screen)
    shown["tab"] = state
    pages = events.on_watch(state, page_request("tab"), gr.EventData(None, {"turn": turn.id}))
    assert any(page.waiting != SAME for page in pages)
    shown["tab"] = replace(state, session_id="another")
    turn.stop.set()
    assert list(pages) == []
    assert turn.over.wait(10)


def test_the_text_of_a_turn_that_failed_returns_once(services: Services) -> None:
    events, setup = events_of(services), show_setup(services.setup_for())
    fields = [setup[name] for name in SETUP_FIELDS]
    fields[list(SETUP_FIELDS).index("model")] = "openai:nobody"
    screen = events.on_begin(ANN, "Keep me", "auto", 1, page_request("tab"), None, *fields)
    steps = watched(events, cast(TabState, screen.state), cast(LiveView, screen.live).follow, "tab")
    assert "openai:nobody" in notice(steps[-1])
    state = cast(TabState, steps[-1].state)
    assert state.session_id is None
    (change,) = changes(events.on_settle(state, "scripted", page_request("tab")))
    assert (change.how, change.document, change.text) == ("unsent", "composer:new", "Keep me")
    assert changes(events.on_settle(state, "scripted", page_request("tab"))) == ()


def test_an_example_whose_toolset_is_gone_says_so_and_starts_nothing(services: Services) -> None:
    events = events_of(services)
    setup = show_setup(services.setup_for())
    fields = [setup[name] for name in SETUP_FIELDS]
    example = gr.EventData(None, {"text": "Open the door.", "toolset": "castle"})
    screen = events.on_example(ANN, Execution.AUTO.value, 1, page_request("tab"), example, None, *fields)
    assert "castle" in notice(screen)
    assert screen.state is SAME
    assert own(services, ANN).sessions.list_sessions() == ()

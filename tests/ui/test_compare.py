"""The handlers of the Compare tab, without a browser."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from threading import Event
from typing import Any, cast

import gradio as gr
import pytest

from tests.app.comparisons.comparing import column, create, run_all
from tests.services import services_for
from tests.ui.requests import page_request
from workbench.app.comparisons.column_runner import STOPPED
from workbench.app.comparisons.events import CompareEvent, condense_comparison
from workbench.app.services import Services
from workbench.app.tasks import RunningTask
from workbench.records.comparisons import VoteKind
from workbench.rollout.sampling import Sampling
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.owners import browser_key_of
from workbench.ui.present.compare.board import BoardView, LiveColumns
from workbench.ui.present.compare.form import COLUMN_SIZE, OWN, first_form
from workbench.ui.present.notices import CLEAR
from workbench.ui.present.setup import show_setup
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.compare.events import CompareEvents
from workbench.ui.tabs.compare.parts import CompareScreen
from workbench.ui.tabs.compare.target_events import TargetEvents
from workbench.ui.tabs.tab_work import TabWork


def link(comparison_id: str, *, has_draft: bool = False) -> gr.EventData:
    """Return the event of an address that names a comparison."""
    return gr.EventData(None, {"id": comparison_id, "has_draft": has_draft})


def screen_of(values: tuple[object, ...]) -> CompareScreen:
    """Return the screen of an update of the whole tab, without the columns' fields."""
    return CompareScreen(*cast(Any, values[: len(CompareScreen._fields)]))


def notice_text(screen: CompareScreen) -> str:
    return " ".join(line["text"] for line in asdict(cast(Any, screen.notice))["lines"])


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with services_for(tmp_path, "One.", "Two.") as (services, _):
        yield services


def values_of(services: Services, question: str) -> tuple[object, ...]:
    form = first_form(
        services.settings, services.contract_names(), services.models.status(services.settings.model)
    )
    return replace(form, question=question).values


def run(services: Services, work: TabWork, question: str) -> list[CompareScreen]:
    setup = services.setup_for()
    values = values_of(services, question)
    events = CompareEvents(services, work)
    return list(
        events.on_run(
            TabState(), "{}", setup.contract_name, setup.contract_text, page_request(), None, *values
        )
    )


def test_a_question_is_answered_by_all_columns_and_listed(services: Services) -> None:
    work = TabWork()
    last = run(services, work, "Cairo?")[-1]
    assert isinstance(last.board, BoardView)
    assert [cell.state for cell in last.board.turns[0].cells] == ["done", "done"]
    assert cast(Any, last.previous)["value"] == last.board.id
    assert cast(Any, last.run)["interactive"]
    assert not services.running_comparisons.all_running(services.owner.key)


def test_an_empty_question_is_an_error_and_saves_nothing(services: Services) -> None:
    (screen,) = run(services, TabWork(), "  ")
    assert "there is no question" in notice_text(screen)
    assert services.comparisons.list_comparisons() == ()


def test_a_comparison_goes_on_without_its_page_and_another_tab_watches_and_stops_it(
    services: Services, tmp_path: Path
) -> None:
    slow = tmp_path / "slow.yaml"
    slow.write_text('completions: [{text: "' + "word " * 500 + '", seconds_per_token: 0.02}]')
    stored = create(services, column(services), column(services, model=f"scripted:{slow}"))
    events, board = CompareEvents(services, TabWork()), {"id": stored.id}
    screens = events.on_go_on(TabState(), board, page_request(), None)
    assert next(screens).notice == CLEAR
    next(screens)
    cast(Any, screens).close()
    assert cast(BoardView, events.on_show(TabState(), stored.id, page_request()).board).is_running
    shown = events.on_show(TabState(), stored.id, page_request())
    assert cast(LiveColumns, shown.live).follow and cast(Any, shown.stop)["interactive"]
    assert "it is running already" in notice_text(
        list(events.on_go_on(TabState(), board, page_request(), None))[-1]
    )
    watched = events.on_watch(TabState(), board, page_request())
    while not any(live.pieces for live in cast(LiveColumns, next(watched).live).columns):
        pass
    events.on_stop(TabState(), board, page_request())
    last = list(watched)[-1]
    assert [cell.problem for cell in cast(BoardView, last.board).turns[0].cells] == ["", STOPPED]
    assert not cast(LiveColumns, last.live).is_live


def test_another_owner_neither_watches_nor_stops_a_comparison(services: Services) -> None:
    stored = create(services, column(services), column(services))
    task = RunningTask[CompareEvent](services.owner.key, stored.id, condense_comparison, now_s=lambda: 0.0)
    released = Event()
    services.running_comparisons.start(services.at_work(), task, lambda _: iter([released.wait(5)]))
    space = replace(services, settings=replace(services.settings, is_on_space=True))
    events, state = CompareEvents(space, TabWork()), TabState(browser_key=browser_key_of("b" * 32))
    assert list(events.on_watch(state, {"id": stored.id}, page_request())) == [CompareScreen()]
    events.on_stop(state, {"id": stored.id}, page_request())
    assert not task.stop()
    released.set()
    assert task.over.wait(5)


def test_a_vote_is_shown_on_the_board_and_an_invalid_vote_is_an_error(services: Services) -> None:
    stored, _ = run_all(services, create(services, column(services), column(services)))
    events, shown = CompareEvents(services, TabWork()), {"id": stored.id}

    def vote(kind: str, place: int | None) -> CompareScreen:
        event = gr.EventData(None, {"turn": 0, "kind": kind, "column": place})
        return events.on_vote(TabState(), shown, page_request(), event)

    assert cast(BoardView, vote("best", 1).board).turns[0].voted == 1
    assert "column 3 has no answer" in notice_text(vote("best", 2))
    found = services.comparisons.find_comparison(stored.id)
    assert found and found.votes[0].kind is VoteKind.BEST
    undone = events.on_unvote(TabState(), shown, page_request(), gr.EventData(None, {"turn": 0}))
    assert cast(BoardView, undone.board).turns[0].vote == ""


def test_the_address_opens_a_comparison_and_an_unknown_id_is_an_error(services: Services) -> None:
    stored, _ = run_all(services, create(services, column(services), column(services)))
    events = TargetEvents(services, TabWork())
    screen = screen_of(events.on_open_comparison(TabState(), page_request(), link(stored.id)))
    assert cast(BoardView, screen.board).id == stored.id
    assert screen.target == f"{stored.comparison.session_id} {stored.comparison.turns[0]}"
    drafted = screen_of(
        events.on_open_comparison(TabState(), page_request(), link(stored.id, has_draft=True))
    )
    assert (drafted.board, cast(Any, drafted.target).get("value")) == (screen.board, None)
    assert "there is no comparison 'nope'" in notice_text(
        screen_of(events.on_open_comparison(TabState(), page_request(), link("nope")))
    )


def test_on_a_space_a_browser_cannot_see_another_browsers_comparisons(services: Services) -> None:
    space = replace(services, settings=replace(services.settings, is_on_space=True))
    mine, theirs = "a" * 32, "b" * 32
    owner = replace(services.owner, key=browser_key_of(mine))
    stored, _ = run_all(space.of(owner), create(space.of(owner), column(services), column(services)))
    events = TargetEvents(space, TabWork())
    own = TabState(browser_key=browser_key_of(mine))
    assert cast(
        BoardView, screen_of(events.on_open_comparison(own, page_request(), link(stored.id))).board
    ).id
    state = TabState(browser_key=browser_key_of(theirs))
    other = screen_of(events.on_open_comparison(state, page_request(), link(stored.id)))
    assert "there is no comparison" in notice_text(other)
    assert "no comparison" in notice_text(
        CompareEvents(space, TabWork()).on_show(state, stored.id, page_request())
    )


def test_the_message_selected_in_play_is_used_if_the_form_is_empty(services: Services) -> None:
    stored, _ = run_all(services, create(services, column(services), column(services)))
    session_id, leaf_id = stored.comparison.session_id, stored.answers[0].leaf_id
    state = TabState(session_id=session_id, message_id=leaf_id)
    events = TargetEvents(services, TabWork())
    taken = screen_of(events.on_enter(state, "", "", page_request()))
    assert taken.target == f"{session_id} {leaf_id}"
    assert cast(Any, taken.question)["visible"] is False
    for question, target in (("Typed.", ""), ("", "s m")):
        assert screen_of(events.on_enter(state, question, target, page_request())) == CompareScreen()
    shared = replace(state, share_key="k", is_read_only=True)
    assert "No session of yours" in notice_text(screen_of(events.on_take(shared, [], page_request(), None)))


def test_columns_take_the_setup_of_play_unless_the_browser_stored_a_form(services: Services) -> None:
    setup = replace(
        services.setup_for(), model="embedded", sampling=Sampling(temperature=0.7), is_constrained=False
    )
    fields = tuple(show_setup(setup).values())
    events, start = TargetEvents(services, TabWork()), len(CompareScreen._fields)
    for values in (
        events.on_page("", "", ["weather"], page_request(), *fields),
        events.on_take(TabState(), ["weather"], page_request(), *fields),
    ):
        columns = values[start:]
        first, second = columns[:COLUMN_SIZE], columns[COLUMN_SIZE : 2 * COLUMN_SIZE]
        assert (first[0], first[1], first[3], first[-1]) == (OWN, "embedded", 0.7, False)
        assert second[0] not in (OWN, setup.contract_name) and second[1:] == first[1:]
        assert cast(Any, screen_of(values).tools)["value"] == ["weather"]
    assert events.on_page("", "", [], page_request(), None, *fields[1:])[start] == SAME
    stored = json.dumps(values_of(services, "Mine?"))
    restored = screen_of(events.on_page(stored, "", ["weather"], page_request(), *fields))
    assert cast(Any, restored.question)["value"] == "Mine?"

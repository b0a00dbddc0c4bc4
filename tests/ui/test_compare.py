"""The handlers of the Compare tab, without a browser."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import gradio as gr
import pytest

from tests.app.comparisons.comparing import column, create, run_all
from tests.services import services_for
from workbench.app.services import Services
from workbench.records.comparisons import VoteKind
from workbench.ui.owners import browser_key_of
from workbench.ui.present.compare.board import BoardView
from workbench.ui.present.compare.form import first_form
from workbench.ui.tabs.compare.events import CompareEvents
from workbench.ui.tabs.compare.parts import CompareScreen
from workbench.ui.tabs.compare.target_events import TargetEvents
from workbench.ui.tabs.play.runs import Runs
from workbench.ui.visitor import Visitor


def request() -> gr.Request:
    """Return a request as Gradio passes it to a handler."""
    built = gr.Request(session_hash="tab")
    built.request = cast(Any, SimpleNamespace(query_params={}, session={}))
    return built


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


def run(services: Services, runs: Runs, question: str) -> list[CompareScreen]:
    setup = services.setup_for()
    values = values_of(services, question)
    events = CompareEvents(services, runs)
    return list(events.on_run(Visitor(), setup.contract_name, setup.contract_text, request(), None, *values))


def test_a_question_is_answered_by_all_columns_and_listed(services: Services) -> None:
    runs = Runs()
    last = run(services, runs, "Cairo?")[-1]
    assert isinstance(last.board, BoardView)
    assert [cell.state for cell in last.board.turns[0].cells] == ["done", "done"]
    assert cast(Any, last.previous)["value"] == last.board.id
    assert cast(Any, last.run)["interactive"]
    assert not runs.is_running("tab compare")


def test_an_empty_question_is_an_error_and_saves_nothing(services: Services) -> None:
    (screen,) = run(services, Runs(), "  ")
    assert "there is no question" in notice_text(screen)
    assert services.comparisons.list_comparisons() == ()


def test_a_tab_runs_one_comparison_at_a_time_and_a_turn_at_the_same_time(services: Services) -> None:
    runs = Runs()
    assert runs.begin("tab")
    assert run(services, runs, "Cairo?")[-1].board
    assert runs.begin("tab compare")
    assert "already running" in notice_text(run(services, runs, "Cairo?")[-1])


def test_a_vote_is_shown_on_the_board_and_an_invalid_vote_is_an_error(services: Services) -> None:
    stored, _ = run_all(services, create(services, column(services), column(services)))
    events, shown = CompareEvents(services, Runs()), {"id": stored.id}

    def vote(kind: str, place: int | None) -> CompareScreen:
        event = gr.EventData(None, {"turn": 0, "kind": kind, "column": place})
        return events.on_vote(Visitor(), shown, request(), event)

    assert cast(BoardView, vote("best", 1).board).turns[0].voted == 1
    assert "column 3 has no answer" in notice_text(vote("best", 2))
    found = services.comparisons.find_comparison(stored.id)
    assert found and found.votes[0].kind is VoteKind.BEST
    undone = events.on_unvote(Visitor(), shown, request(), gr.EventData(None, {"turn": 0}))
    assert cast(BoardView, undone.board).turns[0].vote == ""


def test_the_address_opens_a_comparison_and_an_unknown_id_is_an_error(services: Services) -> None:
    stored, _ = run_all(services, create(services, column(services), column(services)))
    events = TargetEvents(services, Runs())
    screen = screen_of(events.on_open_comparison(Visitor(), request(), link(stored.id)))
    assert cast(BoardView, screen.board).id == stored.id
    assert screen.target == f"{stored.comparison.session_id} {stored.comparison.turns[0]}"
    drafted = screen_of(events.on_open_comparison(Visitor(), request(), link(stored.id, has_draft=True)))
    assert (drafted.board, cast(Any, drafted.target).get("value")) == (screen.board, None)
    assert "there is no comparison 'nope'" in notice_text(
        screen_of(events.on_open_comparison(Visitor(), request(), link("nope")))
    )


def test_on_a_space_a_browser_cannot_see_another_browsers_comparisons(services: Services) -> None:
    space = replace(services, settings=replace(services.settings, is_on_space=True))
    mine, theirs = "a" * 32, "b" * 32
    owner = replace(services.owner, key=browser_key_of(mine))
    stored, _ = run_all(space.of(owner), create(space.of(owner), column(services), column(services)))
    events = TargetEvents(space, Runs())
    own = Visitor(browser_key=browser_key_of(mine))
    assert cast(BoardView, screen_of(events.on_open_comparison(own, request(), link(stored.id))).board).id
    visitor = Visitor(browser_key=browser_key_of(theirs))
    other = screen_of(events.on_open_comparison(visitor, request(), link(stored.id)))
    assert "there is no comparison" in notice_text(other)
    assert "no comparison" in notice_text(CompareEvents(space, Runs()).on_show(visitor, stored.id, request()))


def test_the_message_selected_in_play_is_used_if_the_form_is_empty(services: Services) -> None:
    stored, _ = run_all(services, create(services, column(services), column(services)))
    session_id, leaf_id = stored.comparison.session_id, stored.answers[0].leaf_id
    visitor = Visitor(session_id=session_id, message_id=leaf_id)
    events = TargetEvents(services, Runs())
    taken = screen_of(events.on_enter(visitor, "", "", request()))
    assert taken.target == f"{session_id} {leaf_id}"
    assert cast(Any, taken.question)["visible"] is False
    for question, target in (("Typed.", ""), ("", "s m")):
        assert screen_of(events.on_enter(visitor, question, target, request())) == CompareScreen()
    shared = replace(visitor, share_key="k", is_read_only=True)
    assert "No session of yours" in notice_text(screen_of(events.on_take(shared, request())))

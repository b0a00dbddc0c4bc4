"""Turns of several servers with one database: live on every server, stopped and answered from every server."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from tests.app.servers.conftest import OpenServer, SharingServer
from tests.waiting import await_until
from workbench.app.servers.remote_turn import LOST, RemoteTurn
from workbench.app.turn_request import Execution, MessageStored, TurnRequest
from workbench.app.turns import running_turn, start_turn
from workbench.errors import BadInput, StoreError
from workbench.records.owner import Owner
from workbench.rollout.events import CompletionEnded, EndReason, PieceArrived, RoundStarted, TurnEnded
from workbench.rollout.ports import FinishReason
from workbench.rollout.steps import Step, StepKind

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]
LONG = {"text": "word " * 2000, "seconds_per_token": 0.02}
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


def begin(server: SharingServer, **fields: object):
    request = TurnRequest(setup=server.services.setup_for(), text="Tell me.", **fields)
    return start_turn(server.services, request)


def seen(server: SharingServer, session_id: str) -> RemoteTurn:
    turn = running_turn(server.services, session_id)
    assert isinstance(turn, RemoteTurn)
    return turn


@pytest.mark.slow
def test_a_turn_is_seen_live_on_another_server(open_server: OpenServer) -> None:
    one, two = open_server({"text": "word " * 60, "seconds_per_token": 0.02}), open_server()
    own = begin(one)
    watched = seen(two, own.subject)
    assert watched.id == own.id
    assert watched.request.setup == own.request.setup
    early = False
    events = []
    for event in watched.events():
        events.append(event)
        early = early or (isinstance(event, PieceArrived) and not own.over.is_set())
    assert early
    assert "".join(event.text for event in events if isinstance(event, PieceArrived)) == "word " * 60
    started = next(event for event in events if isinstance(event, RoundStarted))
    assert started.prompt.text.endswith("<|im_start|>assistant\n")
    completed = next(event for event in events if isinstance(event, CompletionEnded))
    assert completed.message.text == "word " * 60
    assert events[-1] == TurnEnded(reason=EndReason.ANSWERED, rounds=1)
    stored = [event.stored.id for event in events if isinstance(event, MessageStored)]
    assert stored[-1] == one.services.sessions.path(own.subject)[-1].id
    assert watched.over.is_set()
    assert watched.has_stored
    await_until(lambda: running_turn(two.services, own.subject) is None)


@pytest.mark.slow
def test_a_second_watcher_comes_late_and_sees_the_same_text(open_server: OpenServer) -> None:
    one, two = open_server({"text": "word " * 60, "seconds_per_token": 0.02}), open_server()
    own = begin(one)
    pieces = 0
    for event in seen(two, own.subject).events():
        pieces += isinstance(event, PieceArrived)
        if pieces == 3:
            break
    texts = [event.text for event in seen(two, own.subject).events() if isinstance(event, PieceArrived)]
    assert "".join(texts) == "word " * 60


def test_a_turn_is_stopped_from_another_server(open_server: OpenServer) -> None:
    one, two = open_server(LONG), open_server()
    own = begin(one)
    await_until(lambda: own.has_stored)
    seen(two, own.subject).stop.set()
    assert own.over.wait(30)
    generation = one.services.sessions.path(own.subject)[-1].generation
    assert generation is None or generation.finish_reason is FinishReason.CANCELLED


def test_a_call_is_answered_from_another_server(open_server: OpenServer) -> None:
    one, two = open_server(CALL, "It is 31."), open_server()
    own = begin(one, execution=Execution.STEP)
    watched = seen(two, own.subject)
    long_result = "31 " * 5000
    for event in watched.events():
        if question := getattr(event, "question", 0):
            assert event.call.arguments == {"flumb": "cairo"}
            assert watched.person.answer(question, Step(kind=StepKind.WRITE, text=long_result))
    texts = [kept.message.text for kept in two.services.sessions.path(own.subject)]
    assert texts[-1] == "It is 31."
    assert long_result in texts[-2]


def test_a_session_has_one_turn_on_all_servers_together(open_server: OpenServer) -> None:
    one, two = open_server(LONG), open_server()
    own = begin(one)
    await_until(lambda: own.has_stored)
    with pytest.raises(BadInput, match="an answer is being written"):
        begin(two, session_id=own.subject)
    own.stop.set()
    own.over.wait(30)
    again = begin(two, session_id=own.subject)
    assert again.over.wait(30)
    assert again.error is None


def test_nobody_finds_another_owner_s_turn_on_another_server(open_server: OpenServer) -> None:
    one, two = open_server(LONG), open_server()
    own = begin(one)
    stranger = replace(two.services, owner=Owner(key="account:eve"))
    assert running_turn(stranger, own.subject) is None
    assert running_turn(two.services, own.subject) is not None


def test_the_error_of_a_turn_is_shown_on_another_server(open_server: OpenServer) -> None:
    script = {"text": "word " * 40, "seconds_per_token": 0.02, "error": "the model broke"}
    one, two = open_server(script), open_server()
    own = begin(one)
    with pytest.raises(StoreError, match="the model broke"):
        list(seen(two, own.subject).events())


@pytest.mark.slow
def test_many_rows_of_events_are_condensed(open_server: OpenServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.app.servers.shared_turns.MOST_ROWS", 3)
    one, two = open_server({"text": "word " * 120, "seconds_per_token": 0.02}), open_server()
    own = begin(one)
    most, text_so_far = 0, ""
    with seen(two, own.subject).watched() as batches:
        for batch in batches:
            text_so_far = "" if batch.is_restart else text_so_far
            text_so_far += "".join(event.text for event in batch.events if isinstance(event, PieceArrived))
            most = max(most, len(two.services.store.live_work.events(own.id, after=0)))
    assert text_so_far == "word " * 120
    assert most <= 5


def test_a_turn_that_nobody_watches_elsewhere_writes_no_events(open_server: OpenServer) -> None:
    one, _ = open_server({"text": "word " * 40, "seconds_per_token": 0.01}), open_server()
    own = begin(one)
    assert own.over.wait(30)
    assert one.services.store.live_work.events(own.id, after=0) == []
    assert not one.services.store.live_work.has_turn(own.id)


def test_a_server_that_was_silent_stops_its_turns(open_server: OpenServer) -> None:
    one, two = open_server(LONG), open_server()
    own, before = begin(one), one.id
    await_until(lambda: own.has_stored)
    database = two.services.store._database
    with database.writing() as db:
        db.connection().execute(text("DELETE FROM server WHERE id = :id"), {"id": before})
    assert own.over.wait(30)
    assert one.id != before
    path = two.services.sessions.path(own.subject)
    assert path[-1].generation is not None
    assert path[-1].generation.finish_reason is FinishReason.INTERRUPTED
    again = begin(two, session_id=own.subject)
    assert again.over.wait(30)


@pytest.mark.slow
def test_the_watchers_of_a_lost_turn_see_its_end(
    open_server: OpenServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.app.servers.remote_turn.GRACE_S", 0.5)
    one, two = open_server(LONG), open_server()
    # Like a server that was killed, it answers no messages any more.
    one.joined.group.on_message("watch", lambda _message: None)
    own = begin(one)
    await_until(lambda: own.has_stored)
    watched = seen(two, own.subject)
    own.stop.set(FinishReason.INTERRUPTED)
    events = list(watched.events())
    last = two.services.sessions.path(own.subject)[-1]
    assert [event.stored for event in events if isinstance(event, MessageStored)] == [last]
    assert events[-1] == TurnEnded(reason=EndReason.INTERRUPTED, rounds=0, problem=LOST)
    assert watched.has_stored

"""Servers that share a PostgreSQL database: signs of life, ended servers, messages, and what they have in progress."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import pytest

from tests.postgres import TEMPLATE, Server
from tests.store.examples import GENERATION, SETUP, user
from tests.store.opening import ELSEWHERE, change, url_of
from workbench.errors import StoreError
from workbench.records.owner import LOCAL_OWNER
from workbench.store.servers.live_work import LiveRun, LiveTurn, LiveWork
from workbench.store.servers.servers import ServerStore
from workbench.store.store import Store

pytestmark = pytest.mark.postgres
AT_ONCE = timedelta(0)
LONG = timedelta(minutes=10)


@pytest.fixture
def shared(postgres: Server) -> Iterator[Store]:
    with postgres.database(TEMPLATE) as url, closing(Store(url)) as store:
        yield store


@pytest.fixture
def servers(shared: Store) -> ServerStore:
    found = shared.servers
    assert found is not None
    return found


@pytest.fixture
def work(shared: Store) -> LiveWork:
    return shared.live_work


def turn_on(server_id: str, session_id: str = "session", turn_id: str = "turn") -> LiveTurn:
    return LiveTurn(id=turn_id, session_id=session_id, server_id=server_id, request={"samples": 1})


def run_on(server_id: str, run_id: str = "run", *, is_resumable: bool = True) -> LiveRun:
    return LiveRun(run_id=run_id, server_id=server_id, person={"key": "ann"} if is_resumable else None)


def test_sqlite_has_no_servers() -> None:
    with closing(Store("sqlite://")) as store:
        assert store.servers is None


def test_a_server_that_gives_signs_of_life_stays(servers: ServerStore) -> None:
    servers.join("a")
    assert servers.remove_ended(silent=LONG, process_silent=AT_ONCE) == 0
    assert servers.beat("a")
    assert not servers.beat("b")
    servers.leave("a")
    assert not servers.beat("a")


def test_a_silent_server_of_another_machine_has_ended(
    shared: Store, servers: ServerStore, work: LiveWork
) -> None:
    sessions = shared.of(LOCAL_OWNER).sessions
    session = sessions.create_session(SETUP)
    root = sessions.append(session.id, user("hi"), parent_id=None)
    for name in ("a", "b"):
        servers.join(name)
    sessions.save_unfinished(session.id, "half", GENERATION, parent_id=root.id)
    change(shared, f"UPDATE unfinished SET writer = '{ELSEWHERE}'")
    change(
        shared, f"UPDATE server SET writer = '{ELSEWHERE}', beat_at = now() - interval '25 s' WHERE id = 'a'"
    )
    assert work.begin_turn(None, turn_on("a", session.id))
    assert work.begin_turn(None, turn_on("b", "other", "kept"))
    servers.send("a", {"stop": "turn"})

    assert servers.remove_ended(silent=None, process_silent=AT_ONCE) == 0
    assert [kept.message.text for kept in sessions.path(session.id)] == ["hi"]
    assert servers.remove_ended(silent=timedelta(seconds=20), process_silent=AT_ONCE) == 1

    assert [kept.message.text for kept in sessions.path(session.id)] == ["hi", "half"]
    assert not servers.beat("a")
    assert work.find_turn(None, session.id) is None
    assert work.find_turn(None, "other") == turn_on("b", "other", "kept")
    assert servers.receive("a") == []


def test_a_server_whose_process_has_ended_need_not_be_silent_for_long(
    shared: Store, servers: ServerStore, work: LiveWork
) -> None:
    servers.join("a")
    change(shared, "UPDATE server SET writer = split_part(writer, ' ', 1) || ' 999999999 1700000000.00'")
    assert work.begin_turn("ann", turn_on("a"))
    assert servers.remove_ended(silent=None, process_silent=LONG) == 0
    assert servers.remove_ended(silent=None, process_silent=AT_ONCE) == 1
    assert work.find_turn("ann", "session") is None


def test_the_text_of_a_server_that_gives_signs_of_life_is_not_recovered(
    shared: Store, servers: ServerStore
) -> None:
    """Two containers may have the same host name, and cannot see each other's processes."""
    sessions = shared.of(LOCAL_OWNER).sessions
    session = sessions.create_session(SETUP)
    root = sessions.append(session.id, user("hi"), parent_id=None)
    servers.join("a")
    sessions.save_unfinished(session.id, "half", GENERATION, parent_id=root.id)
    for table in ("unfinished", "server"):
        change(
            shared, f"UPDATE {table} SET writer = split_part(writer, ' ', 1) || ' 999999999 1700000000.00'"
        )
    url = url_of(shared)
    Store(url).close()
    assert [kept.message.text for kept in sessions.path(session.id)] == ["hi"]
    change(shared, "UPDATE server SET beat_at = now() - interval '25 s'")
    Store(url).close()
    assert [kept.message.text for kept in sessions.path(session.id)] == ["hi", "half"]


def test_a_session_has_one_turn_on_all_servers_together(work: LiveWork) -> None:
    assert work.begin_turn("ann", turn_on("a"))
    assert not work.begin_turn("ann", turn_on("b", turn_id="second"))
    assert work.begin_turn("bob", turn_on("b", turn_id="third"))
    assert work.has_turn("turn")
    work.end_turn("turn")
    work.end_turn("turn")
    assert not work.has_turn("turn")
    assert work.begin_turn("ann", turn_on("b", turn_id="second"))


def test_nobody_finds_another_owner_s_turn_or_run(work: LiveWork) -> None:
    work.begin_turn("ann", turn_on("a"))
    work.begin_run("ann", run_on("a"))
    for other in ("bob", None):
        assert work.find_turn(other, "session") is None
        assert work.find_run(other) is None


def test_messages_arrive_in_order_and_once(servers: ServerStore) -> None:
    for number in range(3):
        servers.send("a", {"number": number})
    servers.send("b", {})
    assert [message["number"] for message in servers.receive("a")] == [0, 1, 2]
    assert servers.receive("a") == []


def test_events_are_read_after_a_number_and_a_restart_replaces_them(work: LiveWork) -> None:
    for number in range(1, 4):
        work.add_events("turn", number, {"number": number}, is_restart=False)
    assert [number for number, _ in work.events("turn", after=1)] == [2, 3]
    work.add_events("turn", 4, {"number": 4}, is_restart=True)
    assert work.events("turn", after=0) == [(4, {"number": 4})]


def test_the_events_of_an_ended_turn_are_deleted_after_a_minute(
    shared: Store, servers: ServerStore, work: LiveWork
) -> None:
    servers.join("a")
    work.begin_turn(None, turn_on("a"))
    for turn_id in ("turn", "ended", "just ended"):
        work.add_events(turn_id, 1, {}, is_restart=True)
    change(
        shared, "UPDATE live_event SET created_at = now() - interval '2 min' WHERE turn_id <> 'just ended'"
    )
    servers.remove_ended(silent=LONG, process_silent=LONG)
    assert [bool(work.events(turn_id, after=0)) for turn_id in ("turn", "ended", "just ended")] == [
        True,
        False,
        True,
    ]


def test_notifications_wake_a_listener(servers: ServerStore, work: LiveWork) -> None:
    with servers.listening() as wait:
        assert wait(0.01) == []
        servers.send("a", {})
        assert wait(10) == ["a"]
        work.add_events("turn", 1, {}, is_restart=False)
        assert wait(10) == ["turn"]


def test_a_lost_connection_of_a_listener_is_an_error(servers: ServerStore, postgres: Server) -> None:
    with pytest.raises(StoreError, match="try again"), servers.listening() as wait:
        postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
        wait(10)


def test_an_owner_has_one_run_on_all_servers_together(work: LiveWork) -> None:
    assert work.begin_run("ann", run_on("a"))
    assert not work.begin_run("ann", run_on("b"))
    assert work.find_run("ann") == run_on("a")
    work.end_run("run", "b")
    assert work.find_run("ann") == run_on("a")
    work.end_run("run", "a")
    assert work.begin_run("ann", run_on("b"))


def test_a_run_of_an_ended_server_is_taken_over_once(servers: ServerStore, work: LiveWork) -> None:
    for name in ("a", "b", "c"):
        servers.join(name)
    work.begin_run("ann", run_on("a"))
    work.begin_run("bob", run_on("a", "second", is_resumable=False))
    work.begin_run("eve", run_on("b", "third"))
    assert work.take_run("c") is None
    servers.leave("a")
    assert work.take_run("c") == run_on("c")
    assert work.take_run("b") is None
    assert work.find_run("ann") == run_on("c")
    servers.remove_ended(silent=LONG, process_silent=LONG)
    assert work.find_run("bob") is None
    assert work.find_run("eve") == run_on("b", "third")

"""Signs of life and messages of a server, also when its database fails."""

from contextlib import closing

import pytest
from sqlalchemy import text

from tests.app.servers.conftest import QUICK, OpenServer, SharingServer
from tests.postgres import Server
from tests.waiting import await_until
from workbench.app.servers.group import Pulse, ServerGroup
from workbench.errors import StoreError
from workbench.store.store import Store

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]
END_LISTENERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"


def server_count(server: SharingServer) -> int:
    with server.services.store._database.reading() as db:
        return db.connection().execute(text("SELECT count(*) FROM server")).scalar_one()


def test_a_server_that_closes_is_gone_at_once(open_server: OpenServer) -> None:
    one, two = open_server(), open_server()
    assert server_count(one) == 2
    two.joined.close()
    assert server_count(one) == 1


def test_messages_arrive_after_the_listener_has_lost_its_connection(
    open_server: OpenServer, postgres: Server
) -> None:
    one, two = open_server(), open_server()
    arrived = []
    one.joined.group.on_message("hello", arrived.append)
    for number in range(3):
        two.joined.group.send(one.id, {"hello": number})
        await_until(lambda: len(arrived) == number + 1)  # noqa: B023 - called in this round only
        postgres.run(END_LISTENERS)
    assert arrived == [{"hello": number} for number in range(3)]


def test_a_message_that_cannot_be_handled_ends_nothing(open_server: OpenServer) -> None:
    one, two = open_server(), open_server()
    arrived = []
    one.joined.group.on_message("hello", arrived.append)
    for message in (
        {"stop": "x"},
        {"stop": "x", "reason": "none"},
        {"answer": "x"},
        {"watch": 1},
        {"what": 1},
    ):
        two.joined.group.send(one.id, message)
    two.joined.group.send(one.id, {"hello": "still there"})
    await_until(lambda: arrived)


@pytest.mark.slow
def test_no_server_is_removed_because_the_database_was_away(open_server: OpenServer) -> None:
    """All servers have then been silent, so none of them may take another one for ended at once."""
    pulse = Pulse(every_s=0.1, silent_s=1.5, process_silent_s=0.5)
    one, two = open_server(pulse=pulse), open_server(pulse=pulse)
    before = {one.id, two.id}
    with one.services.store._database.writing() as db:
        db.connection().execute(text("LOCK TABLE server IN ACCESS EXCLUSIVE MODE"))
        db.connection().execute(text("UPDATE server SET beat_at = now() - interval '10 min'"))
        db.connection().execute(text("SELECT pg_sleep(2)"))
    await_until(lambda: fresh_count(one) == 2)
    assert {one.id, two.id} == before


def fresh_count(server: SharingServer) -> int:
    with server.services.store._database.reading() as db:
        query = "SELECT count(*) FROM server WHERE beat_at > now() - interval '1 s'"
        return db.connection().execute(text(query)).scalar_one()


def test_a_group_that_could_not_start_can_be_closed(shared_url: str) -> None:
    with closing(Store(shared_url)) as store:
        servers = store.servers
        assert servers is not None
        with store._database.writing() as db:
            db.connection().execute(text("DROP TABLE server"))
        group = ServerGroup(servers, QUICK)
        with pytest.raises(StoreError):
            group.start()
        group.close()


def test_servers_divide_the_requests_to_a_remote_model(open_server: OpenServer) -> None:
    servers = [open_server() for _ in range(2)]
    parts: list[int] = []
    servers[0].services.lines.share_among = parts.append
    await_until(lambda: 2 in parts)
    servers[1].joined.close()
    await_until(lambda: parts[-1] == 1)

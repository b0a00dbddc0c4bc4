"""PostgreSQL: connecting, errors, and concurrent writers."""

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import pytest
from sqlalchemy import text

from tests.postgres import Server, running_server
from tests.store.examples import GENERATION, SETUP, completion, user
from tests.store.opening import sessions_in
from workbench.errors import StoreError
from workbench.records.owner import LOCAL_OWNER
from workbench.store.database import open_database
from workbench.store.store import Store

pytestmark = pytest.mark.postgres


def refusal(url: str) -> str:
    """Return the error for opening a URL."""
    with pytest.raises(StoreError) as caught:
        Store(url)
    return str(caught.value)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_scheme_of_the_url_works(fresh: str, scheme: str) -> None:
    with sessions_in(fresh.replace("postgresql+psycopg", scheme)) as store:
        assert store.create_session(SETUP)


def test_the_application_name_is_set_and_can_be_changed_in_the_url(fresh: str) -> None:
    for url, name in ((fresh, "hermes-workbench"), (f"{fresh}?application_name=mine", "mine")):
        with closing(open_database(url)) as opened, opened.reading() as db:
            assert db.connection().execute(text("SHOW application_name")).scalar_one() == name


def test_a_reading_transaction_sees_one_state_and_cannot_write(fresh: str) -> None:
    with closing(open_database(fresh)) as opened:
        count = text("SELECT count(*) FROM prompt")
        with opened.reading() as db:
            assert db.connection().execute(count).scalar_one() == 0
            with opened.writing() as other:
                other.connection().execute(text("INSERT INTO prompt VALUES ('a', 'b')"))
            assert db.connection().execute(count).scalar_one() == 0
        with pytest.raises(StoreError, match="the server is read-only"), opened.reading() as db:
            db.connection().execute(text("DELETE FROM prompt"))


def test_concurrent_writers_of_the_same_prompt_share_it(fresh: str) -> None:
    writers = 6
    with closing(Store(fresh)) as store:
        sessions = store.of(LOCAL_OWNER).sessions
        ids = [sessions.create_session(SETUP).id for _ in range(writers)]
        together = Barrier(writers)

        def talk(session_id: str) -> None:
            parent_id = None
            for number in range(10):
                together.wait()
                new = completion("a", prompt_text=f"prompt {number}")
                parent_id = sessions.append(session_id, new, parent_id=parent_id).id

        with ThreadPoolExecutor(writers) as pool:
            list(pool.map(talk, ids))
        for session_id in ids:
            prompts = [
                stored.generation and stored.generation.prompt_text for stored in sessions.path(session_id)
            ]
            assert prompts == [f"prompt {number}" for number in range(10)]


def test_concurrent_writers_to_one_session_each_keep_their_branch(fresh: str) -> None:
    writers = 6
    with sessions_in(fresh) as sessions:
        session = sessions.create_session(SETUP)
        root = sessions.append(session.id, user("root"), parent_id=None)
        together = Barrier(writers)

        def talk(_writer: int) -> None:
            together.wait()
            sessions.append(session.id, completion("same"), parent_id=root.id)

        with ThreadPoolExecutor(writers) as pool:
            list(pool.map(talk, range(writers)))
        found = sessions.find_session(session.id)
        assert found and found.message_count == 1 + writers
        assert sessions.path(session.id)[-1].generation == GENERATION


def test_a_closed_connection_is_reported_and_the_next_one_works(fresh: str, postgres: Server) -> None:
    end_all = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hermes-workbench'"
    )
    with closing(open_database(fresh)) as opened:
        with (
            pytest.raises(StoreError, match="the server ended the connection; try again"),
            opened.reading() as db,
        ):
            db.connection().execute(text("SELECT 1"))
            postgres.run(end_all)
            db.connection().execute(text("SELECT 1"))
        with opened.reading() as db:
            assert db.connection().execute(text("SELECT 1")).scalar_one() == 1


def test_a_stopped_server_is_reported() -> None:
    with running_server() as server, server.database() as url, closing(open_database(url)) as opened:
        with pytest.raises(StoreError, match=r"connection.*; try again"), opened.reading() as db:
            db.connection().execute(text("SELECT 1"))
            server.stop()
            db.connection().execute(text("SELECT 1"))
        with (
            pytest.raises(StoreError, match="no server answers at that address; start it"),
            opened.reading() as db,
        ):
            db.connection()


class TestRefusals:
    def test_a_port_without_a_server(self, fresh: str, postgres: Server) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        message = refusal(fresh.replace(f":{postgres.port}/", f":{port}/"))
        assert message.endswith(
            "no server answers at that address; start it, or correct WORKBENCH_DATABASE_URL"
        )

    def test_a_wrong_password_is_rejected_and_not_shown(self, fresh: str, postgres: Server) -> None:
        message = refusal(fresh.replace(postgres.password, "wrong-secret"))
        assert "the server rejected the user or password" in message
        assert "wrong-secret" not in message
        assert postgres.password not in message

    def test_a_missing_database(self, postgres: Server) -> None:
        message = refusal(postgres.url("nowhere"))
        assert "there is no such database or user; create it" in message
        assert postgres.password not in message

    def test_an_unknown_host(self, fresh: str) -> None:
        assert "the host name is unknown" in refusal(fresh.replace("127.0.0.1", "nowhere.invalid"))

    def test_a_database_of_another_program_is_not_changed(self, fresh: str) -> None:
        other = open_database(fresh)
        with closing(other), other.writing() as db:
            db.connection().execute(text("DROP TABLE alembic_version"))
        assert "tables of another program" in refusal(fresh)

    def test_a_user_who_may_not_create_tables(self, postgres: Server) -> None:
        with postgres.database() as url:
            postgres.run("CREATE ROLE guest LOGIN PASSWORD 'guest-secret'")
            try:
                message = refusal(url.replace(f"postgres:{postgres.password}@", "guest:guest-secret@"))
            finally:
                postgres.run("DROP ROLE guest")
        assert "the user lacks the permission; make it the owner of the database" in message
        assert "guest-secret" not in message

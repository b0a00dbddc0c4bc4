"""Opening a database, or a clear error."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.store.examples import SETUP, user
from tests.store.opening import sessions_in
from workbench.errors import StoreError
from workbench.records.owner import LOCAL_OWNER
from workbench.store import database
from workbench.store.database import open_database
from workbench.store.store import Store


def refusal(url: str) -> str:
    """Return the error for opening a URL."""
    with pytest.raises(StoreError) as caught:
        Store(url)
    return str(caught.value)


STORE_ONE = """
import sys
from tests.store.examples import SETUP, user
from tests.store.opening import sessions_in
with sessions_in(sys.argv[1]) as store:
    store.append(store.create_session(SETUP).id, user("hi"), parent_id=None)
""".strip()
"""A program that stores one message."""


def start(program: str, url: str) -> subprocess.Popen[str]:
    """Run a program on the database in another process."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", program, url]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


def test_a_missing_folder_is_created(tmp_path: Path) -> None:
    file = tmp_path / "not" / "there 100%" / "ü.sqlite3"
    with sessions_in(f"sqlite:///{file}"):
        assert file.is_file()


def test_connections_have_the_right_settings(file: Path) -> None:
    with closing(open_database(f"sqlite:///{file}")) as opened, opened.reading() as db:
        pragmas = ("foreign_keys", "busy_timeout", "synchronous", "journal_mode")
        found = [db.connection().exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in pragmas]
    assert found == [1, 5000, 2, "wal"]


def test_a_relative_path_is_fixed_when_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(Store("sqlite:///here.sqlite3")) as store:
        monkeypatch.chdir("/")
        store.of(LOCAL_OWNER).sessions.create_session(SETUP)
        assert store.describe() == f"sqlite:///{tmp_path / 'here.sqlite3'}"


def test_a_file_uri_opens_too(file: Path) -> None:
    with sessions_in(f"sqlite:///file:{file}?uri=true") as store:
        store.create_session(SETUP)
    assert file.is_file()


def test_a_failed_transaction_is_rolled_back(url: str) -> None:
    with closing(open_database(url)) as opened:
        with pytest.raises(StoreError), opened.writing() as db:
            db.connection().execute(text("INSERT INTO prompt VALUES ('a', 'b')"))
            db.connection().execute(text("INSERT INTO prompt VALUES ('a', 'b')"))
        with opened.reading() as db:
            assert db.connection().execute(text("SELECT count(*) FROM prompt")).scalar_one() == 0


class TestDescribe:
    def test_password_and_options_are_not_shown(self) -> None:
        place = database._parse("postgresql+psycopg://me:secret@host:5432/db?password=secret2")
        assert database._shown(place) == "postgresql+psycopg://me:***@host:5432/db"

    def test_a_database_in_memory_has_no_path(self) -> None:
        with closing(Store("sqlite://")) as store:
            assert store.describe() == "sqlite://"


class TestRefusals:
    def test_a_file_that_is_not_a_database(self, url: str, file: Path) -> None:
        file.write_text("# notes\n" * 1000)
        message = refusal(url)
        assert str(file) in message
        assert "file is not a database; move that file away" in message
        assert file.read_text() == "# notes\n" * 1000

    def test_a_folder_with_the_name_of_the_file(self, url: str, file: Path) -> None:
        file.mkdir()
        assert "unable to open database file; make sure the folder" in refusal(url)

    def test_a_file_with_the_name_of_the_folder(self, file: Path) -> None:
        file.write_text("")
        assert str(file) in refusal(f"sqlite:///{file / 'db.sqlite3'}")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_is_not_writable(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        assert "make sure the folder exists and is writable" in refusal(f"sqlite:///{tmp_path}/db.sqlite3")

    @pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that nobody can write to")
    def test_a_folder_where_nobody_can_write(self) -> None:
        assert "/proc/self/db.sqlite3" in refusal("sqlite:////proc/self/db.sqlite3")

    def test_a_read_only_file_can_be_read(self, url: str, file: Path) -> None:
        with sessions_in(url) as store:
            session = store.create_session(SETUP)
        with sessions_in(f"sqlite:///file:{file}?mode=ro&uri=true") as store:
            assert store.find_session(session.id) == session
            with pytest.raises(StoreError, match="readonly database; make the file and its folder writable"):
                store.append(session.id, user("hi"), parent_id=None)

    def test_a_database_of_another_program_is_not_changed(self, url: str, file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE recipes (name TEXT)")
        before = file.read_bytes()
        message = refusal(url)
        assert "tables of another program, such as 'recipes'" in message
        assert "WORKBENCH_DATABASE_URL" in message
        assert file.read_bytes() == before

    def test_a_file_that_another_program_writes_to(
        self, url: str, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0)
        with sessions_in(url) as store, closing(sqlite3.connect(file)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="database is locked; another program is writing to it"):
                store.create_session(SETUP)
            other.rollback()
            assert store.create_session(SETUP)

    @pytest.mark.parametrize(
        "url", ["not a url secret", "://secret", "", "a://b:secret@c:d/e", "sqlite:///\0", "sqlite:///\ud800"]
    )
    def test_an_invalid_url_is_rejected_and_not_shown(self, url: str) -> None:
        message = refusal(url)
        assert "WORKBENCH_DATABASE_URL" in message
        assert "secret" not in message

    def test_an_unknown_kind_of_database(self) -> None:
        message = refusal("nosuchdb://me:secret@host/db")
        assert "nosuchdb" in message
        assert "secret" not in message

    def test_a_driver_that_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        message = refusal("postgresql+psycopg://me:secret@host/db")
        assert "pip install 'psycopg[binary]'" in message
        assert "secret" not in message


@pytest.mark.slow
def test_programs_that_start_together_share_one_new_database(bare_url: str) -> None:
    runs = [start(STORE_ONE, bare_url) for _ in range(4)]
    assert [run.communicate()[1] for run in runs] == ["", "", "", ""]
    with sessions_in(bare_url) as store:
        assert len(store.list_sessions()) == 4


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_acknowledged_messages_survive_a_kill(url: str) -> None:
    run = start(f"{STORE_ONE}; import os, signal; os.kill(os.getpid(), signal.SIGKILL)", url)
    run.communicate()
    assert run.returncode == -signal.SIGKILL
    with sessions_in(url) as store:
        (session,) = store.list_sessions()
        assert [stored.message for stored in store.path(session.id)] == [user("hi").message]

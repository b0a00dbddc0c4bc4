"""Opening a database, or saying clearly why it cannot be."""

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
    """What a person is told who opens `url`."""
    with pytest.raises(StoreError) as caught:
        Store(url)
    return str(caught.value)


KEEP_ONE = """
import sys
from tests.store.examples import SETUP, user
from tests.store.opening import sessions_in
with sessions_in(sys.argv[1]) as store:
    store.append(store.create_session(SETUP).id, user("hi"), parent_id=None)
""".strip()
"""A program that keeps one message."""


def start(program: str, url: str) -> subprocess.Popen[str]:
    """Another process that runs `program` on the database."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", program, url]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


def test_the_folder_is_made(tmp_path: Path) -> None:
    file = tmp_path / "not" / "there 100%" / "ü.sqlite3"
    with sessions_in(f"sqlite:///{file}"):
        assert file.is_file()


def test_connections_are_set_up(file: Path) -> None:
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


def test_a_transaction_that_raises_leaves_nothing(url: str) -> None:
    with closing(open_database(url)) as opened:
        with pytest.raises(StoreError), opened.writing() as db:
            db.connection().execute(text("INSERT INTO prompt VALUES ('a', 'b')"))
            db.connection().execute(text("INSERT INTO prompt VALUES ('a', 'b')"))
        with opened.reading() as db:
            assert db.connection().execute(text("SELECT count(*) FROM prompt")).scalar_one() == 0


class TestDescribe:
    def test_it_shows_no_password_and_no_options(self) -> None:
        place = database._parse("postgresql+psycopg://me:secret@host:5432/db?password=secret2")
        assert database._shown(place) == "postgresql+psycopg://me:***@host:5432/db"

    def test_memory_has_no_path(self) -> None:
        with closing(Store("sqlite://")) as store:
            assert store.describe() == "sqlite://"


class TestRefusals:
    def test_a_file_that_is_no_database(self, url: str, file: Path) -> None:
        file.write_text("# notes\n" * 1000)
        said = refusal(url)
        assert str(file) in said
        assert "file is not a database; move that file away" in said
        assert file.read_text() == "# notes\n" * 1000

    def test_a_folder_in_the_files_place(self, url: str, file: Path) -> None:
        file.mkdir()
        assert "unable to open database file; make sure the folder" in refusal(url)

    def test_a_file_in_the_folders_place(self, file: Path) -> None:
        file.write_text("")
        assert str(file) in refusal(f"sqlite:///{file / 'db.sqlite3'}")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_is_not_writable(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        assert "make sure the folder exists and is writable" in refusal(f"sqlite:///{tmp_path}/db.sqlite3")

    @pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that nobody can write to")
    def test_a_folder_where_nobody_can_write(self) -> None:
        assert "/proc/self/db.sqlite3" in refusal("sqlite:////proc/self/db.sqlite3")

    def test_a_file_that_may_only_be_read_is_read_and_not_written(self, url: str, file: Path) -> None:
        with sessions_in(url) as store:
            session = store.create_session(SETUP)
        with sessions_in(f"sqlite:///file:{file}?mode=ro&uri=true") as store:
            assert store.find_session(session.id) == session
            with pytest.raises(StoreError, match="readonly database; make the file and its folder writable"):
                store.append(session.id, user("hi"), parent_id=None)

    def test_a_database_of_something_else_is_left_alone(self, url: str, file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE recipes (name TEXT)")
        before = file.read_bytes()
        said = refusal(url)
        assert "tables of another program, such as 'recipes'" in said
        assert "WORKBENCH_DATABASE_URL" in said
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
    def test_what_is_no_url_and_it_is_not_shown(self, url: str) -> None:
        said = refusal(url)
        assert "WORKBENCH_DATABASE_URL" in said
        assert "secret" not in said

    def test_an_unknown_kind_of_database(self) -> None:
        said = refusal("nosuchdb://me:secret@host/db")
        assert "nosuchdb" in said
        assert "secret" not in said

    def test_a_driver_that_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        said = refusal("postgresql+psycopg://me:secret@host/db")
        assert "pip install 'psycopg[binary]'" in said
        assert "secret" not in said


def test_programs_that_start_at_once_share_one_new_database(bare_url: str) -> None:
    runs = [start(KEEP_ONE, bare_url) for _ in range(4)]
    assert [run.communicate()[1] for run in runs] == ["", "", "", ""]
    with sessions_in(bare_url) as store:
        assert len(store.list_sessions()) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_what_is_acknowledged_outlives_a_kill(url: str) -> None:
    run = start(f"{KEEP_ONE}; import os, signal; os.kill(os.getpid(), signal.SIGKILL)", url)
    run.communicate()
    assert run.returncode == -signal.SIGKILL
    with sessions_in(url) as store:
        (session,) = store.list_sessions()
        assert [kept.message for kept in store.path(session.id)] == [user("hi").message]

"""Fixtures with stores on each kind of database. All stores are closed at the end."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import TEMPLATE, Server
from tests.store.opening import sessions_in
from workbench.store.sessions.sessions import SessionStore
from workbench.store.store import Store

SQLITE = "sqlite"
POSTGRES = pytest.param("postgresql", marks=pytest.mark.postgres)
POSTGRES_AT_LENGTH = pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.long])
DIALECT_SENSITIVE = frozenset(
    {
        "backup",
        "bytes",
        "crash",
        "database",
        "deleting",
        "facts",
        "killed_runs",
        "labels",
        "listing",
        "message_tree",
        "migrate",
        "postgres",
        "recordings",
        "runs",
        "search",
        "sessions",
        "storable",
        "stored_messages",
        "tables",
        "unfinished",
    }
)
"""Test files whose subject differs between databases: text search, migrations, locks, times and booleans, bytes and
JSON, cascades, backups. The other files test code that SQLAlchemy runs in the same way on both databases, so
only `make test-all` runs them on PostgreSQL, too."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that use a database on each kind, and those that use the fixture `file` on SQLite only."""
    if "kind" in metafunc.fixturenames:
        subject = metafunc.module.__name__.rpartition("test_")[2]
        postgres = POSTGRES if subject in DIALECT_SENSITIVE else POSTGRES_AT_LENGTH
        kinds = [SQLITE] if "file" in metafunc.fixturenames else [SQLITE, postgres]
        metafunc.parametrize("kind", kinds)


@pytest.fixture
def kind() -> str:
    """The kind of database, set by `pytest_generate_tests`."""
    raise NotImplementedError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The database file of this test. A test that uses it runs on SQLite only."""
    return _file_in(tmp_path)


@pytest.fixture
def url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database for this test: a missing SQLite file or a migrated PostgreSQL database."""
    if kind == SQLITE:
        yield f"sqlite:///{_file_in(tmp_path)}"
        return
    server: Server = request.getfixturevalue("postgres")
    with server.database(TEMPLATE) as fresh:
        yield fresh


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file. Each test gets a copy."""
    migrated = _file_in(tmp_path_factory.mktemp("made"))
    Store(f"sqlite:///{migrated}").close()
    return migrated


@pytest.fixture
def migrated_url(url: str, kind: str, tmp_path: Path, migrated_file: Path) -> str:
    """The URL of a migrated, empty database, which is the fastest to open."""
    if kind == SQLITE:
        shutil.copyfile(migrated_file, _file_in(tmp_path))
    return url


@pytest.fixture
def bare_url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database without tables."""
    if kind == SQLITE:
        yield f"sqlite:///{_file_in(tmp_path)}"
        return
    server: Server = request.getfixturevalue("postgres")
    with server.database() as fresh:
        yield fresh


@pytest.fixture
def fresh(postgres: Server) -> Iterator[str]:
    """The URL of an empty PostgreSQL database. A test that uses it runs on PostgreSQL only."""
    with postgres.database() as empty:
        yield empty


@pytest.fixture
def store(migrated_url: str) -> Iterator[SessionStore]:
    """An empty store."""
    with sessions_in(migrated_url) as opened:
        yield opened


def _file_in(folder: Path) -> Path:
    return folder / "workbench.sqlite3"

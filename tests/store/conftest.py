"""Stores to test with, on each kind of database; all are closed at the end."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import NoPostgres, Server, running_server
from tests.store.opening import sessions_in
from workbench.store.sessions import SessionStore
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
        "labels",
        "listing",
        "migrate",
        "postgres",
        "runs",
        "search",
        "sessions",
        "storable",
        "tables",
        "unfinished",
    }
)
"""Test files whose subject differs between databases: text search, migrations, locks, moments and truth values, bytes
and JSON, cascades, backups. What the other files test is SQLAlchemy's work on either, so `make test` runs them on SQLite
and `make test-all` on PostgreSQL too."""
TEMPLATE = "workbench_template"
"""A database that is up to date; each test has a copy of its own."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for a database runs on each kind; one that asks for SQLite's file, on that only."""
    if "kind" in metafunc.fixturenames:
        subject = metafunc.module.__name__.rpartition("test_")[2]
        postgres = POSTGRES if subject in DIALECT_SENSITIVE else POSTGRES_AT_LENGTH
        kinds = [SQLITE] if "file" in metafunc.fixturenames else [SQLITE, postgres]
        metafunc.parametrize("kind", kinds)


@pytest.fixture
def kind() -> str:
    """The database's kind; `pytest_generate_tests` says which."""
    raise NotImplementedError


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """One server for all tests."""
    try:
        with running_server() as server:
            server.run(f"CREATE DATABASE {TEMPLATE}")
            Store(server.url(TEMPLATE)).close()
            yield server
    except NoPostgres as error:
        pytest.skip(str(error))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the database of this test is; asking for it keeps the test to SQLite."""
    return _file_in(tmp_path)


@pytest.fixture
def url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of this test's own, empty or just made."""
    if kind == SQLITE:
        yield f"sqlite:///{_file_in(tmp_path)}"
        return
    server: Server = request.getfixturevalue("postgres")
    with server.database(TEMPLATE) as fresh:
        yield fresh


@pytest.fixture(scope="session")
def made_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file that is up to date; each test has a copy of its own."""
    made = _file_in(tmp_path_factory.mktemp("made"))
    Store(f"sqlite:///{made}").close()
    return made


@pytest.fixture
def made_url(url: str, kind: str, tmp_path: Path, made_file: Path) -> str:
    """A database that is up to date and empty; the quickest to begin with."""
    if kind == SQLITE:
        shutil.copyfile(made_file, _file_in(tmp_path))
    return url


@pytest.fixture
def bare_url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database without any table."""
    if kind == SQLITE:
        yield f"sqlite:///{_file_in(tmp_path)}"
        return
    server: Server = request.getfixturevalue("postgres")
    with server.database() as fresh:
        yield fresh


@pytest.fixture
def fresh(postgres: Server) -> Iterator[str]:
    """An empty database of PostgreSQL; asking for it keeps the test to that."""
    with postgres.database() as empty:
        yield empty


@pytest.fixture
def store(made_url: str) -> Iterator[SessionStore]:
    """An empty store."""
    with sessions_in(made_url) as opened:
        yield opened


def _file_in(folder: Path) -> Path:
    return folder / "workbench.sqlite3"

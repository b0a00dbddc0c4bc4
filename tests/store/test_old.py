"""Databases of released revisions come to the newest one with nothing lost."""

import gzip
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from tests.store.old.write import write_newest
from tests.store.soundness import check_file
from workbench.chat.message import Role
from workbench.records.owner import LOCAL_OWNER
from workbench.store.migrate import MIGRATIONS, VERSION_TABLE
from workbench.store.store import Store

OLD = {
    file.name.partition(".")[0]: file
    for file in sorted((Path(__file__).parent / "old").glob("*"))
    if file.suffix in (".sql", ".gz")
}
"""Files by revision."""
MOMENTS = ("created_at", "updated_at", "deleted_at", "at")


def tables(engine: sa.Engine) -> sa.MetaData:
    found = sa.MetaData()
    found.reflect(engine, only=lambda name, _: not name.startswith("search_words") and name != VERSION_TABLE)
    return found


def rows(engine: sa.Engine) -> Mapping[str, list[Mapping[str, Any]]]:
    """All rows of all tables, in an order of their own."""
    with engine.connect() as connection:
        return {
            table.name: [
                dict(row)
                for row in connection.execute(sa.select(table).order_by(*table.primary_key)).mappings()
            ]
            for table in tables(engine).sorted_tables
        }


def comparable(value: object) -> object:
    """The same for both databases: SQLite has no moments and no truth values of its own."""
    if isinstance(value, bool):
        return int(value)
    return value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value


@pytest.fixture(params=OLD)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.Engine]:
    """An old database in SQLite."""
    file = tmp_path / "old.sqlite3"
    source = OLD[request.param]
    if source.suffix == ".gz":
        file.write_bytes(gzip.decompress(source.read_bytes()))
    else:
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(source.read_bytes().decode())
    engine = sa.create_engine(f"sqlite:///{file}")
    yield engine
    engine.dispose()


def lost(
    before: Mapping[str, list[Mapping[str, Any]]], after: Mapping[str, list[Mapping[str, Any]]]
) -> list[str]:
    """What of `before` is not in `after`; columns that are gone are left out."""
    missing: list[str] = []
    for table, old_rows in before.items():
        columns = set(after[table][0]) if after[table] else set()
        for row in old_rows:
            wanted = {name: comparable(value) for name, value in row.items() if name in columns}
            if not any(_has(candidate, wanted) for candidate in after[table]):
                missing.append(f"{table} {row}")
    return missing


def _has(row: Mapping[str, Any], wanted: Mapping[str, object]) -> bool:
    return all(comparable(row[name]) == value for name, value in wanted.items())


def check_contents(store: Store) -> None:
    owned = store.of(LOCAL_OWNER)
    for session in owned.sessions.list_sessions():
        path = owned.sessions.path(session.id)
        if path[0].message.role is Role.SYSTEM:
            break
    assert path[1].message.text.startswith("  W")
    assert "🦉" in path[1].message.text
    codes = {fact.code for _, fact in owned.facts.of_session(session.id)}
    assert {"trailing-comma", "invalid-json"} <= codes
    for query in ("cairo", "trailing-comma"):
        assert [one.session.id for one in owned.search.find(query)] == [session.id]


def test_a_sqlite_file_is_upgraded(old: sa.Engine) -> None:
    before = rows(old)
    assert before["message"]
    url = old.url.render_as_string()
    with closing(Store(url)) as store:
        check_contents(store)
    assert lost(before, rows(old)) == []
    check_file(Path(old.url.database or ""))


@pytest.mark.postgres
@pytest.mark.parametrize("old", [revision for revision in OLD if revision < "0005"], indirect=True)
def test_a_database_on_a_server_is_upgraded(old: sa.Engine, fresh: str) -> None:
    # Later ones have the words of the search in a form that SQLite alone can read.
    with old.connect() as connection:
        revision = connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar_one()
    server = sa.create_engine(fresh)
    try:
        _make(server, revision)
        _fill(server, old)
        before = rows(server)
        with closing(Store(fresh)) as store:
            check_contents(store)
        assert lost(before, rows(server)) == []
    finally:
        server.dispose()


def test_the_first_and_the_newest_are_among_them() -> None:
    head = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    assert {"0001", head} <= set(OLD), "run python -m tests.store.old.write"


def test_the_newest_can_be_written(tmp_path: Path) -> None:
    head = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    assert write_newest(tmp_path).name == f"{head}.sqlite3.gz"


def _make(server: sa.Engine, revision: str) -> None:
    """The empty database of that revision."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with server.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def _fill(server: sa.Engine, old: sa.Engine) -> None:
    """The rows of the old one; a table that points at itself takes them in their own order."""
    found = tables(server)
    with server.begin() as connection:
        for table in found.sorted_tables:
            for row in sorted(rows(old)[table.name], key=_age):
                connection.execute(sa.insert(table).values(**row))


def _age(row: Mapping[str, Any]) -> tuple[str, int]:
    """What points at another row of its table is younger."""
    return str(row.get("created_at", "")), row.get("position", 0)

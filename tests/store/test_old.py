"""Databases of earlier versions open without loss."""

import gzip
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory

from tests.store.old.write import write_newest
from tests.store.soundness import check_file
from workbench.chat.message import Role
from workbench.errors import StoreError
from workbench.records.owner import LOCAL_OWNER
from workbench.store.database import open_database
from workbench.store.migrate import MIGRATIONS, VERSION_TABLE
from workbench.store.store import Store

OLD = {file.name.partition(".")[0]: file for file in sorted((Path(__file__).parent / "old").glob("*.gz"))}
"""Files by revision."""
MOMENTS = ("created_at", "updated_at", "deleted_at", "at")


def tables(engine: sa.Engine) -> sa.MetaData:
    found = sa.MetaData()
    found.reflect(engine, only=lambda name, _: not name.startswith("search_words") and name != VERSION_TABLE)
    return found


def rows(engine: sa.Engine) -> Mapping[str, list[Mapping[str, Any]]]:
    """Return all rows of all tables, sorted by primary key."""
    with engine.connect() as connection:
        return {
            table.name: [
                dict(row)
                for row in connection.execute(sa.select(table).order_by(*table.primary_key)).mappings()
            ]
            for table in tables(engine).sorted_tables
        }


def comparable(value: object) -> object:
    """Return a value in a form that is equal for both databases. SQLite has no types for times and booleans."""
    if isinstance(value, bool):
        return int(value)
    return value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value


@pytest.fixture(params=OLD)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.Engine]:
    """An old SQLite database."""
    file = tmp_path / "old.sqlite3"
    source = OLD[request.param]
    file.write_bytes(gzip.decompress(source.read_bytes()))
    engine = sa.create_engine(f"sqlite:///{file}")
    yield engine
    engine.dispose()


def missing_rows(
    before: Mapping[str, list[Mapping[str, Any]]], after: Mapping[str, list[Mapping[str, Any]]]
) -> list[str]:
    """Return the rows of `before` that are not in `after`. Removed columns are ignored."""
    missing: list[str] = []
    for table, old_rows in before.items():
        columns = set(after[table][0]) if after[table] else set()
        for row in old_rows:
            expected = {name: comparable(value) for name, value in row.items() if name in columns}
            if not any(_has(candidate, expected) for candidate in after[table]):
                missing.append(f"{table} {row}")
    return missing


def _has(row: Mapping[str, Any], expected: Mapping[str, object]) -> bool:
    return all(comparable(row[name]) == value for name, value in expected.items())


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
        assert [result.session.id for result in owned.search.find(query)] == [session.id]


@pytest.mark.slow
def test_an_old_sqlite_file_is_upgraded_without_loss(old: sa.Engine) -> None:
    before = rows(old)
    assert before["message"]
    url = old.url.render_as_string()
    with closing(Store(url)) as store:
        check_contents(store)
    after = rows(old)
    assert missing_rows(before, after) == []
    setups = {row["id"]: row["setup"] for row in after["session"]}
    for recorded in after["recorded_session"]:
        asked = setups[recorded["session_id"]]
        asked = json.loads(asked) if isinstance(asked, str) else asked
        assert (recorded["model"], recorded["contract"]) == (asked["model"], asked["contract_name"])
    check_file(Path(old.url.database or ""))


def test_there_are_files_of_the_first_and_the_newest_revision() -> None:
    head = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    assert {"0010", head} <= set(OLD), "run python -m tests.store.old.write"


def test_the_first_release_creates_the_tables_of_the_development_revisions(tmp_path: Path) -> None:
    """A database that the ten development revisions created has the tables of a new one."""
    developed, fresh = tmp_path / "made.sqlite3", tmp_path / "fresh.sqlite3"
    developed.write_bytes(gzip.decompress(OLD["0010"].read_bytes()))
    open_database(f"sqlite:///{fresh}").close()
    open_database(f"sqlite:///{developed}").close()
    assert schema_of(developed) == schema_of(fresh)


@pytest.mark.parametrize("revision", ["0001", "0009"])
def test_a_database_from_before_the_first_release_is_rejected_with_a_remedy(
    tmp_path: Path, revision: str
) -> None:
    file = tmp_path / "old.sqlite3"
    Store(f"sqlite:///{file}").close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"UPDATE {VERSION_TABLE} SET version_num = ?", (revision,))
    with pytest.raises(StoreError, match="open it once with the last development version"):
        Store(f"sqlite:///{file}")


def schema_of(file: Path) -> Mapping[tuple[str, str], list[str]]:
    """Return the words of each SQL definition, by kind and name. The order of columns and constraints is ignored."""
    with closing(sqlite3.connect(file)) as connection:
        found = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    return {(kind, name): sorted(re.findall(r"[\w.']+", sql or "")) for kind, name, sql in found}


def test_a_file_of_the_newest_revision_can_be_written(tmp_path: Path) -> None:
    head = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    assert write_newest(tmp_path).name == f"{head}.sqlite3.gz"

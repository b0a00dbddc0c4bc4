"""Migrations create the declared tables, and back up older databases."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from tests.store.examples import SETUP, user
from tests.store.opening import sessions_in
from workbench.errors import StoreError
from workbench.store.database import open_database
from workbench.store.migrate import MIGRATIONS
from workbench.store.store import Store
from workbench.store.tables import METADATA

LATER = """
import sqlalchemy as sa
from alembic import op

revision = "later"
down_revision = "{head}"


def upgrade() -> None:
    with op.batch_alter_table("session") as session:
        session.add_column(sa.Column("mood", sa.Text(), nullable=False, server_default="calm"))
        session.alter_column("title", nullable=True)
    {more}
"""
"""A future migration, for which SQLite must rebuild a table that others refer to."""


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """The migrations of a future version."""
    return _with_later(tmp_path, "pass")


def _with_later(folder: Path, more: str) -> Path:
    migrations = folder / "migrations 100%"
    shutil.copytree(MIGRATIONS, migrations, ignore=shutil.ignore_patterns("__pycache__"))
    newest = sorted(file.name for file in (migrations / "versions").glob("*.py"))[-1]
    head = newest.partition("_")[0]
    (migrations / "versions" / "later.py").write_text(LATER.format(head=head, more=more))
    return migrations


def _store_one(url: str) -> str:
    with sessions_in(url) as store:
        session = store.create_session(SETUP)
        store.append(session.id, user("hi"), parent_id=None)
        return session.id


def _rows(file: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(query).fetchall()


def _backups(file: Path) -> list[Path]:
    return sorted(file.parent.glob("*before-migration*"))


def test_the_migrations_create_the_declared_tables(url: str) -> None:
    with closing(open_database(url)) as opened, opened.reading() as db:
        # The table of search words has another form on each database.
        def is_ours(name: str | None, kind: str, _parents: object) -> bool:
            return kind != "table" or not (name or "").startswith("search_words")

        context = MigrationContext.configure(
            db.connection(),
            opts={"compare_type": True, "compare_server_default": True, "include_name": is_ours},
        )
        assert compare_metadata(context, METADATA) == []


def test_the_name_of_the_newest_migration_begins_with_its_revision() -> None:
    newest = max(file.name for file in (MIGRATIONS / "versions").glob("*.py"))
    assert newest.partition("_")[0] == ScriptDirectory(str(MIGRATIONS)).get_current_head()


@pytest.mark.slow
def test_a_current_database_is_opened_without_alembic(url: str) -> None:
    _store_one(url)
    code = (
        "import sys; from workbench.store.database import open_database\n"
        f"open_database({url!r}).close(); print('alembic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_opening_again_changes_nothing_and_makes_no_backup(url: str, file: Path) -> None:
    session_id = _store_one(url)
    with sessions_in(url) as store:
        assert [stored.message.text for stored in store.path(session_id)] == ["hi"]
    assert list(file.parent.iterdir()) == [file]


def test_an_empty_file_becomes_a_database_without_a_backup(url: str, file: Path) -> None:
    file.touch()
    _store_one(url)
    assert list(file.parent.iterdir()) == [file]


def test_an_older_database_is_backed_up_then_upgraded(url: str, file: Path, later: Path) -> None:
    session_id = _store_one(url)
    before = _rows(file, "SELECT * FROM message")
    open_database(url, migrations=later).close()
    assert _rows(file, "SELECT version_num FROM alembic_version") == [("later",)]
    assert _rows(file, "SELECT id, title, mood FROM session") == [(session_id, "hi", "calm")]
    assert _rows(file, "SELECT * FROM message") == before
    assert _rows(file, "PRAGMA foreign_key_check") == []
    (backup,) = _backups(file)
    assert backup.suffix == file.suffix
    assert _rows(backup, "PRAGMA integrity_check") == [("ok",)]
    assert _rows(backup, "SELECT * FROM message") == before
    with sessions_in(f"sqlite:///{backup}") as restored:
        assert [stored.message.text for stored in restored.path(session_id)] == ["hi"]


def test_the_backup_includes_changes_that_are_only_in_the_log(url: str, file: Path, later: Path) -> None:
    with sessions_in(url) as store:
        session = store.create_session(SETUP)
        store.append(session.id, user("hi"), parent_id=None)
        assert file.with_name(f"{file.name}-wal").stat().st_size > 0
        open_database(url, migrations=later).close()
        assert _rows(_backups(file)[0], "SELECT text FROM message") == [("hi",)]


def test_a_database_in_memory_has_no_file_to_back_up(later: Path) -> None:
    open_database("sqlite://", migrations=later).close()


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ("op.execute('UPDATE nowhere SET a = 1')", "no such table: nowhere"),
        ("op.execute(\"UPDATE message SET session_id = 'gone'\")", "after the migration, a row of"),
    ],
    ids=["fails", "breaks a foreign key"],
)
def test_a_migration_that_fails_leaves_the_database_as_it_was(
    url: str, file: Path, tmp_path: Path, more: str, problem: str
) -> None:
    session_id = _store_one(url)
    with pytest.raises(StoreError, match=problem):
        open_database(url, migrations=_with_later(tmp_path, more))
    assert len(_backups(file)) == 1
    with sessions_in(url) as store:
        assert [stored.message.text for stored in store.path(session_id)] == ["hi"]


def test_without_a_backup_there_is_no_migration(
    url: str, file: Path, later: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _store_one(url)
    true_connect = sqlite3.connect

    def connect(target: object, *args: object, **options: object) -> sqlite3.Connection:
        if "before-migration" in str(target):
            raise sqlite3.OperationalError("database or disk is full")
        return true_connect(target, *args, **options)

    monkeypatch.setattr(sqlite3, "connect", connect)
    with pytest.raises(StoreError, match="disk is full; free space"):
        open_database(url, migrations=later)
    monkeypatch.undo()
    assert _backups(file) == []
    with sessions_in(url) as store:
        assert len(store.list_sessions()) == 1


def test_a_database_of_a_newer_version_is_rejected_and_not_changed(url: str, file: Path, later: Path) -> None:
    _store_one(url)
    open_database(url, migrations=later).close()
    before = file.read_bytes()
    with pytest.raises(
        StoreError, match=r"a newer version of the workbench wrote it \(revision 'later'\)"
    ) as e:
        Store(url)
    assert str(file) in str(e.value)
    assert "update the workbench" in str(e.value)
    assert file.read_bytes() == before


def test_a_database_with_several_revisions_is_rejected_and_not_changed(url: str, file: Path) -> None:
    Store(url).close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("INSERT INTO alembic_version VALUES ('0010')")
    before = file.read_bytes()
    with pytest.raises(StoreError, match="names several revisions; restore a backup"):
        Store(url)
    assert file.read_bytes() == before

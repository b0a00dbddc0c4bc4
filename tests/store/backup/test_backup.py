"""Backups are consistent, restoring loses nothing, and a check reports damage."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.examples import SETUP, completion, user
from tests.store.opening import sessions_in
from tests.store.soundness import check_file
from workbench.errors import BadInput, StoreError
from workbench.store.backup.backup import back_up, check, restore, vacuum
from workbench.store.snapshots import prune


def _store_message(url: str, text: str = "hi") -> str:
    with sessions_in(url) as store:
        session = store.create_session(SETUP)
        store.append(session.id, user(text), parent_id=None)
        return session.id


def _texts(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return [
            row[0] for row in connection.execute("SELECT text FROM message ORDER BY created_at, position")
        ]


class TestBackUp:
    def test_the_backup_is_one_valid_file(self, url: str, file: Path, tmp_path: Path) -> None:
        session_id = _store_message(url)
        with sessions_in(url):
            copy = back_up(url, tmp_path / "deep" / "copy.sqlite3")
        check_file(copy)
        assert sorted(copy.parent.iterdir()) == [copy]
        with sessions_in(f"sqlite:///{copy}") as store:
            assert [stored.message.text for stored in store.path(session_id)] == ["hi"]

    def test_the_backup_is_consistent_during_writes(self, url: str, file: Path, tmp_path: Path) -> None:
        with sessions_in(url) as store:
            session = store.create_session(SETUP)
            is_over = threading.Event()
            acknowledged: list[str] = []

            def write() -> None:
                parent_id = None
                while not is_over.is_set():
                    new = completion(f"{len(acknowledged)} " + "x" * 5000)
                    parent_id = store.append(session.id, new, parent_id=parent_id).id
                    acknowledged.append(new.message.text)

            writer = threading.Thread(target=write)
            writer.start()
            try:
                for number in range(15):
                    before = len(acknowledged)
                    copy = back_up(url, tmp_path / f"{number}.sqlite3")
                    after = len(acknowledged) + 1
                    check_file(copy)
                    found = _texts(copy)
                    assert before <= len(found) <= after
                    assert found[:before] == acknowledged[:before]
            finally:
                is_over.set()
                writer.join()

    def test_the_backup_is_written_next_to_the_database_and_replaces_nothing(
        self, url: str, file: Path
    ) -> None:
        _store_message(url)
        copy = back_up(url)
        assert copy.parent == file.parent / "backups"
        with pytest.raises(BadInput, match="already exists"):
            back_up(url, copy)

    def test_backing_up_a_missing_database_creates_no_file(
        self, url: str, file: Path, tmp_path: Path
    ) -> None:
        with pytest.raises(StoreError, match="unable to open"):
            back_up(url, tmp_path / "copies" / "copy.sqlite3")
        assert not file.exists()
        assert list((tmp_path / "copies").iterdir()) == []


class TestRestore:
    def test_the_previous_database_is_kept(self, url: str, file: Path) -> None:
        _store_message(url, "first")
        copy = back_up(url)
        _store_message(url, "second")
        done = restore(url, copy, is_forced=True)
        assert _texts(file) == ["first"]
        assert done.previous
        assert _texts(done.previous) == ["first", "second"]
        check_file(done.previous)

    def test_nothing_is_replaced_unless_forced(self, url: str, file: Path) -> None:
        _store_message(url)
        copy = back_up(url)
        before = file.read_bytes()
        with pytest.raises(BadInput, match="--force replaces it"):
            restore(url, copy)
        assert file.read_bytes() == before

    def test_a_missing_database_is_created(self, url: str, file: Path, tmp_path: Path) -> None:
        _store_message(url)
        copy = back_up(url)
        done = restore(f"sqlite:///{tmp_path}/other/db.sqlite3", copy)
        assert done.previous is None
        assert _texts(done.file) == ["hi"]

    def test_a_database_that_is_open_is_not_replaced(self, url: str, file: Path) -> None:
        _store_message(url)
        copy = back_up(url)
        with sessions_in(url) as store:
            session = store.create_session(SETUP)
            with pytest.raises(StoreError, match="another program has it open"):
                restore(url, copy, is_forced=True)
            assert store.find_session(session.id) == session
        assert not list(file.parent.glob("*.restoring*"))

    def test_a_damaged_database_is_replaced_and_kept(self, url: str, file: Path) -> None:
        _store_message(url)
        copy = back_up(url)
        file.write_bytes(b"damaged" * 1000)
        done = restore(url, copy, is_forced=True)
        assert done.previous
        assert done.previous.read_bytes() == b"damaged" * 1000
        assert _texts(file) == ["hi"]

    @pytest.mark.parametrize("content", [b"", b"# notes\n" * 1000], ids=["empty", "text"])
    def test_a_file_that_is_not_a_backup_is_rejected(
        self, url: str, file: Path, tmp_path: Path, content: bytes
    ) -> None:
        _store_message(url)
        source = tmp_path / "notes"
        source.write_bytes(content)
        with pytest.raises(BadInput, match="choose another backup"):
            restore(url, source, is_forced=True)
        with pytest.raises(BadInput, match="no such file"):
            restore(url, tmp_path / "nowhere", is_forced=True)
        assert _texts(file) == ["hi"]

    def test_a_backup_of_a_newer_version_is_rejected(self, url: str, file: Path) -> None:
        _store_message(url)
        copy = back_up(url)
        with closing(sqlite3.connect(copy)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = 'later'")
        with pytest.raises(BadInput, match="a newer version of the workbench wrote it"):
            restore(url, copy, is_forced=True)


class TestCheck:
    def test_the_rows_of_a_valid_database_are_counted(self, url: str) -> None:
        _store_message(url)
        found = check(url)
        assert found.problems == ()
        assert found.revision == found.newest_revision
        assert (found.row_counts["session"], found.row_counts["message"]) == (1, 1)
        assert found.size_bytes > 0
        assert ":***@" in found.database or found.database.startswith("sqlite")

    def test_a_broken_reference_is_reported(self, url: str, file: Path) -> None:
        _store_message(url)
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE message SET session_id = 'gone'")
        assert any("refers to a missing row of 'session'" in problem for problem in check(url).problems)

    def test_a_damaged_file_is_reported(self, url: str, file: Path) -> None:
        _store_message(url, "x" * 100_000)
        data = bytearray(file.read_bytes())
        data[8192:40_000] = b"\xff" * (40_000 - 8192)
        file.write_bytes(data)
        try:
            assert check(url).problems
        except StoreError as error:
            assert "restore a backup" in str(error)

    @pytest.mark.parametrize("share", [0.0, 0.00001, 0.0001, 0.005, 0.1, 0.5, 0.99, 0.999999])
    def test_a_truncated_file_is_reported(self, url: str, file: Path, share: float) -> None:
        _store_message(url)
        data = file.read_bytes()
        file.write_bytes(data[: int(len(data) * share)])
        try:
            assert check(url).problems
        except StoreError as error:
            assert "restore a backup" in str(error) or "file is not a database" in str(error)

    @pytest.mark.parametrize(
        ("script", "problem"),
        [
            ("VACUUM", "not a database of the workbench: it is empty"),
            ("CREATE TABLE x (a); DROP TABLE x", "not a database of the workbench: it is empty"),
            ("CREATE TABLE alembic_version (version_num)", "not a database of the workbench: it is empty"),
            ("CREATE TABLE x (a)", "tables of another program, such as 'x'"),
        ],
    )
    def test_a_file_without_our_tables_is_reported(
        self, url: str, file: Path, script: str, problem: str
    ) -> None:
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(script)
        file.touch()
        found = check(url)
        assert problem in found.problems[0]
        assert (found.revision, found.row_counts) == (None, {})

    @pytest.mark.parametrize(
        "script",
        [
            "DELETE FROM alembic_version",
            "DROP TABLE alembic_version",
            "INSERT INTO alembic_version VALUES ('0001')",
        ],
    )
    def test_a_database_without_one_revision_is_reported(self, url: str, file: Path, script: str) -> None:
        _store_message(url)
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(script)
        assert "does not name one revision" in check(url).problems[0]

    def test_a_missing_table_is_reported(self, url: str, file: Path) -> None:
        _store_message(url)
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript("DROP TABLE preset")
        assert check(url).problems == ("the table 'preset' is missing; restore a backup",)

    @pytest.mark.parametrize(
        ("part", "name"),
        [
            ("index", "ix_session_share_key"),
            ("index", "ix_fact_code"),
            ("trigger", "audit_no_delete"),
            ("trigger", "search_document_deleted"),
        ],
    )
    def test_a_missing_index_or_trigger_is_reported(self, url: str, file: Path, part: str, name: str) -> None:
        _store_message(url)
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(f"DROP {part} {name}")
        assert check(url).problems == (f"the {part} {name!r} is missing; restore a backup",)

    @pytest.mark.parametrize("revision", ["9999", "0001", ""])
    def test_an_unknown_revision_is_reported(self, url: str, file: Path, revision: str) -> None:
        _store_message(url)
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", [revision])
        found = check(url)
        assert f"the revision {revision!r} is unknown" in found.problems[0]

    def test_checking_creates_and_migrates_nothing(self, url: str, file: Path) -> None:
        with pytest.raises(StoreError, match="the file does not exist"):
            check(url)
        assert not file.exists()
        _store_message(url)
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = '0010'")
        assert check(url).revision == "0010"


def test_vacuum_frees_space(url: str, file: Path) -> None:
    session_id = _store_message(url, "x" * 2_000_000)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE message SET text = 'short'")
    assert check(url).unused_bytes > 1_000_000
    before, after = vacuum(url)
    assert before - after > 1_000_000
    check_file(file)
    with sessions_in(url) as store:
        assert [stored.message.text for stored in store.path(session_id)] == ["short"]


@pytest.mark.parametrize(
    ("ask", "tool"),
    [
        (back_up, "pg_dump"),
        (lambda url: restore(url, Path("x")), "pg_restore"),
        (vacuum, "vacuumdb"),
    ],
    ids=["backup", "restore", "vacuum"],
)
def test_the_error_for_postgresql_names_its_own_tool(ask, tool: str) -> None:
    with pytest.raises(BadInput, match=tool):
        ask("postgresql://me:secret@host/db")


def test_only_the_newest_copies_are_kept(tmp_path: Path) -> None:
    files = [
        tmp_path / f"w.before-migration-{revision}-2026010{day}T0Z.db"
        for day, revision in ((1, "0009"), (2, "0001"), (3, "0002"), (4, "0003"))
    ]
    for file in files:
        file.touch()
    assert prune(files[::-1], keep=2) == files[:2]
    assert sorted(tmp_path.iterdir()) == files[2:]
    assert prune(files[2:], keep=2) == []

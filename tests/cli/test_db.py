"""`workbench db`: backup, restore, check and vacuum."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.store.examples import SETUP, user
from tests.store.opening import sessions_in
from workbench.cli.app import build_app


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database with one message, which the settings name."""
    file = tmp_path / "workbench.sqlite3"
    monkeypatch.setenv("WORKBENCH_DATABASE_URL", f"sqlite:///{file}")
    with sessions_in(f"sqlite:///{file}") as store:
        store.append(store.create_session(SETUP).id, user("hi"), parent_id=None)
    return file


def run(*words: object, exit_code: int = 0) -> str:
    done = CliRunner().invoke(build_app(), ["db", *map(str, words)])
    assert done.exit_code == exit_code, done.output
    return done.output


def test_backup_and_restore(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    assert str(copy) in run("backup", copy)
    assert "the previous database was moved to" in run("restore", copy, "--force")
    done = json.loads(run("restore", copy, "--force", "--json"))
    assert done["file"] == str(file)
    assert Path(done["kept"]).is_file()
    assert json.loads(run("backup", "--json"))["size_bytes"] > 0


def test_check_and_vacuum(file: Path) -> None:
    output = run("check")
    assert "(current)" in output
    assert "rows      message 1" in output
    assert output.endswith("No problems found.\n")
    assert json.loads(run("check", "--json"))["problems"] == []
    assert "now" in run("vacuum")
    assert json.loads(run("vacuum", "--json"))["after_bytes"] > 0


def test_check_of_an_empty_file_fails(file: Path) -> None:
    for side in file.parent.glob("*.sqlite3-*"):
        side.unlink()
    file.write_bytes(b"")
    assert "BAD       this is not a database of the workbench" in run("check", exit_code=1)
    assert json.loads(run("check", "--json", exit_code=1))["problems"]


def test_check_of_a_damaged_database_fails(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE message SET session_id = 'gone'")
    output = run("check", exit_code=1)
    assert "refers to a missing row" in output
    assert output.endswith("The database is damaged: restore a backup.\n")

"""Check a database file."""

import sqlite3
from contextlib import closing
from pathlib import Path


def check_file(file: Path) -> None:
    """Raise if SQLite reports damage or a broken reference."""
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []

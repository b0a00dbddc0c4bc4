"""Whether a database is sound."""

import sqlite3
from contextlib import closing
from pathlib import Path


def check_file(file: Path) -> None:
    """Raises where SQLite finds the file damaged, or a row that points at nothing."""
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []

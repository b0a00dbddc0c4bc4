"""A database of many sessions, written at once."""

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.store.examples import SETUP
from workbench.store.database import open_database
from workbench.store.rows import setup_document
from workbench.store.tables.sessions import queue_place

SESSIONS = 100_000
MESSAGES = 10
"""Of each session: user and model in turn."""
BATCH = 2_000
"""Sessions that are written at once."""
WORDS = [
    f"{first}{middle}{last}"
    for first in ["b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "z"]
    for middle in ["a", "e", "i", "o", "u"]
    for last in [
        "bel",
        "dor",
        "fin",
        "gar",
        "kas",
        "lim",
        "mon",
        "nar",
        "pos",
        "rud",
        "sel",
        "tam",
        "vik",
        "zan",
    ]
]
"""Each is in one of about a hundred messages. `zulu` and its number are in a single message."""
START = datetime(2026, 1, 1, tzinfo=UTC)


def write_sessions(file: Path, sessions: int = SESSIONS) -> None:
    """Makes the database, and fills it as the store would."""
    url = f"sqlite:///{file}"
    with closing(open_database(url)) as made:
        assert made.describe() == url
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("INSERT INTO search_words (search_words, rank) VALUES ('hashsize', 67108864)")
        chance = random.Random(1)
        for first in range(0, sessions, BATCH):
            _write_batch(connection, chance, range(first, min(first + BATCH, sessions)))
        connection.execute("INSERT INTO search_words (search_words) VALUES ('optimize')")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert connection.execute("PRAGMA foreign_key_check").fetchone() is None


def _write_batch(connection: sqlite3.Connection, chance: random.Random, numbers: range) -> None:
    messages = [row for number in numbers for row in _messages(chance, number)]
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO session (id, title, created_at, updated_at, setup, leaf_id, queue_place) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        _sessions(numbers),
    )
    connection.executemany(
        "INSERT INTO message (id, session_id, parent_id, position, role, origin, text, calls, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, '[]', ?)",
        messages,
    )
    first = numbers.start * MESSAGES + 1
    connection.executemany(
        "INSERT INTO search_document (id, session_id, message_id, span_start) VALUES (?, ?, ?, 0)",
        ((first + place, row[1], row[0]) for place, row in enumerate(messages)),
    )
    connection.executemany(
        "INSERT INTO search_words (rowid, named, text) VALUES (?, '', ?)",
        ((first + place, row[6]) for place, row in enumerate(messages)),
    )
    connection.execute("COMMIT")


def _sessions(numbers: range) -> Iterator[tuple[object, ...]]:
    setup = json.dumps(setup_document(SETUP))
    for number in numbers:
        at, place = _moment(number), queue_place(START + timedelta(seconds=number))
        yield f"s{number}", f"session {number}", at, at, setup, f"m{number}.{MESSAGES - 1}", place


def _messages(chance: random.Random, number: int) -> Iterator[tuple[object, ...]]:
    for place in range(MESSAGES):
        text = " ".join(chance.choices(WORDS, k=8)) + (f" zulu{number}" if not place else "")
        role, origin = ("assistant", "model") if place % 2 else ("user", "person")
        parent = f"m{number}.{place - 1}" if place else None
        yield f"m{number}.{place}", f"s{number}", parent, place, role, origin, text, _moment(number)


def _moment(number: int) -> str:
    """As the driver of SQLite writes it."""
    return (START + timedelta(seconds=number)).strftime("%Y-%m-%d %H:%M:%S.000000")

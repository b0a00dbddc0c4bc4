"""Sessions in a database that tests damage from outside."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.store.examples import SETUP, completion, tool_result, user
from workbench.store.store import OwnedStore

CALL = "<tool_call>\n{'name': 'now', 'arguments': {}}\n</tool_call>"


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A database with two sessions that have two branches each."""

    file: Path
    session: str
    ids: tuple[str, ...]
    """A question, an answer, a result, an answer; then another answer to the question."""
    other: str
    other_ids: tuple[str, ...]

    def damage(self, statement: str) -> None:
        """Run SQL that the workbench would not: s and o stand for the sessions, m0 … m4 and n0 … n4 for messages."""
        names = {"s": self.session, "o": self.other}
        names |= {f"m{place}": one for place, one in enumerate(self.ids)}
        names |= {f"n{place}": one for place, one in enumerate(self.other_ids)}
        with closing(sqlite3.connect(self.file)) as connection, connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.executescript(statement.format(**{k: f"'{v}'" for k, v in names.items()}))


def fill(own: OwnedStore) -> tuple[str, tuple[str, ...]]:
    """Add a session with two branches, and return its id and those of its messages."""
    session = own.sessions.create_session(SETUP)
    new = (user("hi"), completion(CALL), tool_result("12:00"), completion("noon"))
    path = own.sessions.append_all(session.id, new, parent_id=None)
    beside = own.sessions.append(session.id, completion("no"), parent_id=path[0].id, is_shown=False)
    own.sessions.tag_session(session.id, ["good"])
    return session.id, (*(one.id for one in path), beside.id)


CYCLE = "the parents form a cycle"

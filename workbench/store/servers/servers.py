"""The servers that share a PostgreSQL database: who is running, who has ended, and messages between them.

Idea: each server has a row and updates its time every few seconds. A server whose row is not updated any more has
ended: it was killed, or its machine or network failed. Any other server then removes the row, with the turns that it
was running, and stores their unfinished texts as interrupted messages.

All times are those of the database, so the clocks of the machines need not agree.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any, Final

from sqlmodel import Session, col, delete, func, select, update

from workbench.store.database import Database
from workbench.store.database_faults import explained
from workbench.store.sessions.unfinished import has_ended, recover_unfinished, this_writer
from workbench.store.tables import LiveEventRow, LiveRunRow, LiveTurnRow, ServerMessageRow, ServerRow

CHANNEL: Final = "hermes_workbench"
EVENTS_KEPT: Final = timedelta(minutes=1)
"""How long the events of an ended turn are kept, for servers that have not read the last of them."""


def notify(db: Session, subject: str) -> None:
    """Wake the servers that listen, once the transaction is committed.

    Args:
        subject: What has changed, such as the id of a turn. At most 8,000 bytes.
    """
    db.exec(select(func.pg_notify(CHANNEL, subject))).one()


class ServerStore:
    """The servers of one PostgreSQL database. Each method is one transaction. Thread-safe.

    Args:
        now: Returns the current time, with a time zone.
    """

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def join(self, server_id: str) -> None:
        """Add a server.

        Raises:
            StoreError: The database could not be written.
        """
        with self._database.writing() as db:
            db.add(ServerRow(id=server_id, writer=this_writer(), beat_at=_clock(db)))

    def beat(self, server_id: str) -> bool:
        """Update the time of a server. Return False if another server has removed it, because it was silent too long.

        Raises:
            StoreError: The database could not be written.
        """
        with self._database.writing() as db:
            change = update(ServerRow).where(col(ServerRow.id) == server_id).values(beat_at=func.now())
            return db.exec(change).rowcount > 0

    def count(self) -> int:
        """Return the number of servers.

        Raises:
            StoreError: The database could not be read.
        """
        with self._database.reading() as db:
            return db.exec(select(func.count()).select_from(ServerRow)).one()

    def leave(self, server_id: str) -> None:
        """Remove a server that is closing. What it left in progress is handled as if it had been killed, but at once.

        Raises:
            StoreError: The database could not be written.
        """
        with self._database.writing() as db:
            db.exec(delete(ServerRow).where(col(ServerRow.id) == server_id))
            # Its listener ends at once.
            notify(db, server_id)

    def remove_ended(self, *, silent: timedelta | None, process_silent: timedelta) -> int:
        """Remove servers that have ended, and interrupt their turns. Their unfinished texts become messages.

        Args:
            silent: How long a server must have been silent. None removes only those whose process has ended.
            process_silent: How long a server on this machine must have been silent whose process has ended.

        Returns:
            The number of turns that were interrupted.

        Raises:
            StoreError: The database could not be read or written.
        """
        with self._database.writing() as db:
            now = _clock(db)
            ended = [
                row
                for row in db.exec(select(ServerRow).where(col(ServerRow.beat_at) < now - process_silent))
                if (silent is not None and row.beat_at < now - silent)
                or has_ended(row.writer, is_silent=False)
            ]
            # Another server may be removing the same ones.
            ids = [row.id for row in ended]
            db.exec(delete(ServerRow).where(col(ServerRow.id).in_(ids)))
            servers = select(ServerRow.id)
            interrupted = db.exec(
                delete(LiveTurnRow).where(col(LiveTurnRow.server_id).not_in(servers))
            ).rowcount
            db.exec(delete(ServerMessageRow).where(col(ServerMessageRow.server_id).not_in(servers)))
            db.exec(
                delete(LiveRunRow).where(
                    col(LiveRunRow.server_id).not_in(servers), col(LiveRunRow.person).is_(None)
                )
            )
            db.exec(
                delete(LiveEventRow).where(
                    col(LiveEventRow.turn_id).not_in(select(LiveTurnRow.id)),
                    col(LiveEventRow.created_at) < now - EVENTS_KEPT,
                )
            )
            writers = frozenset(row.writer for row in ended)
        if writers:
            recover_unfinished(self._database, self._now, ended=writers)
        return interrupted

    def send(self, server_id: str, document: Mapping[str, Any]) -> None:
        """Send a message to a server, which may have ended by now.

        Raises:
            StoreError: The database could not be written.
        """
        with self._database.writing() as db:
            db.add(ServerMessageRow(server_id=server_id, document=dict(document)))
            notify(db, server_id)

    def receive(self, server_id: str) -> Sequence[Mapping[str, Any]]:
        """Return the messages that have arrived for a server, in order, and delete them.

        Raises:
            StoreError: The database could not be written.
        """
        removed = (
            delete(ServerMessageRow)
            .where(col(ServerMessageRow.server_id) == server_id)
            .returning(col(ServerMessageRow.number), col(ServerMessageRow.document))
        )
        with self._database.writing() as db:
            arrived = db.exec(removed).all()
        return [document for _, document in sorted(arrived, key=itemgetter(0))]

    @contextmanager
    def listening(self) -> Generator[Callable[[float], Sequence[str]]]:
        """Listen for notifications on a connection of its own.

        Yields:
            A function that waits for at most some seconds, and returns the subjects of `notify` that arrived.

        Raises:
            StoreError: The connection could not be opened, or was lost.
        """
        import psycopg

        shown = self._database.describe()
        try:
            with self._database.driver_connection() as connection:
                connection.autocommit = True
                connection.execute(f"LISTEN {CHANNEL}")
                yield lambda timeout_s: [
                    arrived.payload for arrived in connection.notifies(timeout=timeout_s, stop_after=1)
                ]
        except psycopg.Error as error:
            raise explained(error, shown) from error


def _clock(db: Session) -> datetime:
    """Return the time of the database."""
    return db.exec(select(func.now())).one()

"""What the servers of one PostgreSQL database have in progress: turns with their latest events, and suite runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlmodel import col, delete, func, select, update

from workbench.store.database import Database, insert_if_absent
from workbench.store.owner_scope import SHARED
from workbench.store.servers.servers import notify
from workbench.store.tables import LiveEventRow, LiveRunRow, LiveTurnRow, ServerRow


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTurn:
    """A turn in progress on some server."""

    id: str
    session_id: str
    server_id: str
    request: Mapping[str, Any]
    """What other servers need to show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRun:
    """A suite run in progress on some server."""

    run_id: str
    server_id: str
    person: Mapping[str, Any] | None
    """The fields of the `Owner`. None if no other server can continue the run."""


class LiveWork:
    """The work in progress of all servers. Each method is one transaction. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin_turn(self, owner_key: str | None, turn: LiveTurn) -> bool:
        """Add a turn. Return False if its session has a turn already, on any server.

        Raises:
            StoreError: The database could not be written.
        """
        with self._database.writing() as db:
            insert_if_absent(
                db,
                LiveTurnRow,
                owner=owner_key or SHARED,
                session_id=turn.session_id,
                id=turn.id,
                server_id=turn.server_id,
                request=dict(turn.request),
            )
            row = db.get_one(LiveTurnRow, (owner_key or SHARED, turn.session_id))
            return row.id == turn.id

    def end_turn(self, turn_id: str) -> None:
        """Remove a turn that has ended. A turn that was removed already is ignored.

        Raises:
            StoreError: The database could not be written.
        """
        with self._database.writing() as db:
            db.exec(delete(LiveTurnRow).where(col(LiveTurnRow.id) == turn_id))

    def find_turn(self, owner_key: str | None, session_id: str) -> LiveTurn | None:
        """Return the turn of a session, or None.

        Raises:
            StoreError: The database could not be read.
        """
        with self._database.reading() as db:
            row = db.get(LiveTurnRow, (owner_key or SHARED, session_id))
            if row is None:
                return None
            return LiveTurn(id=row.id, session_id=session_id, server_id=row.server_id, request=row.request)

    def add_events(self, turn_id: str, number: int, document: Mapping[str, Any], *, is_restart: bool) -> None:
        """Add events of a turn and wake the servers that follow it.

        Args:
            number: Increases with each call for the turn.
            is_restart: Whether these are all events of the turn so far. Earlier ones are then deleted.

        Raises:
            StoreError: The database could not be written.
        """
        with self._database.writing() as db:
            # These rows are for the next seconds, so nobody has to wait until they are on the disk.
            db.connection().execute(text("SET LOCAL synchronous_commit = off"))
            if is_restart:
                db.exec(
                    delete(LiveEventRow).where(
                        col(LiveEventRow.turn_id) == turn_id, col(LiveEventRow.number) < number
                    )
                )
            now = db.exec(select(func.now())).one()
            db.add(LiveEventRow(turn_id=turn_id, number=number, document=dict(document), created_at=now))
            notify(db, turn_id)

    def events(self, turn_id: str, after: int) -> Sequence[tuple[int, Mapping[str, Any]]]:
        """Return the events of a turn whose number is greater than `after`, in order, with their numbers.

        Raises:
            StoreError: The database could not be read.
        """
        with self._database.reading() as db:
            query = select(LiveEventRow).where(
                col(LiveEventRow.turn_id) == turn_id, col(LiveEventRow.number) > after
            )
            return [(row.number, row.document) for row in db.exec(query.order_by(col(LiveEventRow.number)))]

    def has_turn(self, turn_id: str) -> bool:
        """Whether a turn is in progress.

        Raises:
            StoreError: The database could not be read.
        """
        with self._database.reading() as db:
            return db.exec(select(LiveTurnRow.id).where(col(LiveTurnRow.id) == turn_id)).first() is not None

    def begin_run(self, owner_key: str | None, run: LiveRun) -> bool:
        """Add a suite run. Return False if the owner has one in progress already, on any server.

        Raises:
            StoreError: The database could not be written.
        """
        with self._database.writing() as db:
            insert_if_absent(
                db,
                LiveRunRow,
                owner=owner_key or SHARED,
                run_id=run.run_id,
                server_id=run.server_id,
                person=None if run.person is None else dict(run.person),
            )
            row = db.get_one(LiveRunRow, owner_key or SHARED)
            return (row.run_id, row.server_id) == (run.run_id, run.server_id)

    def end_run(self, run_id: str, server_id: str) -> None:
        """Remove a suite run that has ended, unless another server has taken it over.

        Raises:
            StoreError: The database could not be written.
        """
        with self._database.writing() as db:
            db.exec(
                delete(LiveRunRow).where(
                    col(LiveRunRow.run_id) == run_id, col(LiveRunRow.server_id) == server_id
                )
            )

    def find_run(self, owner_key: str | None) -> LiveRun | None:
        """Return the suite run that an owner has in progress, or None.

        Raises:
            StoreError: The database could not be read.
        """
        with self._database.reading() as db:
            row = db.get(LiveRunRow, owner_key or SHARED)
            return None if row is None else _live_run(row)

    def take_run(self, server_id: str) -> LiveRun | None:
        """Take over a suite run whose server has ended. None if there is none. Two servers never take the same run.

        Raises:
            StoreError: The database could not be written.
        """
        with self._database.writing() as db:
            abandoned = (
                select(LiveRunRow)
                .where(
                    col(LiveRunRow.server_id).not_in(select(ServerRow.id)),
                    col(LiveRunRow.person).is_not(None),
                )
                .limit(1)
                .with_for_update(skip_locked=True)
            )
            row = db.exec(abandoned).first()
            if row is None:
                return None
            db.exec(update(LiveRunRow).where(col(LiveRunRow.owner) == row.owner).values(server_id=server_id))
            return LiveRun(run_id=row.run_id, server_id=server_id, person=row.person)


def _live_run(row: LiveRunRow) -> LiveRun:
    return LiveRun(run_id=row.run_id, server_id=row.server_id, person=row.person)

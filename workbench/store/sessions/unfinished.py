"""Save the text of messages that are being generated, and recover it if the writer is killed.

See `workbench.store.sessions.message_writer` for how unfinished text and messages fit together.
"""

import logging
import socket
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

import psutil
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select, update

from workbench.errors import StoreError
from workbench.rollout.events import Generation
from workbench.store import rows
from workbench.store.database import Database
from workbench.store.rows import new_id
from workbench.store.sessions.message_writer import show_leaf, write_message
from workbench.store.tables import MessageRow, ServerRow, SessionRow, UnfinishedRow


@cache
def this_writer() -> str:
    """Return a name for this process that no other process has: machine, process id and start time."""
    process = psutil.Process()
    return f"{socket.gethostname()} {process.pid} {process.create_time():.2f}"


def has_ended(writer: str, *, is_silent: bool) -> bool:
    """Whether the process with this name has ended.

    Args:
        writer: A name that `this_writer` returned.
        is_silent: The answer for a process on another machine, which cannot be checked.
    """
    host, _, process_name = writer.partition(" ")
    pid, _, started = process_name.partition(" ")
    if host != socket.gethostname() or not pid.isdecimal():
        return is_silent
    try:
        process = psutil.Process(int(pid))
        # A killed process stays in the process table as a zombie until its parent has waited for it.
        is_over = process.status() == psutil.STATUS_ZOMBIE
        return is_over or f"{process.create_time():.2f}" != started
    except psutil.NoSuchProcess:
        return True


_LOG: Final = logging.getLogger(__name__)
SILENCE: Final = timedelta(minutes=1)
"""A writer on another machine counts as ended if it has not written for this long."""
SERVER_SILENCE: Final = timedelta(seconds=20)
"""A server that shares a database with others counts as ended if it has given no sign of life for this long."""


def save_unfinished(db: Session, text: str, generation: Generation, place: rows.MessagePosition) -> None:
    """Save the text so far, in place of an earlier text with the same id."""
    is_same = (col(UnfinishedRow.id) == place.id, col(UnfinishedRow.session_id) == place.session_id)
    change = update(UnfinishedRow).where(*is_same).values(text=text, updated_at=place.created_at)
    if not db.exec(change).rowcount:
        db.add(rows.unfinished_row(text, generation, place, writer=this_writer()))


def forget_unfinished(db: Session, session_id: str, unfinished_id: str | None) -> None:
    """Delete the unfinished text of a message that is complete.

    If there is no row with this id, another process has already recovered the text, because it took the writer
    for ended. The recovered message stays as a branch.
    """
    row = None if unfinished_id is None else db.get(UnfinishedRow, unfinished_id)
    if row is not None and row.session_id == session_id:
        db.delete(row)
        db.flush()


def recover_unfinished(
    database: Database, now: Callable[[], datetime], *, ended: Collection[str] = ()
) -> int:
    """Turn the unfinished texts of ended processes into messages, and return their number.

    Args:
        ended: Writers that are known to have ended, in addition to those that can be checked.

    Raises:
        StoreError: The texts could not be read or written.
    """
    with database.reading() as db:
        if not _abandoned_ids(db, now, ended):
            return 0
    with database.writing() as db:
        return sum(_try_to_recover(db, row_id) for row_id in _abandoned_ids(db, now, ended, is_writing=True))


def _abandoned_ids(
    db: Session, now: Callable[[], datetime], ended: Collection[str], *, is_writing: bool = False
) -> list[str]:
    """Return the ids of the rows whose writers have ended, oldest first."""
    moment = now().astimezone(UTC)
    running = {
        server.writer for server in db.exec(select(ServerRow)) if moment - server.beat_at < SERVER_SILENCE
    }
    query = select(UnfinishedRow.id, UnfinishedRow.writer, UnfinishedRow.updated_at)
    query = query.order_by(col(UnfinishedRow.updated_at))
    return [
        row_id
        for row_id, writer, updated_at in db.exec(query.with_for_update() if is_writing else query)
        if writer not in running
        and (writer in ended or has_ended(writer, is_silent=moment - updated_at > SILENCE))
    ]


def _try_to_recover(db: Session, row_id: str) -> bool:
    """Recover a row and return whether that worked. A damaged row stays, so that the workbench can still start."""
    try:
        with db.begin_nested():
            _recover(db, db.get_one(UnfinishedRow, row_id))
    except (StoreError, ValueError, SQLAlchemyError) as error:
        _LOG.warning("could not recover an unfinished message: %s", error)
        return False
    return True


def _recover(db: Session, row: UnfinishedRow) -> None:
    place = rows.MessagePosition(
        # A new id, because a writer that was wrongly taken for ended may still write under the row's id.
        id=new_id(),
        session_id=row.session_id,
        parent=db.get(MessageRow, row.parent_id) if row.parent_id else None,
        created_at=row.updated_at,
    )
    parts = write_message(db, rows.unfinished_value(row), place)
    session = db.get_one(SessionRow, row.session_id)
    # A message beside the open path, such as the answer of a comparison's column, does not become the open leaf.
    show_leaf(db, session, parts.message, is_shown=session.leaf_id == row.parent_id)
    db.delete(row)
    db.flush()

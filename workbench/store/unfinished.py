"""Messages that are still being written: saved on the way, and kept as messages if the writer dies."""

import logging
import socket
from collections.abc import Callable
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
from workbench.store.message_writer import new_id, show_leaf, write_message
from workbench.store.tables import MessageRow, SessionRow, UnfinishedRow


@cache
def this_writer() -> str:
    """Names this process, and no other one before or after it: machine, number, moment of its start."""
    process = psutil.Process()
    return f"{socket.gethostname()} {process.pid} {process.create_time():.2f}"


def has_ended(writer: str, *, is_silent: bool) -> bool:
    """Whether the process that `this_writer` named so is gone.

    Args:
        is_silent: What counts of a process on another machine, which cannot be looked for.
    """
    host, _, process_name = writer.partition(" ")
    pid, _, started = process_name.partition(" ")
    if host != socket.gethostname() or not pid.isdecimal():
        return is_silent
    try:
        process = psutil.Process(int(pid))
        # One that was killed keeps its number until its parent has asked how it ended.
        is_over = process.status() == psutil.STATUS_ZOMBIE
        return is_over or f"{process.create_time():.2f}" != started
    except psutil.NoSuchProcess:
        return True


_LOG: Final = logging.getLogger(__name__)
SILENCE: Final = timedelta(minutes=1)
"""A writer on another machine that wrote nothing for so long is taken for ended."""


def save_unfinished(db: Session, text: str, generation: Generation, place: rows.MessagePosition) -> None:
    """What is written so far, in place of what was there under the same id."""
    known = (col(UnfinishedRow.id) == place.id, col(UnfinishedRow.session_id) == place.session_id)
    grown = update(UnfinishedRow).where(*known).values(text=text, updated_at=place.created_at)
    if not db.exec(grown).rowcount:
        db.add(rows.unfinished_row(text, generation, place, writer=this_writer()))


def forget_unfinished(db: Session, session_id: str, unfinished_id: str | None) -> None:
    """The message is whole now.

    Where there is none of that id, another process took its writer for ended: the part stays as a branch.
    """
    row = None if unfinished_id is None else db.get(UnfinishedRow, unfinished_id)
    if row is not None and row.session_id == session_id:
        db.delete(row)
        db.flush()


def recover_unfinished(database: Database, now: Callable[[], datetime]) -> int:
    """Makes messages of what ended processes left; gives their number.

    Raises:
        StoreError: They could not be read or written.
    """
    with database.reading() as db:
        if not _left(db, now):
            return 0
    with database.writing() as db:
        return sum(_try_to_keep(db, row_id) for row_id in _left(db, now, is_writing=True))


def _left(db: Session, now: Callable[[], datetime], *, is_writing: bool = False) -> list[str]:
    """Ids of the rows whose writers have ended; the oldest first."""
    moment = now().astimezone(UTC)
    found = select(UnfinishedRow.id, UnfinishedRow.writer, UnfinishedRow.updated_at)
    found = found.order_by(col(UnfinishedRow.updated_at))
    return [
        row_id
        for row_id, writer, updated_at in db.exec(found.with_for_update() if is_writing else found)
        if has_ended(writer, is_silent=moment - updated_at > SILENCE)
    ]


def _try_to_keep(db: Session, row_id: str) -> bool:
    """Whether the message was kept. A damaged row must not keep the workbench from starting: it stays."""
    try:
        with db.begin_nested():
            _keep(db, db.get_one(UnfinishedRow, row_id))
    except (StoreError, ValueError, SQLAlchemyError) as error:
        _LOG.warning("an unfinished message cannot be kept: %s", error)
        return False
    return True


def _keep(db: Session, row: UnfinishedRow) -> None:
    place = rows.MessagePosition(
        # Not the row's: a writer that was taken for ended may write under it again.
        id=new_id(),
        session_id=row.session_id,
        parent=db.get(MessageRow, row.parent_id) if row.parent_id else None,
        created_at=row.updated_at,
    )
    parts = write_message(db, rows.unfinished_value(row), place)
    session = db.get_one(SessionRow, row.session_id)
    # What was written beside the open path, as a column of a comparison is, stays beside it.
    show_leaf(db, session, parts.message, is_shown=session.leaf_id == row.parent_id)
    db.delete(row)
    db.flush()

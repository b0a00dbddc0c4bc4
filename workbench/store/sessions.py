"""Sessions in a database: the port `workbench.desk.ports.Sessions`."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from sqlalchemy import ScalarSelect
from sqlmodel import Session, col, func, select

from workbench.chat.message import Role
from workbench.desk.kept import KeptMessage, KeptSession, NewMessage
from workbench.desk.owner import Owner
from workbench.desk.setup import Setup
from workbench.errors import StoreError
from workbench.rollout.events import Generation
from workbench.store import rows
from workbench.store.database import Database
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import GenerationRow, MessageRow, PromptRow, SessionRow, ToolRunRow


class SqlSessions:
    """Keeps one owner's sessions; one transaction a method, safe to use from several threads.

    Args:
        database: Where they are.
        owner: Whose they are.
        now: Tells the moment, aware.
    """

    def __init__(self, database: Database, owner: Owner, now: Callable[[], datetime]) -> None:
        self._database = database
        self._owner = owner
        self._clock = now

    def create_session(self, setup: Setup) -> KeptSession:
        """A new, empty session.

        Raises:
            BadInput: The setup holds text that cannot be stored.
            StoreError: It could not be written.
        """
        refuse_unstorable(setup, "setup")
        now = self._now()
        row = SessionRow(id=_new_id(), created_at=now, updated_at=now, setup=rows.setup_document(setup))
        with self._database.writing() as db:
            db.add(row)
            db.flush()
            return rows.session_value(row, message_count=0)

    def find_session(self, session_id: str) -> KeptSession | None:
        """The session of that id; None where there is none.

        Raises:
            StoreError: It could not be read.
        """
        with self._database.reading() as db:
            row = _find_row(db, session_id)
            if row is None:
                return None
            count = db.exec(select(_message_count()).where(col(SessionRow.id) == session_id)).one()
            return rows.session_value(row, count)

    def list_sessions(self, *, limit: int = 50, offset: int = 0) -> Sequence[KeptSession]:
        """The sessions that hold a message, last used first.

        Raises:
            StoreError: They could not be read.
        """
        page = (
            select(SessionRow, _message_count())
            .where(col(SessionRow.leaf_id).is_not(None))
            .order_by(col(SessionRow.updated_at).desc(), col(SessionRow.id))
            .limit(limit)
            .offset(offset)
        )
        with self._database.reading() as db:
            return tuple(rows.session_value(row, message_count) for row, message_count in db.exec(page))

    def save_setup(self, session_id: str, setup: Setup) -> None:
        """What the session is set to from now on; one that is as it was is no use of the session.

        Raises:
            BadInput: The setup holds text that cannot be stored.
            StoreError: There is no such session, or it could not be written.
        """
        refuse_unstorable(setup, "setup")
        document = rows.setup_document(setup)
        with self._database.writing() as db:
            row = _session_row(db, session_id)
            if row.setup != document:
                row.setup = document
                row.updated_at = self._now()

    def append(self, session_id: str, new: NewMessage, *, parent_id: str | None) -> KeptMessage:
        """A message under `parent_id` (None makes a root); it becomes the open leaf.

        Raises:
            BadInput: The message holds text that cannot be stored.
            StoreError: There is no such session, the parent is not one of its messages, or it could
                not be written.
        """
        (kept,) = self.append_all(session_id, (new,), parent_id=parent_id)
        return kept

    def append_all(
        self, session_id: str, new: Sequence[NewMessage], *, parent_id: str | None
    ) -> Sequence[KeptMessage]:
        """Messages, each under the one before, the first under `parent_id`: all of them, or none.

        Raises:
            BadInput: A message holds text that cannot be stored.
            StoreError: There is no such session, the parent is not one of its messages, or they could
                not be written.
        """
        for one in new:
            _refuse_unstorable_message(one)
        with self._database.writing() as db:
            session = _session_row(db, session_id)
            parent = None if parent_id is None else _parent_row(db, session_id, parent_id)
            kept: list[KeptMessage] = []
            for one in new:
                place = rows.Place(id=_new_id(), session_id=session_id, parent=parent, created_at=self._now())
                parts = _write(db, one, place)
                _open_leaf(session, parts.message)
                kept.append(rows.message_value(parts))
                parent = parts.message
            return tuple(kept)

    def path(self, session_id: str) -> Sequence[KeptMessage]:
        """The messages from the root to the open leaf.

        Raises:
            StoreError: There is no such session, or it could not be read.
        """
        with self._database.reading() as db:
            leaf_id = _session_row(db, session_id).leaf_id
            if leaf_id is None:
                return ()
            return tuple(rows.message_value(parts) for parts in _read_path(db, leaf_id))

    def _now(self) -> datetime:
        return self._clock().astimezone(UTC)


def _new_id() -> str:
    return secrets.token_urlsafe(16)


def _find_row(db: Session, session_id: str) -> SessionRow | None:
    # Ids come from the address bar: what no text column takes is no id.
    return None if problem_of(session_id) else db.get(SessionRow, session_id)


def _session_row(db: Session, session_id: str) -> SessionRow:
    row = _find_row(db, session_id)
    if row is None:
        raise StoreError(f"there is no session {session_id!r}; begin a new one")
    return row


def _parent_row(db: Session, session_id: str, parent_id: str) -> MessageRow:
    row = None if problem_of(parent_id) else db.get(MessageRow, parent_id)
    if row is None or row.session_id != session_id:
        raise StoreError(f"session {session_id!r} has no message {parent_id!r} to go on from; open it again")
    return row


def _message_count() -> ScalarSelect[int]:
    """How many messages the session of the outer query has."""
    of_session = col(MessageRow.session_id) == col(SessionRow.id)
    return (
        select(func.count()).select_from(MessageRow).where(of_session).correlate(SessionRow).scalar_subquery()
    )


def _refuse_unstorable_message(new: NewMessage) -> None:
    refuse_unstorable(new.message, "message")
    refuse_unstorable(new.generation, "generation")
    refuse_unstorable(new.tool_run, "tool run")


def _open_leaf(session: SessionRow, message: MessageRow) -> None:
    session.leaf_id = message.id
    session.updated_at = message.created_at
    if not session.title and message.role == Role.USER:
        session.title = rows.title_of(message.text)


def _write(db: Session, new: NewMessage, place: rows.Place) -> rows.MessageParts:
    """Writes the rows of one message, each after those that it points at."""
    generation, prompt = None, None
    if new.generation:
        prompt = _written_prompt(db, new.generation.prompt_text)
        generation = _written_generation(db, new.generation, place.session_id, new.message.text)
    message = rows.message_row(new, place, generation_id=generation.id if generation else None)
    db.add(message)
    db.flush()
    tool_run = rows.tool_run_row(new.tool_run, message.id) if new.tool_run else None
    if tool_run:
        db.add(tool_run)
        db.flush()
    return rows.MessageParts(message=message, generation=generation, prompt=prompt, tool_run=tool_run)


def _written_prompt(db: Session, text: str) -> PromptRow:
    row = rows.prompt_row(text)
    there = db.get(PromptRow, row.hash)
    if there:
        return there
    db.add(row)
    db.flush()
    return row


def _written_generation(
    db: Session, generation: Generation, session_id: str, completion: str
) -> GenerationRow:
    row = rows.generation_row(generation, session_id, completion)
    there = db.exec(
        select(GenerationRow).where(
            col(GenerationRow.session_id) == session_id,
            col(GenerationRow.content_hash) == row.content_hash,
        )
    ).first()
    if there:
        return there
    db.add(row)
    db.flush()
    return row


def _read_path(db: Session, leaf_id: str) -> Iterator[rows.MessageParts]:
    """The rows of each message from the root to the leaf."""
    leaf = select(MessageRow.id, MessageRow.parent_id).where(col(MessageRow.id) == leaf_id)
    path = leaf.cte("path", recursive=True)
    above = select(MessageRow.id, MessageRow.parent_id).join(path, col(MessageRow.id) == path.c.parent_id)
    path = path.union_all(above)
    found = db.exec(
        select(MessageRow, GenerationRow, PromptRow, ToolRunRow)
        .join(path, col(MessageRow.id) == path.c.id)
        .outerjoin(GenerationRow, col(GenerationRow.id) == col(MessageRow.generation_id))
        .outerjoin(PromptRow, col(PromptRow.hash) == col(GenerationRow.prompt_hash))
        .outerjoin(ToolRunRow, col(ToolRunRow.message_id) == col(MessageRow.id))
        .order_by(col(MessageRow.position))
    )
    for message, generation, prompt, tool_run in found:
        yield rows.MessageParts(message=message, generation=generation, prompt=prompt, tool_run=tool_run)

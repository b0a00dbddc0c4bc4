"""Store the exchanges of clients as sessions, and find the session that a request continues.

Idea: a request holds the whole conversation, most of which is stored already. `workbench.records.exchanges` gives
each message a path hash, which depends on all messages above it. So one query finds the longest stored part of a
request, and only what follows it is written.

Invariants:

- A request continues the longest part of it that is stored in its session, and what follows becomes a branch there if
  that part has a continuation already. Nothing that is stored is changed.
- The same request with the same answer is stored once, even if two threads record it at the same time: what to write is
  decided in the transaction that writes it, which holds the lock of the session.
- A request with another system text begins a branch at the root: the common messages are copied under the new text, as
  `workbench.app.turns` does it. A text that differs in times, dates and numbers only is not another one, and a finding
  of the answer says what differed.
- A request whose beginning the client replaced is recognized by the answers that it kept. They are copied below what
  replaced the beginning.
- No request finds a session of another owner, or one that was recorded with another tag, model or contract.

Example: a client sends `u1`, gets `a1`, and sends `u1 a1 u2`. The path hash of `a1` is stored, so `u2` and its answer
are written below `a1`. Sent again with the same answer, nothing is written. If the client sends `u1 a1 v2` instead,
`v2` becomes a second branch below `a1`.
"""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement
from sqlmodel import Session, col, func, select

from workbench.chat.finding import Finding
from workbench.chat.message import Message, Role
from workbench.records.exchanges import (
    ClientAnswer,
    ClientRequest,
    RecordedAnswer,
    RecordedPart,
    compaction_note,
    kept_hash,
    next_hash,
    stamp_note,
    system_note,
)
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage
from workbench.records.stamps import mask_moments, mask_numbers
from workbench.store import rows
from workbench.store.database import insert_if_absent, insert_rows
from workbench.store.deleting import is_shown
from workbench.store.owner_scope import OwnerScope
from workbench.store.paths import message_row, read_path
from workbench.store.rows import new_id
from workbench.store.sessions.message_batch import MessageBatch, Written
from workbench.store.sessions.message_writer import write_generation
from workbench.store.sessions.recorded_matches import (
    Match,
    conditions_of,
    find_kept,
    find_matches,
    longest_of,
    nearest_of,
)
from workbench.store.sessions.search_index import index_session_names
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import (
    MessageRow,
    RecordedMessageRow,
    RecordedSessionRow,
    SessionRow,
    SessionTagRow,
)
from workbench.store.tables.sessions import SHUFFLE_LIMIT
from workbench.store.titles import title_of
from workbench.store.versions.version_rows import put_setup


class RecordingStore(OwnerScope):
    """Sessions that are recorded from the requests of clients. Thread-safe."""

    def find_session(self, request: ClientRequest) -> RecordedPart | None:
        """Return the session that a request belongs to, or None if it begins a session.

        Raises:
            StoreError: The sessions could not be read.
        """
        if problem_of(f"{request.session_name}{request.tag}"):
            return None
        with self._database.reading() as db:
            if request.session_name:
                return self._find_named(db, request)
            conditions = (*self._is_live(), *conditions_of(request))
            match = nearest_of(find_matches(db, request.path, conditions), request.path)
            if match is None:
                return find_kept(db, request, conditions)
        return RecordedPart(session_id=match.session_id, depth=match.depth)

    def last_recorded(self) -> datetime | None:
        """Return when the last answer was recorded, in UTC. None if none was.

        Raises:
            StoreError: The sessions could not be read.
        """
        newest = select(func.max(col(RecordedSessionRow.recorded_at)))
        with self._database.reading() as db:
            return db.exec(newest.where(col(RecordedSessionRow.scope) == self._scope)).one()

    def record(self, session_id: str, request: ClientRequest, answer: ClientAnswer) -> RecordedAnswer:
        """Store the messages of a request that are not stored yet, and its answer, in one transaction.

        Args:
            session_id: The session to record in, which is created if it does not exist. If it was deleted
                meanwhile, the exchange is recorded in a new session.

        Raises:
            BadInput: A text cannot be stored.
            StoreError: The exchange could not be written.
        """
        self._accept_setup(request.setup)
        self._accept((request.client, request.session_name, request.tag), "request")
        for message in request.messages:
            self._limits.check_message(message)
        refuse_unstorable(answer.generation, "generation")
        with self._database.writing() as db:
            session = self._recorded_session(db, session_id, request)
            return _SessionWriter(db, session, request, self._now()).record(answer)

    def _is_live(self) -> tuple[ColumnElement[bool], ...]:
        return self._is_own(), col(SessionRow.deleted_at).is_(None)

    def _find_named(self, db: Session, request: ClientRequest) -> RecordedPart | None:
        name = request.session_name
        is_of_tag, *is_asked = conditions_of(request)
        is_named = (col(RecordedSessionRow.name) == name) & is_of_tag
        session_id = db.exec(
            select(SessionRow.id)
            .join(RecordedSessionRow, col(RecordedSessionRow.session_id) == col(SessionRow.id))
            .where(is_named | (col(SessionRow.id) == name), *self._is_live())
            .where(col(RecordedSessionRow.scope) == self._scope, *is_asked)
            .order_by(col(SessionRow.created_at))
        ).first()
        return None if session_id is None else RecordedPart(session_id=session_id, depth=0)

    def _recorded_session(self, db: Session, session_id: str, request: ClientRequest) -> SessionRow:
        """Return the row of the session, created or brought up to date, and lock it."""
        now, setup = self._now(), rows.setup_document(request.setup)
        found = db.get(SessionRow, session_id, with_for_update=True)
        if found is not None and (found.deleted_at is not None or found.owner != self._owner.key):
            found, session_id = None, new_id()
        if found is None:
            self._require_room_for_session(db)
            # Two writers may create it at the same time: the second one waits here, and finds the session below.
            insert_if_absent(
                db, SessionRow, id=session_id, owner=self._owner.key, title="", created_at=now, updated_at=now,
                setup=setup, shuffle=secrets.randbelow(SHUFFLE_LIMIT),
            )  # fmt: skip
            found = db.get_one(SessionRow, session_id, with_for_update=True)
        self._require_room_for_messages(db, session_id)
        if found.setup != setup or found.contract_version is None:
            put_setup(db, found, self._owner, setup)
        self._note_request(db, session_id, request, now)
        return found

    def _note_request(self, db: Session, session_id: str, request: ClientRequest, now: datetime) -> None:
        """Note the time and the client of the request, and with the first one that the session is recorded."""
        client = {"client": request.client} if request.client else {}
        own = col(RecordedSessionRow.session_id) == session_id
        changed = db.connection().execute(
            sa.update(RecordedSessionRow).where(own).values(recorded_at=now, **client)
        )
        if changed.rowcount:
            return
        recorded = RecordedSessionRow(
            session_id=session_id,
            scope=self._scope,
            tag=request.tag,
            name=request.session_name if request.session_name != session_id else "",
            model=request.setup.model,
            contract=request.setup.contract_name,
            client=request.client,
            recorded_at=now,
        )
        db.add(recorded)
        if request.tag:
            db.add(SessionTagRow(session_id=session_id, tag=request.tag, position=0))
        db.flush()


class _SessionWriter:
    """Writes one exchange into its session.

    Args:
        db: The transaction, which has locked the session.
        session: The session.
        request: The request.
        now: When the messages are stored.
    """

    def __init__(self, db: Session, session: SessionRow, request: ClientRequest, now: datetime) -> None:
        self._db = db
        self._session = session
        self._request = request
        self._path = request.path
        self._system_hash = request.path.system_hash
        self._now = now
        self._parent: Written | None = None
        self._batch = MessageBatch()
        self._recorded: list[dict[str, Any]] = []
        self._notes: list[Finding | None] = []

    def record(self, answer: ClientAnswer) -> RecordedAnswer:
        """Write what is not stored yet."""
        depth, conversation = self._continue(), self._request.conversation
        kept = self._kept_messages() if depth == 0 and self._session.leaf_id else None
        for index, path_hash in enumerate(self._path.hashes[depth + 1 :], start=depth):
            kept_hash = self._request.kept_hash(index)
            if kept and index in kept:
                self._add_copy(kept[index], path_hash, kept_hash)
                continue
            new = NewMessage(message=conversation[index], origin=MessageOrigin.GATEWAY)
            # A summary is found again only where the conversation was recognized.
            self._add(new, path_hash, kept_hash=kept_hash if index > 0 or kept is not None else None)
        path_hash = next_hash(self._path.request_hash, answer.sent)
        message_id = self._find_same(path_hash, answer)
        if message_id is None:
            message_id = self._add_answer(answer, path_hash, conversation[depth:])
            self._write(message_id)
        return RecordedAnswer(session_id=self._session.id, message_id=message_id, stored=len(self._recorded))

    def _add_answer(self, answer: ClientAnswer, path_hash: str, new_messages: Sequence[Message]) -> str:
        """Add the answer, with findings about what did not count when the session was recognized."""
        notes = filter(None, (*self._notes, stamp_note(new_messages)))
        generation = replace(answer.generation, findings=(*answer.generation.findings, *notes))
        new = NewMessage(message=answer.message, origin=MessageOrigin.MODEL, generation=generation)
        written = write_generation(self._db, new, self._session.id)
        last = self._request.conversation[-1:]
        return self._add(
            new,
            path_hash,
            generation_id=written.id if written else None,
            kept_hash=kept_hash(last[0], answer.sent) if last else None,
        )

    def _continue(self) -> int:
        """Find the longest part of the request that is stored, which becomes the parent.

        Returns:
            The number of messages of the conversation that it has.
        """
        matches = find_matches(
            self._db, self._path, (col(SessionRow.id) == self._session.id,), is_any_depth=True
        )
        longest = longest_of(matches)
        own = longest_of([match for match in matches if match.has_same_system])
        depth = own.depth if own else 0
        text = "\n".join(message.text for message in self._request.system)
        if longest is not None and longest.depth > depth:
            # The longest part is below another system text.
            before = self._stored_system(longest.system_hash)
            if mask_numbers(before) == mask_numbers(text):
                return self._go_on(longest, system_note(before, text))
            self._go_on_below(own)
            common = read_path(self._db, self._session, longest.message_id)[-longest.depth :]
            for stored, path_hash in zip(common[depth:], self._path.hashes[depth + 1 :], strict=False):
                self._add_copy(stored, path_hash, None)
            return longest.depth
        if own and mask_moments(text) != text:
            return self._go_on(own, system_note(self._stored_system(own.system_hash), text))
        self._go_on_below(own)
        return depth

    def _go_on(self, match: Match, note: Finding | None) -> int:
        """Continue below a stored message although the system text is not quite the same."""
        self._parent, self._system_hash = Written(match.message_id, match.position), match.system_hash
        self._notes.append(note)
        return match.depth

    def _go_on_below(self, own: Match | None) -> None:
        """Continue below a stored message with the same system text, or begin a branch with the system messages."""
        if own:
            self._parent = Written(own.message_id, own.position)
            return
        for message in self._request.system:
            self._add(NewMessage(message=message, origin=MessageOrigin.GATEWAY), self._path.hashes[0])

    def _stored_system(self, system_hash: str) -> str:
        """Return a system text of the session."""
        found = self._db.exec(
            select(MessageRow.text)
            .join(RecordedMessageRow, col(RecordedMessageRow.message_id) == col(MessageRow.id))
            .where(col(RecordedMessageRow.session_id) == self._session.id)
            .where(col(RecordedMessageRow.system_hash) == system_hash)
            .where(col(MessageRow.role) == Role.SYSTEM.value, is_shown())
            .where(col(RecordedMessageRow.path_hash) == self._path.hashes[0])
            .order_by(col(MessageRow.position))
        )
        return "\n".join(found)

    def _kept_messages(self) -> dict[int, StoredMessage] | None:
        """Return the answers that the client kept, and the messages before them, by their index in the conversation.

        None if the session has nothing of the request: the client did not replace its beginning.
        """
        hashes = {
            value: index
            for index in range(len(self._request.conversation))
            if (value := self._request.kept_hash(index)) is not None
        }
        row = RecordedMessageRow
        found = self._db.exec(
            select(row.kept_hash, row.message_id)
            .join(MessageRow, col(MessageRow.id) == col(row.message_id))
            .where(col(row.session_id) == self._session.id, col(row.kept_hash).in_(hashes), is_shown())
        ).all()
        if not found:
            return None
        ids = {hashes[value]: message_id for value, message_id in found if value is not None}
        ids.pop(0, None)
        self._notes.append(compaction_note(len(ids)))
        kept: dict[int, StoredMessage] = {}
        for index, message_id in ids.items():
            before, answer = read_path(self._db, self._session, message_id)[-2:]
            kept |= {index - 1: before, index: answer}
        return kept

    def _find_same(self, path_hash: str, answer: ClientAnswer) -> str | None:
        """Return the id of the same answer to the same request, or None if it is not stored."""
        if self._recorded:
            return None
        message, parent_id = answer.message, self._parent.id if self._parent else None
        found = self._db.exec(
            select(MessageRow)
            .join(RecordedMessageRow, col(RecordedMessageRow.message_id) == col(MessageRow.id))
            .where(col(RecordedMessageRow.path_hash) == path_hash)
            .where(col(MessageRow.session_id) == self._session.id, col(MessageRow.parent_id) == parent_id)
            .where(is_shown())
        )
        content = (message.text, message.thought, rows.call_documents(message.calls))
        return next((row.id for row in found if (row.text, row.thought, row.calls) == content), None)

    def _add(
        self,
        new: NewMessage,
        path_hash: str,
        *,
        generation_id: int | None = None,
        copy_of: str | None = None,
        kept_hash: str | None = None,
    ) -> str:
        refuse_unstorable(new.message, "message")
        self._parent = self._batch.add(
            new,
            self._session.id,
            self._parent,
            self._session.setup,
            self._now,
            generation_id=generation_id,
            copy_of=copy_of,
        )
        self._recorded.append(
            {
                "message_id": self._parent.id,
                "session_id": self._session.id,
                "path_hash": path_hash,
                "system_hash": self._system_hash,
                "kept_hash": kept_hash,
            }
        )
        return self._parent.id

    def _add_copy(self, stored: StoredMessage, path_hash: str, kept_hash: str | None) -> None:
        row = message_row(self._db, self._session.id, stored.id)
        new = NewMessage(message=stored.message, origin=stored.origin, world_patch=stored.world_patch)
        copy_id = self._add(
            new,
            path_hash,
            generation_id=row.generation_id,
            copy_of=stored.copy_of or stored.id,
            kept_hash=kept_hash,
        )
        if stored.tool_run:
            self._db.add(rows.tool_run_row(stored.tool_run, copy_id))

    def _write(self, leaf_id: str) -> None:
        with self._db.no_autoflush:
            self._batch.write(self._db)
        insert_rows(self._db.connection(), RecordedMessageRow, self._recorded)
        session = self._session
        session.leaf_id, session.updated_at = leaf_id, self._now
        session.finding_count += len(self._batch.facts)
        if not session.title:
            first = (message.text for message in self._request.conversation if message.role is Role.USER)
            session.title = title_of(next(first, ""))
            self._db.flush()
            index_session_names(self._db, session.id)

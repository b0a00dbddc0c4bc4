"""Write the rows of one message, in the order of their references.

Idea: a message is immutable and consists of up to six rows: the texts of its contract and tools, its prompt,
its generation, the message itself, and the tool run that produced it. They are written in one transaction,
referenced rows first, so that a reader never sees a message whose generation or prompt is missing.

Invariants:

- A prompt and a version text are stored once under their hash. Two writers with the same text do not
  conflict, because the insert leaves an existing row alone.
- A copy on another branch gets no generation, facts or search words of its own. It refers to the generation
  of its original, and `copy_of` always names the first message, never another copy. So statistics and search
  count each completion once.
- A message and its index (facts and search words) are written in the same transaction.

Recovery after a kill: while a completion is generated, its text so far is a row of `unfinished`
(see `workbench.store.sessions.unfinished`). The transaction that writes the complete message deletes that row. So at
any moment a completion is stored exactly once: as an unfinished row, or as a message. If the process is killed
in between, the next program that opens the store turns the row into a message that ends with `interrupted`.

Example: a process writes "Ro" and "Rome is" to `unfinished` and is killed. The next start stores the message
"Rome is" with the finish reason `interrupted`, under the same parent. A writer on another machine counts as
ended after a minute of silence. If it was only slow, it finds its row gone and appends the complete message as
a sibling of the interrupted one.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlmodel import Session

from workbench.chat.message import Role
from workbench.records.limits import UserLimits
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage
from workbench.records.versions import VersionKind
from workbench.rollout.ports import FinishReason
from workbench.store import rows
from workbench.store.database import insert_if_absent
from workbench.store.owner_scope import SHARED
from workbench.store.paths import message_row
from workbench.store.sessions.search_index import index_message, index_session_names
from workbench.store.storable import refuse_unstorable
from workbench.store.tables import GenerationRow, MessageRow, PromptRow, SessionRow
from workbench.store.titles import title_of
from workbench.store.versions.version_rows import write_text

SENT: Final = frozenset(
    {MessageOrigin.PERSON, MessageOrigin.IMPORT, MessageOrigin.SCRIPTED, MessageOrigin.SIMULATED}
)
"""Origins of messages that somebody sends."""


def accept_message(limits: UserLimits, new: NewMessage) -> None:
    """Check that a message can be stored, and is not too large if somebody sends it.

    Raises:
        BadInput: It cannot, or is.
    """
    refuse_unstorable(new.message, "message")
    refuse_unstorable(new.generation, "generation")
    refuse_unstorable(new.tool_run, "tool run")
    refuse_unstorable(new.world_patch, "world")
    refuse_unstorable(new.setup, "setup")
    if new.origin in SENT:
        limits.check_message(new.message)


def write_messages(
    db: Session,
    session: SessionRow,
    new: Sequence[NewMessage],
    parent_id: str | None,
    now: datetime,
    *,
    is_shown: bool = True,
) -> tuple[StoredMessage, ...]:
    """Write messages, each under the previous one.

    Args:
        parent_id: The message above the first one. None writes a root.
        is_shown: True makes the last message the open leaf.

    Raises:
        StoreError: The parent is not one of the session's messages.
    """
    parent = None if parent_id is None else message_row(db, session.id, parent_id)
    stored: list[StoredMessage] = []
    for message in new:
        place = rows.MessagePosition(id=rows.new_id(), session_id=session.id, parent=parent, created_at=now)
        parts = write_message(db, message, place)
        show_leaf(db, session, parts.message, is_shown=is_shown)
        stored.append(rows.message_value(parts))
        parent = parts.message
    return tuple(stored)


def write_message(db: Session, new: NewMessage, place: rows.MessagePosition) -> rows.MessageParts:
    """Write a message with its generation, tool run, facts and search words.

    Raises:
        StoreError: The message is a copy of a message that its session does not have.
    """
    original = _original(db, new, place.session_id)
    generation = write_generation(db, new, place.session_id, original)
    prompt = db.get_one(PromptRow, generation.prompt_hash) if generation else None
    message = rows.message_row(new, place, generation_id=generation.id if generation else None)
    message.copy_of = original.id if original else None
    db.add(message)
    db.flush()
    tool_run = rows.tool_run_row(new.tool_run, message.id) if new.tool_run else None
    if tool_run:
        db.add(tool_run)
        db.flush()
    if original is None:
        setup = db.get_one(SessionRow, place.session_id).setup
        index_message(db, message, setup, generation.finish_reason if generation else FinishReason.STOP)
    return rows.MessageParts(message=message, generation=generation, prompt=prompt, tool_run=tool_run)


def show_leaf(db: Session, session: SessionRow, message: MessageRow, *, is_shown: bool = True) -> None:
    """Make a new message the open leaf. A message that is not shown becomes it only if there is no leaf yet.

    A session without a title gets the text of its first user message.
    """
    if is_shown or session.leaf_id is None:
        session.leaf_id = message.id
    session.updated_at = message.created_at
    if not session.title and message.role == Role.USER:
        session.title = title_of(message.text)
        index_session_names(db, session.id)


def _original(db: Session, new: NewMessage, session_id: str) -> MessageRow | None:
    """Return the message that the new one is a copy of, never another copy. None if it is not a copy."""
    if new.copy_of is None:
        return None
    row = message_row(db, session_id, new.copy_of)
    return row if row.copy_of is None else message_row(db, session_id, row.copy_of)


def write_generation(
    db: Session, new: NewMessage, session_id: str, original: MessageRow | None = None
) -> GenerationRow | None:
    """Write the generation of a message and its prompt. None if no model wrote the message.

    Args:
        original: The message that the new one is a copy of; they share a generation. None if it is not a copy.
    """
    generation = new.generation
    if original is not None:
        return None if original.generation_id is None else db.get(GenerationRow, original.generation_id)
    if generation is None:
        return None
    _write_prompt(db, generation.prompt_text)
    row = rows.generation_row(generation, session_id)
    session = db.get_one(SessionRow, session_id)
    row.contract_version, row.tools_version = session.contract_version, session.tools_version
    if new.setup is not None:
        scope = session.owner or SHARED
        row.contract_version = write_text(db, scope, VersionKind.CONTRACT, new.setup.contract_text)
        row.tools_version = write_text(db, scope, VersionKind.TOOLS, new.setup.tools_text)
    db.add(row)
    logprobs = [token.logprob for token in generation.tokens or () if token.logprob is not None]
    if logprobs:
        session.confidence = min(session.confidence, sum(logprobs) / len(logprobs), 0.0)
    db.flush()
    return row


def _write_prompt(db: Session, text: str) -> None:
    # Two writers may store the same prompt at the same time. The second insert has no effect.
    row = rows.prompt_row(text)
    insert_if_absent(db, PromptRow, hash=row.hash, text=row.text)

"""A new session with the open path of another one."""

from datetime import datetime

from sqlmodel import Session, col, select

from workbench.records.owner import Owner
from workbench.records.sessions import KeptMessage, NewMessage, without_ephemeral
from workbench.store import rows
from workbench.store.noting import note_session
from workbench.store.paths import read_path
from workbench.store.tables import SessionRow, SessionTagRow
from workbench.store.version_texts import put_setup
from workbench.store.writing import new_id, write_message


def copy_session(db: Session, source: SessionRow, owner: Owner, now: datetime) -> SessionRow:
    """Writes the copy for `owner`; of another's session it has no ephemeral part."""
    is_own = source.owner == owner.key
    copy = SessionRow(
        id=new_id(),
        owner=owner.key,
        title=source.title,
        created_at=now,
        updated_at=now,
        setup={},
        copied_from=source.id,
    )
    put_setup(db, copy, owner, source.setup if is_own else {**source.setup, "ephemeral": ""})
    db.add(copy)
    db.flush()
    for row in db.exec(select(SessionTagRow).where(col(SessionTagRow.session_id) == source.id)).all():
        db.add(SessionTagRow(session_id=copy.id, tag=row.tag, position=row.position))
    parent = None
    for kept in read_path(db, source, None, is_for_others=True):
        place = rows.Place(id=new_id(), session_id=copy.id, parent=parent, created_at=now)
        parent = write_message(db, _new(kept if is_own else without_ephemeral(kept)), place).message
        copy.leaf_id = parent.id
    note_session(db, copy.id)
    db.flush()
    return copy


def _new(kept: KeptMessage) -> NewMessage:
    return NewMessage(
        message=kept.message, origin=kept.origin, generation=kept.generation, tool_run=kept.tool_run
    )

"""Rename, delete and restore the names of versions.

A version belongs to a name. Renaming moves all versions and tags to the new name; their ids stay the same. Deleting
moves them to a hidden name, so that the old name is free at once: `weather` becomes `weather:` and a random part, and
no other name contains a colon. So deleting, creating the same name and restoring cannot mix two histories.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, delete, or_, select, update
from sqlmodel.sql.expression import SelectOfScalar

from workbench.errors import BadInput, StoreError
from workbench.records.versions import DeletedName, VersionKind
from workbench.store.audit import AuditWriter
from workbench.store.database import Database
from workbench.store.deleting import restorable_since
from workbench.store.owner_scope import OwnerScope, OwnerView
from workbench.store.rows import new_id
from workbench.store.storable import problem_of
from workbench.store.tables.sessions import GenerationRow, SessionRow
from workbench.store.tables.versions import VersionLineRow, VersionRow, VersionTagRow, VersionTextRow
from workbench.store.versions.version_rows import (
    DELETED_MARK,
    find_head,
    has_versions,
    own_names,
    shown_name,
    stored_name,
)


class VersionNameStore(OwnerScope):
    """The names of one owner's versions. Each method is one transaction. Thread-safe."""

    def __init__(self, view: OwnerView) -> None:
        super().__init__(view)
        self._audit = AuditWriter(view.owner, view.now)

    def rename(self, kind: VersionKind, name: str, new_name: str) -> None:
        """Move all of the owner's versions of a name to a new name.

        Raises:
            BadInput: The new name is not a valid file name, or is taken, or differs from another one only in case.
            StoreError: The owner has no versions of this name.
        """
        self._accept(new_name, "name")
        with self._database.writing() as db:
            line = self._own_line(db, kind, name)
            new_name = stored_name(db, self._scope, kind, new_name, but=name)
            if find_head(db, self._scope, kind, new_name) is not None:
                raise _taken(kind, new_name)
            self._audit.note(db, "version.rename", f"{kind}:{new_name}", before=name)
            self._move(db, line, new_name)

    def delete_name(self, kind: VersionKind, name: str) -> DeletedName:
        """Hide a name with all of the owner's versions. It can be restored for 30 days and is then purged.

        Raises:
            StoreError: The owner has no versions of this name.
        """
        with self._database.writing() as db:
            line, deleted = self._own_line(db, kind, name), self._deleted_lines(kind=kind)
            self._require_room_for_deleted(db, f"deleted {kind.value}s", deleted, self._limits.own_names)
            self._audit.note(db, "version.delete", f"{kind}:{name}")
            moved = self._move(db, line, name + DELETED_MARK + new_id())
            moved.deleted_at = self._now()
            return _deleted(moved)

    def restore_name(self, deletion_id: str, *, new_name: str = "") -> DeletedName:
        """Restore a deleted name with all its versions.

        Args:
            deletion_id: `DeletedName.id`.
            new_name: The name to restore it under. Empty takes its old name.

        Raises:
            BadInput: The name is taken.
            StoreError: There is no such deletion that can be undone.
        """
        self._accept(new_name, "name")
        with self._database.writing() as db:
            line = None if problem_of(deletion_id) else db.exec(self._deleted_lines(deletion_id)).first()
            if line is None:
                raise StoreError(f"there is no deletion {deletion_id!r} that can be undone")
            kind, deleted = VersionKind(line.kind), _deleted(line)
            name = stored_name(db, self._scope, kind, new_name or deleted.name)
            # A name of the shared library is free: the owner's versions are newer than the library's.
            if has_versions(db, self._scope, kind, name):
                raise _taken(kind, name)
            own = own_names(self._scope, kind)
            self._require_room(db, f"{kind.value}s of your own", own, self._limits.own_names)
            self._audit.note(db, "version.undelete", f"{kind}:{name}")
            self._move(db, line, name)
            return deleted

    def deleted_names(self, kind: VersionKind | None = None) -> Sequence[DeletedName]:
        """Return the deleted names that can be restored, most recently deleted first.

        Args:
            kind: Only names of this kind. None returns all.
        """
        with self._database.reading() as db:
            return tuple(_deleted(line) for line in db.exec(self._deleted_lines(kind=kind)))

    def _deleted_lines(
        self, deletion_id: str = "", *, kind: VersionKind | None = None
    ) -> SelectOfScalar[VersionLineRow]:
        query = select(VersionLineRow).where(
            col(VersionLineRow.owner) == self._scope,
            col(VersionLineRow.deleted_at) > restorable_since(self._now()),
        )
        if kind is not None:
            query = query.where(col(VersionLineRow.kind) == kind.value)
        if deletion_id:
            query = query.where(
                col(VersionLineRow.name).endswith(DELETED_MARK + deletion_id, autoescape=True)
            )
        return query.order_by(col(VersionLineRow.deleted_at).desc(), col(VersionLineRow.name))

    def _own_line(self, db: Session, kind: VersionKind, name: str) -> VersionLineRow:
        key = (self._scope, kind.value, name)
        line = None if problem_of(name) else db.get(VersionLineRow, key, with_for_update=True)
        if line is None or line.deleted_at is not None or not has_versions(db, self._scope, kind, name):
            raise StoreError(
                f"you have no {kind.value} {name!r}; `workbench versions list --kind {kind.value}` shows all"
            )
        return line

    def _move(self, db: Session, line: VersionLineRow, new_name: str) -> VersionLineRow:
        """Move a name's versions and tags to a new name, and return its row."""
        # A name without versions may be left from a file.
        moved = db.get(VersionLineRow, (line.owner, line.kind, new_name))
        if moved is None:
            moved = VersionLineRow(owner=line.owner, kind=line.kind, name=new_name)
            db.add(moved)
            db.flush()
        for table in (VersionRow, VersionTagRow):
            db.exec(update(table).where(*_of_line(table, line)).values(name=new_name))
        db.delete(line)
        db.flush()
        return moved


def purge_names(database: Database, now: datetime) -> int:
    """Delete all names that can no longer be restored, with their versions, and texts that nothing else uses.

    Args:
        now: The current time, with a time zone.

    Returns:
        The number of deleted names.
    """
    is_expired = col(VersionLineRow.deleted_at) <= restorable_since(now)
    with database.reading() as db:
        if db.exec(select(VersionLineRow.name).where(is_expired).limit(1)).first() is None:
            return 0
    with database.writing() as db:
        lines = db.exec(select(VersionLineRow).where(is_expired)).all()
        for line in lines:
            _purge_line(db, line)
        return len(lines)


def _purge_line(db: Session, line: VersionLineRow) -> None:
    rows = db.exec(select(VersionRow.id, VersionRow.text_hash).where(*_of_line(VersionRow, line))).all()
    ids, hashes = [row_id for row_id, _ in rows], {text_hash for _, text_hash in rows}
    # Versions of other names that were made from these stay.
    db.exec(update(VersionRow).where(col(VersionRow.parent_id).in_(ids)).values(parent_id=None))
    db.exec(delete(VersionTagRow).where(*_of_line(VersionTagRow, line)))
    db.exec(delete(VersionRow).where(col(VersionRow.id).in_(ids)))
    is_used = or_(
        select(VersionRow.id)
        .where(
            col(VersionRow.owner) == line.owner,
            col(VersionRow.kind) == line.kind,
            col(VersionRow.text_hash) == col(VersionTextRow.hash),
        )
        .exists(),
        *(
            select(table.id)
            .where(
                or_(
                    col(table.contract_version) == col(VersionTextRow.hash),
                    col(table.tools_version) == col(VersionTextRow.hash),
                )
            )
            .exists()
            for table in (SessionRow, GenerationRow)
        ),
    )
    unused = (col(VersionTextRow.owner) == line.owner, col(VersionTextRow.kind) == line.kind, ~is_used)
    db.exec(delete(VersionTextRow).where(col(VersionTextRow.hash).in_(hashes), *unused))
    db.delete(line)


def _of_line(
    table: type[VersionRow] | type[VersionTagRow], line: VersionLineRow
) -> tuple[ColumnElement[bool], ...]:
    return (col(table.owner) == line.owner, col(table.kind) == line.kind, col(table.name) == line.name)


def _taken(kind: VersionKind, name: str) -> BadInput:
    return BadInput(f"{kind.value} {name!r}", "this name is taken", "choose another name")


def _deleted(line: VersionLineRow) -> DeletedName:
    if line.deleted_at is None:
        raise StoreError(f"{line.kind} {line.name!r} is not deleted")
    return DeletedName(
        id=line.name.rpartition(DELETED_MARK)[2],
        kind=VersionKind(line.kind),
        name=shown_name(line.name),
        deleted_at=line.deleted_at,
    )

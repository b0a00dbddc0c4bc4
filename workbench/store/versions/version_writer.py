"""Write versions and tags, and import the texts of files, within a transaction that is open."""

from dataclasses import dataclass
from datetime import UTC
from hashlib import sha256

from sqlmodel import Session, col, select

from workbench.chat.json_value import JsonValue
from workbench.errors import StoreError
from workbench.names import known_name
from workbench.records.versions import (
    FROM_FILE,
    FileState,
    NewVersion,
    Version,
    VersionKind,
    hash_of,
)
from workbench.store.audit import AuditWriter
from workbench.store.database import insert_if_absent
from workbench.store.tables.versions import VersionLineRow, VersionRow, VersionTagRow
from workbench.store.versions.version_rows import (
    convert_row,
    find_head,
    of_name,
    own_first,
    version_row,
    write_text,
)
from workbench.toolspec.spec import canonical_json


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionWriter:
    """Writes one owner's versions."""

    scope: str
    audit: AuditWriter

    def line(self, db: Session, kind: VersionKind, name: str) -> VersionLineRow:
        """Return the row of a name, created if it is missing, and lock it until the transaction ends."""
        insert_if_absent(db, VersionLineRow, owner=self.scope, kind=kind.value, name=name)
        return db.get_one(VersionLineRow, (self.scope, kind.value, name), with_for_update=True)

    def save(self, db: Session, new: NewVersion) -> VersionRow:
        """Write a new version and return it. If the text is the parent's, return the parent.

        Raises:
            StoreError: The parent does not exist.
        """
        self.line(db, new.kind, new.name)
        parent = self._parent(db, new)
        if parent and (parent.name, parent.text_hash) == (new.name, hash_of(new.text)):
            return parent
        return self.write(db, new, parent, author=self.audit.owner.name)

    def restore(self, db: Session, old: Version, message: str) -> VersionRow:
        """Write a version with an old version's text. If the newest version has that text, return the newest."""
        message = message or f"restored v{old.number}"
        return self.save(db, NewVersion(kind=old.kind, name=old.name, text=old.text, message=message))

    def tag(self, db: Session, version: VersionRow, tag: str) -> None:
        """Point a tag at a version.

        Raises:
            BadInput: The tag differs from another one of the name only in case.
        """
        kind = VersionKind(version.kind)
        self.line(db, kind, version.name)
        key = (self.scope, version.kind, version.name, tag)
        tag_row = db.get(VersionTagRow, key)
        if tag_row and tag_row.version_id == version.id:
            return
        self._note(db, "version.tag", kind, version.name, tag=tag, version=version.id,
                   number=version.number, before=tag_row.version_id if tag_row else None)  # fmt: skip
        if tag_row:
            tag_row.version_id = version.id
            return
        row = VersionTagRow(
            owner=self.scope, kind=version.kind, name=version.name, tag=tag, version_id=version.id
        )
        of_name = (col(VersionTagRow.owner) == row.owner, col(VersionTagRow.kind) == row.kind)
        tags = select(VersionTagRow.tag).where(*of_name, col(VersionTagRow.name) == row.name)
        known_name(tag, db.exec(tags), "tag")
        db.add(row)

    def untag(self, db: Session, kind: VersionKind, name: str, tag: str) -> bool:
        """Remove a tag. Return False if it did not exist."""
        tag_row = db.get(VersionTagRow, (self.scope, kind.value, name, tag), with_for_update=True)
        if tag_row is None:
            return False
        self._note(db, "version.untag", kind, name, tag=tag, before=tag_row.version_id)
        db.delete(tag_row)
        return True

    def write(self, db: Session, new: NewVersion, parent: VersionRow | None, *, author: str) -> VersionRow:
        """Write a version under `parent`, even if the texts are equal. The name's row must be locked.

        The id is a hash of the content, so writing the same version again returns the existing one.
        """
        text_hash = write_text(db, self.scope, new.kind, new.text)
        content = [self.scope, new.kind.value, new.name, parent.id if parent else None, text_hash]
        version_id = sha256(canonical_json(content).encode()).hexdigest()
        while existing := db.get(VersionRow, version_id):
            if existing.name == new.name:
                return existing
            # That version was renamed or deleted since, and keeps its id.
            version_id = sha256(version_id.encode()).hexdigest()
        head = find_head(db, self.scope, new.kind, new.name)
        row = VersionRow(
            id=version_id,
            owner=self.scope,
            kind=new.kind.value,
            name=new.name,
            number=head.number + 1 if head else 1,
            text_hash=text_hash,
            parent_id=parent.id if parent else None,
            message=new.message,
            author=author,
            created_at=self.audit.now().astimezone(UTC),
        )
        db.add(row)
        self._note(db, "version.save", new.kind, new.name, version=row.id, number=row.number)
        db.flush()
        return row

    def _parent(self, db: Session, new: NewVersion) -> VersionRow | None:
        if new.parent_id is None:
            return find_head(db, self.scope, new.kind, new.name)
        parent = version_row(db, self.scope, new.parent_id)
        if parent.kind != new.kind:
            raise StoreError(f"a version of a {new.kind} cannot be made from one of a {parent.kind}")
        return parent

    def _note(self, db: Session, action: str, kind: VersionKind, name: str, **detail: JsonValue) -> None:
        self.audit.note(db, action, f"{kind}:{name}", who="", **detail)


def file_state(db: Session, scope: str, new: NewVersion, *, is_deliberate: bool) -> FileState:
    """Compare a file's text with the newest version of its name. TAKEN means that something has to be written.

    Args:
        scope: The owner of the versions.
        new: The file's text, as a version of its name.
        is_deliberate: True if a person asked to import this file.
    """
    head = find_head(db, scope, new.kind, new.name)
    line = db.get(VersionLineRow, (scope, new.kind.value, new.name))
    seen = line.file_hash if line else None
    text_hash = hash_of(new.text)
    if head and head.text_hash == text_hash:
        # If the store does not know yet that the file has this text, that has to be written.
        return FileState.SAME if seen == text_hash else FileState.TAKEN
    if head and seen == text_hash:
        return FileState.BEHIND
    if head and head.text_hash != seen and not is_deliberate:
        return FileState.DIVERGED
    return FileState.TAKEN


def take_file(
    db: Session, writer: VersionWriter, new: NewVersion, *, is_deliberate: bool
) -> tuple[FileState, Version]:
    """Import a file's text if `file_state` allows it. Return the resulting state and the newest version."""
    line = writer.line(db, new.kind, new.name)
    head = find_head(db, writer.scope, new.kind, new.name)
    state = file_state(db, writer.scope, new, is_deliberate=is_deliberate)
    if head and state is not FileState.TAKEN:
        return state, convert_row(db, writer.scope, head)
    parent = _with_text(db, writer.scope, new, line.file_hash) or head
    line.file_hash = hash_of(new.text)
    if head and head.text_hash == line.file_hash:
        return FileState.SAME, convert_row(db, writer.scope, head)
    imported = writer.write(db, new, parent, author=FROM_FILE)
    return FileState.TAKEN, convert_row(db, writer.scope, imported)


def _with_text(db: Session, scope: str, new: NewVersion, text_hash: str | None) -> VersionRow | None:
    """Return the newest version of the same name with this text, or None."""
    query = of_name(scope, new.kind, new.name).where(col(VersionRow.text_hash) == text_hash)
    return db.exec(query.order_by(*own_first(scope)).limit(1)).first()

"""Store versions and tags, and keep them in step with files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    StoredText,
    Version,
    VersionKind,
    VersionLine,
    check_tag,
    hash_of,
)
from workbench.store.audit import AuditWriter
from workbench.store.damage import DAMAGE_REMEDY
from workbench.store.database import insert_if_absent
from workbench.store.owner_scope import OwnerScope, OwnerView
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables.versions import VersionLineRow, VersionRow, VersionTagRow, VersionTextRow
from workbench.store.versions.version_rows import (
    convert_row,
    convert_rows,
    find_head,
    find_row,
    find_text,
    find_version,
    has_versions,
    of_name,
    own_first,
    own_names,
    read_heads_unlike,
    read_lines,
    read_tagged_names,
    read_taken_hashes,
    same_name,
    stored_name,
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


class VersionStore(OwnerScope):
    """One owner's versions, and the shared ones. Each method is one transaction. Thread-safe."""

    def __init__(self, view: OwnerView) -> None:
        super().__init__(view)
        self._writer = VersionWriter(scope=self._scope, audit=AuditWriter(view.owner, view.now))

    def lines(self, kind: VersionKind | None = None) -> Sequence[VersionLine]:
        """Return every name that has versions, sorted by kind and name.

        Args:
            kind: Only names of this kind. None returns all.
        """
        with self._database.reading() as db:
            return read_lines(db, self._scope, kind)

    def tagged_names(self, kind: VersionKind) -> Sequence[tuple[str, str]]:
        """Return each name with each of its tags, sorted."""
        with self._database.reading() as db:
            return read_tagged_names(db, self._scope, kind)

    def heads_unlike(self, kind: VersionKind, hashes: Mapping[str, str]) -> Mapping[str, str]:
        """Return the text of each name's newest version, by name, where it differs from a known text.

        Args:
            hashes: SHA-256 of the known texts, by name.
        """
        with self._database.reading() as db:
            return read_heads_unlike(db, self._scope, kind, hashes)

    def taken_hashes(self, kind: VersionKind) -> Mapping[str, str]:
        """Return the SHA-256 of each newest version that has the last known text of its file, by name.

        `take_file` has nothing to do while the file has this text.
        """
        with self._database.reading() as db:
            return read_taken_hashes(db, self._scope, kind)

    def history(self, kind: VersionKind, name: str, *, limit: int = 50, offset: int = 0) -> Sequence[Version]:
        """Return the versions of a name, newest first."""
        if problem_of(name):
            return ()
        newest_first = (col(VersionRow.number).desc(), *own_first(self._scope))
        page = of_name(self._scope, kind, name).order_by(*newest_first).limit(limit).offset(offset)
        with self._database.reading() as db:
            return convert_rows(db, self._scope, db.exec(page).all())

    def find(self, kind: VersionKind, name: str, which: str = "") -> Version | None:
        """Return the version that a reference stands for, or None.

        Args:
            which: A number, a tag, or the start of a hash or an id, tried in this order. Empty takes the newest.
        """
        if problem_of(name):
            return None
        with self._database.reading() as db:
            name = same_name(db, self._scope, kind, name)
            return self._version(db, find_row(db, self._scope, kind, name, which))

    def version(self, version_id: str) -> Version | None:
        """Return the version with this id. None if the owner may not see it or it does not exist."""
        with self._database.reading() as db:
            return self._version(db, find_version(db, self._scope, version_id))

    def save(self, new: NewVersion) -> Version:
        """Save a new version and return it. If the text is the parent's, return the parent.

        Raises:
            BadInput: The name is not a valid file name, or differs from another one only in case, or a text cannot be
                stored.
            StoreError: The parent does not exist, or the version could not be written.
        """
        refuse_unstorable(new, "version")
        self._limits.check_text(new.kind.value, new.text)
        self._limits.check_texts("version", (new.name, new.message))
        with self._database.writing() as db:
            new = replace(new, name=stored_name(db, self._scope, new.kind, new.name))
            if not has_versions(db, self._scope, new.kind, new.name):
                own = own_names(self._scope, new.kind)
                self._require_room(db, f"{new.kind.value}s of your own", own, self._limits.own_names)
            self._require_room_for_version(db, new.kind, new.name)
            return convert_row(db, self._scope, self._writer.save(db, new))

    def restore(self, version_id: str, *, message: str = "") -> Version:
        """Save a new version with the text of an old one. If the newest version has that text, return the newest.

        Args:
            message: Message of the new version. Empty writes "restored vN".

        Raises:
            StoreError: The version does not exist, or the new one could not be written.
        """
        self._accept(message, "message")
        with self._database.writing() as db:
            old = convert_row(db, self._scope, version_row(db, self._scope, version_id))
            self._require_room_for_version(db, old.kind, old.name)
            return convert_row(db, self._scope, self._writer.restore(db, old, message))

    def tag(self, version_id: str, tag: str) -> Version:
        """Point a tag at a version. If the tag points at another version of the same name, it is moved.

        Raises:
            BadInput: The tag is not valid.
            StoreError: The version does not exist, or the tag could not be written.
        """
        check_tag(tag)
        with self._database.writing() as db:
            row = version_row(db, self._scope, version_id)
            self._writer.tag(db, row, tag)
            db.flush()
            return convert_row(db, self._scope, row)

    def untag(self, kind: VersionKind, name: str, tag: str) -> bool:
        """Remove a tag. Return False if it did not exist."""
        if problem_of(name) or problem_of(tag):
            return False
        with self._database.writing() as db:
            return self._writer.untag(db, kind, name, tag)

    def find_text(self, kind: VersionKind, text_hash: str) -> StoredText | None:
        """Return the only text whose hash is or starts with `text_hash`. None if there is not exactly one."""
        if problem_of(text_hash):
            return None
        with self._database.reading() as db:
            return find_text(db, self._scope, kind, text_hash.lower())

    def keep_text(self, kind: VersionKind, text: str) -> StoredText:
        """Store a text under its hash. Storing it again changes nothing.

        Raises:
            BadInput: The text cannot be stored.
        """
        self._accept(text, "version.text")
        stored = StoredText(kind=kind, hash=hash_of(text), text=text)
        # Usually the text is already stored. Then a reading transaction is enough, and no writer has to wait.
        with self._database.reading() as db:
            if db.get(VersionTextRow, (self._scope, kind.value, stored.hash)):
                return stored
        with self._database.writing() as db:
            write_text(db, self._scope, kind, text)
        return stored

    def take_file(
        self, kind: VersionKind, name: str, text: str, *, is_deliberate: bool = False
    ) -> tuple[FileState, Version]:
        """Import a file's text as the newest version, unless the newest version was also changed.

        Args:
            is_deliberate: True imports the text even if the newest version was also changed.

        Returns:
            How file and versions relate afterwards, and the newest version.

        Raises:
            BadInput: The name is not a valid file name, or differs from another one only in case, or the text cannot be
                stored.
            StoreError: The versions could not be read or written.
        """
        new = NewVersion(kind=kind, name=name, text=text, message="taken from its file")
        refuse_unstorable(new, "version")
        # Usually there is nothing to write. Then a reading transaction is enough, and no writer has to wait.
        with self._database.reading() as db:
            name = stored_name(db, self._scope, kind, name)
            new = replace(new, name=name)
            state = file_state(db, self._scope, new, is_deliberate=is_deliberate)
            head = self._version(db, find_head(db, self._scope, kind, name))
        if head is not None and state is not FileState.TAKEN:
            return state, head
        with self._database.writing() as db:
            return take_file(db, self._writer, new, is_deliberate=is_deliberate)

    def comes_from(self, version_id: str, text_hash: str) -> bool:
        """Whether the version or one of its ancestors has the text with this hash.

        Raises:
            StoreError: The version does not exist, or could not be read.
        """
        with self._database.reading() as db:
            row = version_row(db, self._scope, version_id)
            seen = {row.id}
            while row.text_hash != text_hash and row.parent_id is not None:
                row = version_row(db, self._scope, row.parent_id)
                if row.id in seen:
                    raise StoreError(
                        f"version {row.id!r}: it is its own ancestor, so the parents form a cycle; {DAMAGE_REMEDY}"
                    )
                seen.add(row.id)
            return row.text_hash == text_hash

    def note_file(self, version_id: str) -> None:
        """Record that a version's text was written to its file.

        Raises:
            StoreError: The version does not exist, or the change could not be written.
        """
        with self._database.writing() as db:
            row = version_row(db, self._scope, version_id)
            self._writer.line(db, VersionKind(row.kind), row.name).file_hash = row.text_hash

    def _require_room_for_version(self, db: Session, kind: VersionKind, name: str) -> None:
        versions = of_name(self._scope, kind, name)
        self._require_room(db, f"versions of {name!r}", versions, self._limits.versions)

    def _version(self, db: Session, row: VersionRow | None) -> Version | None:
        return None if row is None else convert_row(db, self._scope, row)

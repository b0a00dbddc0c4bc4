"""Store versions and tags, and keep them in step with files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlmodel import Session, col

from workbench.errors import StoreError
from workbench.records.versions import (
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
from workbench.store.owner_scope import OwnerScope, OwnerView
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables.versions import VersionRow, VersionTextRow
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
from workbench.store.versions.version_writer import VersionWriter, file_state, take_file


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

"""Versions in a database."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlmodel import Session, col

from workbench.errors import StoreError
from workbench.records.owner import Owner
from workbench.records.versions import (
    FileState,
    NewVersion,
    StoredText,
    Version,
    VersionKind,
    VersionLine,
    check_name,
    check_tag,
    hash_of,
)
from workbench.store.audit import AuditWriter
from workbench.store.damage import DAMAGE_REMEDY
from workbench.store.database import Database
from workbench.store.owned import scope_of
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables.versions import VersionRow, VersionTextRow
from workbench.store.version_rows import (
    find_head,
    find_row,
    find_text,
    find_version,
    of_name,
    own_first,
    read_lines,
    value,
    values,
    version_row,
    write_text,
)
from workbench.store.version_writer import VersionWriter, file_state, take_file


class VersionStore:
    """One owner's versions, and the shared ones; one transaction a method, safe to use from several threads.


    Args:
        database: Where they are.
        owner: Whose they are.
        now: Tells the moment, aware.
    """

    def __init__(self, database: Database, owner: Owner, now: Callable[[], datetime]) -> None:
        self._database = database
        self._scope = scope_of(owner)
        self._writer = VersionWriter(scope=self._scope, audit=AuditWriter(owner, now))

    def lines(self, kind: VersionKind | None = None) -> Sequence[VersionLine]:
        """Every name that has versions, sorted by kind and name."""
        with self._database.reading() as db:
            return read_lines(db, self._scope, kind)

    def history(self, kind: VersionKind, name: str, *, limit: int = 50, offset: int = 0) -> Sequence[Version]:
        """The versions of a name, the newest first."""
        if problem_of(name):
            return ()
        newest_first = (col(VersionRow.number).desc(), *own_first(self._scope))
        page = of_name(self._scope, kind, name).order_by(*newest_first).limit(limit).offset(offset)
        with self._database.reading() as db:
            return values(db, self._scope, db.exec(page).all())

    def find(self, kind: VersionKind, name: str, which: str = "") -> Version | None:
        """The version that a person means; None where there is none."""
        with self._database.reading() as db:
            return self._value(db, find_row(db, self._scope, kind, name, which))

    def version(self, version_id: str) -> Version | None:
        """The version of that id; None where there is none."""
        with self._database.reading() as db:
            return self._value(db, find_version(db, self._scope, version_id))

    def save(self, new: NewVersion) -> Version:
        """A new version; where its text is its parent's, the parent.

        Raises:
            BadInput: The name cannot name a file, or some text cannot be stored.
            StoreError: There is no such parent, or it could not be written.
        """
        check_name(new.name)
        refuse_unstorable(new, "version")
        with self._database.writing() as db:
            return value(db, self._scope, self._writer.save(db, new))

    def restore(self, version_id: str, *, message: str = "") -> Version:
        """A new version with the text of an old one; where the newest has that text, the newest.

        Raises:
            StoreError: There is no such version, or it could not be written.
        """
        refuse_unstorable(message, "message")
        with self._database.writing() as db:
            old = value(db, self._scope, version_row(db, self._scope, version_id))
            return value(db, self._scope, self._writer.restore(db, old, message))

    def tag(self, version_id: str, tag: str) -> Version:
        """Points a name at a version; it points at no other of the same history any more.

        Raises:
            BadInput: It cannot be a tag.
            StoreError: There is no such version, or it could not be written.
        """
        check_tag(tag)
        with self._database.writing() as db:
            row = version_row(db, self._scope, version_id)
            self._writer.tag(db, row, tag)
            db.flush()
            return value(db, self._scope, row)

    def untag(self, kind: VersionKind, name: str, tag: str) -> bool:
        """Takes a name away; False where there was none."""
        if problem_of(name) or problem_of(tag):
            return False
        with self._database.writing() as db:
            return self._writer.untag(db, kind, name, tag)

    def find_text(self, kind: VersionKind, text_hash: str) -> StoredText | None:
        """The text of that hash, or whose hash begins so; None where there is none, or several."""
        if problem_of(text_hash):
            return None
        with self._database.reading() as db:
            return find_text(db, self._scope, kind, text_hash.lower())

    def keep_text(self, kind: VersionKind, text: str) -> StoredText:
        """Keeps a text under its hash; keeping it again changes nothing.

        Raises:
            BadInput: It cannot be stored.
        """
        refuse_unstorable(text, "version.text")
        kept = StoredText(kind=kind, hash=hash_of(text), text=text)
        # Most often it is there: then no writer has to wait for us.
        with self._database.reading() as db:
            if db.get(VersionTextRow, (self._scope, kind.value, kept.hash)):
                return kept
        with self._database.writing() as db:
            write_text(db, self._scope, kind, text)
        return kept

    def take_file(
        self, kind: VersionKind, name: str, text: str, *, is_deliberate: bool = False
    ) -> tuple[FileState, Version]:
        """The text of a file, which becomes the newest version where nothing is in its way.

        Raises:
            BadInput: The name cannot name a file, or the text cannot be stored.
            StoreError: It could not be read or written.
        """
        check_name(name)
        new = NewVersion(kind=kind, name=name, text=text, message="taken from its file")
        refuse_unstorable(new, "version")
        # Most often there is nothing to write: then no writer has to wait for us.
        with self._database.reading() as db:
            state = file_state(db, self._scope, new, is_deliberate=is_deliberate)
            head = self._value(db, find_head(db, self._scope, kind, name))
        if head is not None and state is not FileState.TAKEN:
            return state, head
        with self._database.writing() as db:
            return take_file(db, self._writer, new, is_deliberate=is_deliberate)

    def comes_from(self, version_id: str, text_hash: str) -> bool:
        """Whether the version, or one that it was made from, has the text of that hash.

        Raises:
            StoreError: There is no such version, or it could not be read.
        """
        with self._database.reading() as db:
            row = version_row(db, self._scope, version_id)
            seen = {row.id}
            while row.text_hash != text_hash and row.parent_id is not None:
                row = version_row(db, self._scope, row.parent_id)
                if row.id in seen:
                    raise StoreError(
                        f"version {row.id!r}: it was made from itself: the parents form a cycle; {DAMAGE_REMEDY}"
                    )
                seen.add(row.id)
            return row.text_hash == text_hash

    def note_file(self, version_id: str) -> None:
        """The version's file has its text now.

        Raises:
            StoreError: There is no such version, or it could not be written.
        """
        with self._database.writing() as db:
            row = version_row(db, self._scope, version_id)
            self._writer.line(db, VersionKind(row.kind), row.name).file_hash = row.text_hash

    def _value(self, db: Session, row: VersionRow | None) -> Version | None:
        return None if row is None else value(db, self._scope, row)

"""How a file goes into the history of its name: as its first version, and later where nothing is in its way."""

from sqlmodel import Session, col

from workbench.records.versions import FROM_FILE, FileState, NewVersion, Version, hash_of
from workbench.store.tables.versions import VersionLineRow, VersionRow
from workbench.store.version_rows import find_head, of_name, own_first, value
from workbench.store.version_writer import VersionWriter


def file_state(db: Session, scope: str, new: NewVersion, *, is_deliberate: bool) -> FileState:
    """How the file's text and the newest version stand to each other; TAKEN where it is to be written.

    Args:
        db: A transaction.
        scope: Whose versions they are.
        new: The file's text, as a version of its name.
        is_deliberate: True where a person asks for just this file.
    """
    head = find_head(db, scope, new.kind, new.name)
    line = db.get(VersionLineRow, (scope, new.kind.value, new.name))
    seen = line.file_hash if line else None
    text_hash = hash_of(new.text)
    if head and head.text_hash == text_hash:
        # That the file has this text now must be noted, where it is not.
        return FileState.SAME if seen == text_hash else FileState.TAKEN
    if head and seen == text_hash:
        return FileState.BEHIND
    if head and head.text_hash != seen and not is_deliberate:
        return FileState.DIVERGED
    return FileState.TAKEN


def take_file(
    db: Session, writer: VersionWriter, new: NewVersion, *, is_deliberate: bool
) -> tuple[FileState, Version]:
    """Writes what `file_state` says is to be written; gives the state after it, and the newest version."""
    line = writer.line(db, new.kind, new.name)
    head = find_head(db, writer.scope, new.kind, new.name)
    state = file_state(db, writer.scope, new, is_deliberate=is_deliberate)
    if head and state is not FileState.TAKEN:
        return state, value(db, writer.scope, head)
    parent = _with_text(db, writer.scope, new, line.file_hash) or head
    line.file_hash = hash_of(new.text)
    if head and head.text_hash == line.file_hash:
        return FileState.SAME, value(db, writer.scope, head)
    taken = writer.written(db, new, parent, author=FROM_FILE)
    return FileState.TAKEN, value(db, writer.scope, taken)


def _with_text(db: Session, scope: str, new: NewVersion, text_hash: str | None) -> VersionRow | None:
    """The newest version of the same name that has that text."""
    had = of_name(scope, new.kind, new.name).where(col(VersionRow.text_hash) == text_hash)
    return db.exec(had.order_by(*own_first(scope)).limit(1)).first()

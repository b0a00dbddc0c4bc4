"""Store the notes of the tool `memory`, separately for each owner."""

from collections.abc import Sequence

from sqlmodel import col, delete, select

from workbench.records.owner import Owner
from workbench.store.database import Database
from workbench.store.owner_scope import scope_of
from workbench.store.storable import refuse_unstorable
from workbench.store.tables import NoteRow


class MemoryStore:
    """The notes that models save for their owners."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def notes(self, owner: Owner) -> Sequence[str]:
        """Return an owner's notes, oldest first.

        Raises:
            StoreError: The notes could not be read.
        """
        own = col(NoteRow.scope) == scope_of(owner)
        with self._database.reading() as db:
            return tuple(db.exec(select(NoteRow.text).where(own).order_by(col(NoteRow.position))))

    def save_notes(self, owner: Owner, notes: Sequence[str]) -> None:
        """Replace all notes of an owner.

        Raises:
            BadInput: A note contains text that cannot be stored.
            StoreError: The notes could not be written.
        """
        refuse_unstorable(tuple(notes), "notes")
        scope = scope_of(owner)
        with self._database.writing() as db:
            db.exec(delete(NoteRow).where(col(NoteRow.scope) == scope))
            db.add_all(
                NoteRow(scope=scope, position=position, text=text) for position, text in enumerate(notes)
            )

"""Store presets, and share them by a link.

A deleted or replaced preset can be restored for 30 days. A link contains a random key and gives read access only;
unsharing deletes the key, so an old link never works again. A reader with a key gets no ephemeral system text.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement
from sqlmodel import Session, and_, col, delete, select

from workbench.chat.near_names import did_you_mean
from workbench.errors import BadInput, StoreError
from workbench.names import known_name
from workbench.records.presets import ListedPreset, SavedPreset, StoredPreset, preset_name
from workbench.records.run_config import RunConfig
from workbench.store import rows
from workbench.store.database import Database
from workbench.store.deleting import purge_rows, restorable_since
from workbench.store.owner_scope import OwnerScope
from workbench.store.rows import new_id
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import PresetRow

RESTORABLE_PRESETS: Final = 50
"""How many deleted and replaced presets of an owner can be restored; older ones are forgotten."""


class PresetStore(OwnerScope):
    """One owner's presets. Each method is one transaction. Thread-safe."""

    def list_presets(self) -> Sequence[ListedPreset]:
        """Return the owner's presets, sorted by name.

        Raises:
            StoreError: The presets could not be read.
        """
        query = select(PresetRow).where(self._shown()).order_by(col(PresetRow.name))
        with self._database.reading() as db:
            return tuple(_listed(row) for row in db.exec(query))

    def find_preset(self, name_or_id: str) -> StoredPreset:
        """Return one of the owner's presets.

        Raises:
            BadInput: There is no such preset.
            StoreError: It could not be read.
        """
        with self._database.reading() as db:
            return _stored(self._row(db, name_or_id), is_own=True)

    def save_preset(self, name: str, setup: RunConfig, *, replaces: bool = False) -> SavedPreset:
        """Save a setup as a preset.

        Args:
            name: Spaces around it are removed.
            replaces: True replaces a preset of the same name, which can be restored. Its link leads to the new one.

        Raises:
            BadInput: The name is not usable or taken, or the setup contains text that cannot be stored.
            StoreError: The preset could not be written.
        """
        name = preset_name(name)
        self._accept_setup(setup)
        now = self._now()
        with self._database.writing() as db:
            name = self._stored_name(db, name)
            old = self._named(db, name)
            if old is not None and not replaces:
                raise BadInput(
                    f"preset {name!r}", "this name is taken", "choose another name, or replace the preset"
                )
            if old is None:
                self._require_room_for_preset(db)
            share_key = _give_way(db, old, now) if old else None
            row = PresetRow(
                id=new_id(),
                owner=self._scope,
                name=name,
                setup=rows.setup_document(setup),
                share_key=share_key,
                created_at=now,
                updated_at=now,
            )
            db.add(row)
            self._forget_oldest(db)
            return SavedPreset(preset=_listed(row), replaced_id=old.id if old else None)

    def rename_preset(self, name_or_id: str, name: str) -> ListedPreset:
        """Rename one of the owner's presets.

        Raises:
            BadInput: There is no such preset, or the new name is not usable or taken.
            StoreError: The preset could not be written.
        """
        name = preset_name(name)
        refuse_unstorable(name, "preset name")
        with self._database.writing() as db:
            row = self._row(db, name_or_id)
            name = self._stored_name(db, name, but=row.name)
            other = self._named(db, name)
            if other is not None and other.id != row.id:
                raise BadInput(f"preset {name!r}", "this name is taken", "choose another name")
            row.name, row.updated_at = name, self._now()
            db.flush()
            return _listed(row)

    def delete_preset(self, name_or_id: str) -> ListedPreset:
        """Hide one of the owner's presets. It can be restored for 30 days and is then purged.

        Raises:
            BadInput: There is no such preset.
            StoreError: The preset could not be written.
        """
        with self._database.writing() as db:
            row = self._row(db, name_or_id)
            row.deleted_at = self._now()
            self._forget_oldest(db)
            return _listed(row)

    def restore_preset(self, preset_id: str, *, in_place_of: str | None = None) -> ListedPreset:
        """Restore a deleted or replaced preset.

        Args:
            in_place_of: Id of the preset that replaced it, which is then deleted; its link leads to the restored one.

        Raises:
            BadInput: There is no such deleted preset, or its name was taken since.
            StoreError: The preset could not be written.
        """
        now = self._now()
        with self._database.writing() as db:
            row = None if problem_of(preset_id) else db.get(PresetRow, preset_id)
            is_restorable = (
                row is not None
                and row.owner == self._scope
                and row.deleted_at is not None
                and row.deleted_at > restorable_since(now)
            )
            if row is None or not is_restorable:
                raise BadInput("preset", "it was not deleted, or can no longer be restored")
            if in_place_of is None:
                self._require_room_for_preset(db)
            other = self._named(db, row.name)
            if other is not None and other.id != in_place_of:
                raise BadInput(
                    f"preset {row.name!r}", "another preset has this name now", "rename that one first"
                )
            if other is not None:
                row.share_key = _give_way(db, other, now)
            row.deleted_at = None
            db.flush()
            return _listed(row)

    def share_preset(self, name_or_id: str) -> ListedPreset:
        """Share one of the owner's presets by a link. A shared preset keeps its key.

        Raises:
            BadInput: There is no such preset.
            StoreError: The preset could not be written.
        """
        with self._database.writing() as db:
            row = self._row(db, name_or_id)
            row.share_key = row.share_key or new_id()
            return _listed(row)

    def unshare_preset(self, name_or_id: str) -> ListedPreset:
        """Stop sharing a preset. Its link no longer works, and sharing again creates a new one.

        Raises:
            BadInput: There is no such preset.
            StoreError: The preset could not be written.
        """
        with self._database.writing() as db:
            row = self._row(db, name_or_id)
            row.share_key = None
            return _listed(row)

    def find_shared_preset(self, key: str) -> StoredPreset | None:
        """Return the preset with this key, of any owner, without ephemeral text. None if the key is not valid.

        Raises:
            StoreError: The preset could not be read.
        """
        if not key or problem_of(key):
            return None
        is_found = (col(PresetRow.share_key) == key, col(PresetRow.deleted_at).is_(None))
        with self._database.reading() as db:
            row = db.exec(select(PresetRow).where(*is_found)).first()
            if row is None:
                return None
            stored = _stored(row, is_own=row.owner == self._scope)
        if stored.is_own:
            return stored
        listed = replace(stored.listed, share_key=None)
        return replace(stored, listed=listed, setup=replace(stored.setup, ephemeral=""))

    def _shown(self) -> ColumnElement[bool]:
        """Return a condition that is true for the owner's presets that are not deleted."""
        return and_(col(PresetRow.owner) == self._scope, col(PresetRow.deleted_at).is_(None))

    def _require_room_for_preset(self, db: Session) -> None:
        own = select(PresetRow.id).where(self._shown())
        self._require_room(db, "presets", own, self._limits.own_names)

    def _named(self, db: Session, name: str) -> PresetRow | None:
        return db.exec(select(PresetRow).where(self._shown(), col(PresetRow.name) == name)).first()

    def _stored_name(self, db: Session, name: str, *, but: str = "") -> str:
        """Return the name under which a preset is stored, where the name `but` is about to be given up.

        Raises:
            BadInput: The name differs from another one only in case.
        """
        known = frozenset(db.exec(select(PresetRow.name).where(self._shown())))
        return known_name(name, known - {but}, "preset")

    def _forget_oldest(self, db: Session) -> None:
        """Delete the deleted presets that are too many, so that replacing one again and again stores little."""
        db.flush()
        is_deleted = (col(PresetRow.owner) == self._scope, col(PresetRow.deleted_at).is_not(None))
        newest_first = (col(PresetRow.deleted_at).desc(), col(PresetRow.id))
        query = select(PresetRow.id).where(*is_deleted).order_by(*newest_first).offset(RESTORABLE_PRESETS)
        forgotten = db.exec(query).all()
        if forgotten:
            db.exec(delete(PresetRow).where(col(PresetRow.id).in_(forgotten)))

    def _row(self, db: Session, name_or_id: str) -> PresetRow:
        if not problem_of(name_or_id):
            is_id = col(PresetRow.id) == name_or_id
            found = db.exec(select(PresetRow).where(self._shown(), is_id)).first()
            found = found or self._named(db, name_or_id.strip())
            if found is not None:
                return found
        names = tuple(db.exec(select(PresetRow.name).where(self._shown()).order_by(col(PresetRow.name))))
        otherwise = f"your presets: {', '.join(names[:20])}" if names else "save one in Play first"
        remedy = did_you_mean(name_or_id, names, otherwise=otherwise)
        raise BadInput(f"preset {name_or_id[:100]!r}", "there is no such preset", remedy)


def purge_presets(database: Database, now: datetime) -> None:
    """Delete the presets that can no longer be restored.

    Raises:
        StoreError: The presets could not be read or deleted.
    """
    purge_rows(database, PresetRow, now)


def _give_way(db: Session, row: PresetRow, now: datetime) -> str | None:
    """Delete a preset in favour of another one of the same name, and return the key of its link for that one."""
    share_key, row.share_key, row.deleted_at = row.share_key, None, now
    # The index on the name allows the other row only once this one is deleted.
    db.flush()
    return share_key


def _listed(row: PresetRow) -> ListedPreset:
    return ListedPreset(
        id=row.id,
        name=row.name,
        contract_name=str(row.setup.get("contract_name", "")),
        model=str(row.setup.get("model", "")),
        updated_at=row.updated_at,
        share_key=row.share_key,
    )


def _stored(row: PresetRow, *, is_own: bool) -> StoredPreset:
    try:
        return StoredPreset(listed=_listed(row), setup=rows.setup_value(row.setup), is_own=is_own)
    except ValueError as error:
        raise StoreError(f"preset {row.name!r}: its row is damaged: {error}") from error

"""Texts of versions, once for each owner, under their hash."""

from typing import Any

from sqlalchemy import ColumnElement
from sqlmodel import Session, and_, col, or_, select

from workbench.records.owner import Owner
from workbench.records.versions import HASH_PREFIX_CHARS, KeptText, VersionKind, hash_of
from workbench.store.insert import insert_if_absent
from workbench.store.scope import SHARED, scope_of
from workbench.store.tables.sessions import SessionRow
from workbench.store.tables.versions import VersionRow, VersionTextRow


def put_setup(db: Session, row: SessionRow, owner: Owner, document: dict[str, Any]) -> None:
    """Writes a setup into its session's row, and keeps its contract and tools as texts of the owner's.

    Args:
        db: The transaction that keeps the session.
        row: The session's.
        owner: Whose session it is.
        document: The setup as `rows.setup_document` writes it.
    """
    scope = scope_of(owner)
    row.setup = document
    row.contract_version = _kept(db, scope, VersionKind.CONTRACT, document.get("contract_text"))
    row.tools_version = _kept(db, scope, VersionKind.TOOLS, document.get("tools_text"))


def _kept(db: Session, scope: str, kind: VersionKind, text: object) -> str | None:
    # A damaged setup may have no such text; its session can be copied all the same.
    return write_text(db, scope, kind, text) if isinstance(text, str) else None


def write_text(db: Session, scope: str, kind: VersionKind, text: str) -> str:
    """Writes a text that may be there already; gives its hash."""
    text_hash = hash_of(text)
    insert_if_absent(db, VersionTextRow, owner=scope, kind=kind.value, hash=text_hash, text=text)
    return text_hash


def find_text(db: Session, scope: str, kind: VersionKind, start: str) -> KeptText | None:
    """The one text whose hash begins with `start`; None where there is none, or several."""
    if len(start) < HASH_PREFIX_CHARS:
        return None
    found = db.exec(
        select(VersionTextRow).where(
            _is_readable(scope),
            col(VersionTextRow.kind) == kind.value,
            col(VersionTextRow.hash).startswith(start, autoescape=True),
        )
    ).all()
    if len({row.hash for row in found}) != 1:
        return None
    return KeptText(kind=kind, hash=found[0].hash, text=found[0].text)


def _is_readable(scope: str) -> ColumnElement[bool]:
    """One's own, and of the shared ones those that are some version's: all others were only played."""
    is_version = (
        select(VersionRow.id)
        .where(
            col(VersionRow.owner) == SHARED,
            col(VersionRow.kind) == col(VersionTextRow.kind),
            col(VersionRow.text_hash) == col(VersionTextRow.hash),
        )
        .exists()
    )
    return or_(col(VersionTextRow.owner) == scope, and_(col(VersionTextRow.owner) == SHARED, is_version))

"""Read versions: which rows an owner may see, and which of them a reference stands for."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from unicodedata import normalize

from sqlalchemy import ColumnElement, Subquery
from sqlmodel import Session, and_, col, func, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from workbench.errors import StoreError
from workbench.names import known_name
from workbench.records.owner import Owner
from workbench.records.versions import (
    HASH_PREFIX_CHARS,
    StoredText,
    Version,
    VersionKind,
    VersionLine,
    check_name,
    hash_of,
    number_of,
)
from workbench.store.database import insert_if_absent
from workbench.store.owner_scope import SHARED, scope_of
from workbench.store.storable import problem_of
from workbench.store.tables.sessions import SessionRow
from workbench.store.tables.versions import VersionLineRow, VersionRow, VersionTagRow, VersionTextRow


def put_setup(db: Session, row: SessionRow, owner: Owner, document: dict[str, Any]) -> None:
    """Write a setup into a session's row, and store its contract and tools as texts of the owner.

    Args:
        db: The transaction that writes the session.
        owner: The session's owner.
        document: The setup as `rows.setup_document` returns it.
    """
    scope = scope_of(owner)
    row.setup = document
    row.contract_version = _text_hash(db, scope, VersionKind.CONTRACT, document.get("contract_text"))
    row.tools_version = _text_hash(db, scope, VersionKind.TOOLS, document.get("tools_text"))


def _text_hash(db: Session, scope: str, kind: VersionKind, text: object) -> str | None:
    # A damaged setup may lack the text. Its session can still be copied.
    return write_text(db, scope, kind, text) if isinstance(text, str) else None


def write_text(db: Session, scope: str, kind: VersionKind, text: str) -> str:
    """Store a text unless it is already stored, and return its hash."""
    text_hash = hash_of(text)
    insert_if_absent(db, VersionTextRow, owner=scope, kind=kind.value, hash=text_hash, text=text)
    return text_hash


def find_text(db: Session, scope: str, kind: VersionKind, start: str) -> StoredText | None:
    """Return the only text whose hash starts with `start`. None if there is not exactly one."""
    if len(start) < HASH_PREFIX_CHARS:
        return None
    found = db.exec(
        select(VersionTextRow).where(
            _is_readable_text(scope),
            col(VersionTextRow.kind) == kind.value,
            col(VersionTextRow.hash).startswith(start, autoescape=True),
        )
    ).all()
    if len({row.hash for row in found}) != 1:
        return None
    return StoredText(kind=kind, hash=found[0].hash, text=found[0].text)


def _is_readable_text(scope: str) -> ColumnElement[bool]:
    """Return a condition for the texts that an owner may read.

    These are their own texts, and those of the shared library that belong to a version. Other shared texts were
    only used in sessions, which may be private.
    """
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


DELETED_MARK: Final = ":"
"""Separates a deleted name from its random part. It cannot occur in a name."""


def shown_name(name: str) -> str:
    """Return a name without the random part of a deleted name.

    >>> shown_name("weather:1f0c"), shown_name("weather")
    ('weather', 'weather')
    """
    return name.partition(DELETED_MARK)[0]


def own_first(scope: str) -> tuple[ColumnElement[Any], ...]:
    """Return the order in which versions of a name are searched: the owner's first, then by number, newest first."""
    return ((col(VersionRow.owner) == scope).desc(), col(VersionRow.number).desc())


def has_versions(db: Session, scope: str, kind: VersionKind, name: str) -> bool:
    """Whether the owner has versions of this name."""
    query = select(VersionRow.id).where(
        col(VersionRow.owner) == scope, col(VersionRow.kind) == kind.value, col(VersionRow.name) == name
    )
    return db.exec(query.limit(1)).first() is not None


def own_names(scope: str, kind: VersionKind) -> SelectOfScalar[str]:
    """Select the names of the owner's versions. Deleted names are left out."""
    own = (col(VersionRow.owner) == scope, col(VersionRow.kind) == kind.value)
    return select(VersionRow.name).where(*own, ~col(VersionRow.name).contains(DELETED_MARK)).distinct()


def of_name(scope: str, kind: VersionKind, name: str) -> SelectOfScalar[VersionRow]:
    """Select the versions of a name that the owner may see, in no particular order."""
    return select(VersionRow).where(
        _is_readable(scope), col(VersionRow.kind) == kind.value, col(VersionRow.name) == name
    )


def same_name(db: Session, scope: str, kind: VersionKind, name: str) -> str:
    """Return the name in use that spells the accents of `name` in another way, or `name` itself."""
    if name.isascii() or find_head(db, scope, kind, name) is not None:
        return name
    composed = normalize("NFC", name)
    return next((known for known in _names(db, scope, kind) if normalize("NFC", known) == composed), name)


def stored_name(db: Session, scope: str, kind: VersionKind, name: str, *, but: str = "") -> str:
    """Return the name under which a version is stored.

    Args:
        but: A name that is about to be given up. Empty for none.

    Raises:
        BadInput: The name is new and not valid, or differs from one in use only in case.
    """
    if name != but and find_head(db, scope, kind, name) is not None:
        return name
    known = _names(db, scope, kind) - {but}
    found = known_name(name, known, kind.value)
    if found not in known:
        check_name(found)
    return found


def _names(db: Session, scope: str, kind: VersionKind) -> frozenset[str]:
    """Return the names of a kind that the owner may see. Deleted ones are left out."""
    query = select(VersionRow.name).where(_is_readable(scope), col(VersionRow.kind) == kind.value)
    return frozenset(name for name in db.exec(query.distinct()) if DELETED_MARK not in name)


def find_head(db: Session, scope: str, kind: VersionKind, name: str) -> VersionRow | None:
    """Return the newest version of a name, or None."""
    return db.exec(of_name(scope, kind, name).order_by(*own_first(scope)).limit(1)).first()


def find_row(db: Session, scope: str, kind: VersionKind, name: str, which: str) -> VersionRow | None:
    """Return the version that a reference stands for, or None.

    Args:
        which: A number, a tag, or the start of a hash or an id, tried in this order. Empty takes the newest.
    """
    if problem_of(name) or problem_of(which):
        return None
    if not which:
        return find_head(db, scope, kind, name)
    rows = of_name(scope, kind, name).order_by(*own_first(scope))
    number = number_of(which)
    found = None if number is None else db.exec(rows.where(col(VersionRow.number) == number)).first()
    return found or _find_tagged(db, scope, kind, name, which) or _find_hash(db, rows, which)


def find_version(db: Session, scope: str, version_id: str) -> VersionRow | None:
    """Return the version with this id. None if the owner may not see it or it does not exist."""
    row = None if problem_of(version_id) else db.get(VersionRow, version_id)
    return row if row is not None and row.owner in (scope, SHARED) else None


def version_row(db: Session, scope: str, version_id: str) -> VersionRow:
    """Return the version with this id.

    Raises:
        StoreError: There is no such version that the owner may see.
    """
    row = find_version(db, scope, version_id)
    if row is None:
        raise StoreError(f"there is no version {version_id!r}; look it up with `workbench versions list`")
    return row


def convert_rows(db: Session, scope: str, rows: Sequence[VersionRow]) -> Sequence[Version]:
    """Convert rows to versions, in the same order."""
    texts = _texts(db, rows)
    tags = _tags(db, scope, rows)
    return tuple(
        Version(
            id=row.id,
            kind=VersionKind(row.kind),
            name=shown_name(row.name),
            number=row.number,
            text=texts[row.owner, row.kind, row.text_hash],
            text_hash=row.text_hash,
            parent_id=row.parent_id,
            message=row.message,
            author=row.author,
            created_at=row.created_at,
            is_shared=row.owner == SHARED,
            tags=tuple(sorted(tags.get(row.id, ()))),
        )
        for row in rows
    )


def convert_row(db: Session, scope: str, row: VersionRow) -> Version:
    """Convert one row to a version."""
    return convert_rows(db, scope, (row,))[0]


def read_lines(db: Session, scope: str, kind: VersionKind | None) -> Sequence[VersionLine]:
    """Return every name with its newest version, sorted by kind and name.

    Args:
        kind: Only names of this kind. None returns all.
    """
    ranked = _ranked(scope, kind)
    heads = (
        select(VersionRow, ranked.c.of_line)
        .join(ranked, col(VersionRow.id) == ranked.c.id)
        .where(ranked.c.place == 1)
        .order_by(col(VersionRow.kind), col(VersionRow.name))
    )
    found = db.exec(heads).all()
    heads_found = convert_rows(db, scope, [row for row, _ in found])
    return tuple(
        VersionLine(head=head, version_count=version_count)
        for head, (_, version_count) in zip(heads_found, found, strict=True)
    )


def read_heads_unlike(
    db: Session, scope: str, kind: VersionKind, hashes: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the text of each name's newest version, by name, where its hash is not the given one."""
    ranked = _ranked(scope, kind)
    heads = (
        select(VersionRow.name, VersionRow.owner, VersionRow.text_hash)
        .join(ranked, col(VersionRow.id) == ranked.c.id)
        .where(ranked.c.place == 1)
        .order_by(col(VersionRow.name))
    )
    return {
        name: db.get_one(VersionTextRow, (owner, kind.value, text_hash)).text
        for name, owner, text_hash in db.exec(heads).all()
        if hashes.get(name) != text_hash
    }


def read_taken_hashes(db: Session, scope: str, kind: VersionKind) -> Mapping[str, str]:
    """Return the hash of each newest version's text, by name, that the owner's file of that name is known to have."""
    ranked = _ranked(scope, kind)
    line = (col(VersionLineRow.kind) == VersionRow.kind, col(VersionLineRow.name) == VersionRow.name)
    taken = (
        select(VersionRow.name, VersionRow.text_hash)
        .join(ranked, col(VersionRow.id) == ranked.c.id)
        .join(VersionLineRow, and_(col(VersionLineRow.owner) == scope, *line))
        .where(ranked.c.place == 1)
        .where(col(VersionLineRow.file_hash) == VersionRow.text_hash)
    )
    return dict(db.exec(taken).all())


def _ranked(scope: str, kind: VersionKind | None) -> Subquery:
    """Select the versions of a kind that an owner may see, with their place among those of the same name, newest first.

    Args:
        scope: The owner.
        kind: None selects all kinds.
    """
    of_same_name = (col(VersionRow.kind), col(VersionRow.name))
    place = func.row_number().over(partition_by=of_same_name, order_by=own_first(scope)).label("place")
    of_line = func.count().over(partition_by=of_same_name).label("of_line")
    is_shown = ~col(VersionRow.name).contains(DELETED_MARK)
    ranked = select(VersionRow.id, place, of_line).where(_is_readable(scope), is_shown)
    return (ranked if kind is None else ranked.where(col(VersionRow.kind) == kind.value)).subquery()


def _is_readable(scope: str) -> ColumnElement[bool]:
    return or_(col(VersionRow.owner) == scope, col(VersionRow.owner) == SHARED)


def _find_tagged(db: Session, scope: str, kind: VersionKind, name: str, tag: str) -> VersionRow | None:
    tagged = (
        select(VersionRow)
        .join(VersionTagRow, col(VersionTagRow.version_id) == col(VersionRow.id))
        .where(
            or_(col(VersionTagRow.owner) == scope, col(VersionTagRow.owner) == SHARED),
            col(VersionTagRow.kind) == kind.value,
            col(VersionTagRow.name) == name,
            col(VersionTagRow.tag) == tag,
        )
        .order_by((col(VersionTagRow.owner) == scope).desc())
    )
    return db.exec(tagged).first()


def _find_hash(db: Session, rows: SelectOfScalar[VersionRow], start: str) -> VersionRow | None:
    """Return the newest version whose text hash starts with `start`, or else the only one whose id does."""
    if len(start) < HASH_PREFIX_CHARS:
        return None
    prefix = start.lower()
    same_text = db.exec(rows.where(col(VersionRow.text_hash).startswith(prefix, autoescape=True))).all()
    if len({row.text_hash for row in same_text}) == 1:
        return same_text[0]
    same_id = db.exec(rows.where(col(VersionRow.id).startswith(prefix, autoescape=True))).all()
    return same_id[0] if len(same_id) == 1 else None


def _texts(db: Session, rows: Iterable[VersionRow]) -> Mapping[tuple[str, str, str], str]:
    """Return the texts of the rows by owner, kind and hash."""
    hashes = {row.text_hash for row in rows}
    found = db.exec(select(VersionTextRow).where(col(VersionTextRow.hash).in_(hashes)))
    return {(row.owner, row.kind, row.hash): row.text for row in found}


def read_tagged_names(db: Session, scope: str, kind: VersionKind) -> Sequence[tuple[str, str]]:
    """Return each name with each of its tags, sorted. An owner's tags come in addition to shared ones."""
    found = db.exec(
        select(VersionTagRow.name, VersionTagRow.tag)
        .where(
            or_(col(VersionTagRow.owner) == scope, col(VersionTagRow.owner) == SHARED),
            col(VersionTagRow.kind) == kind.value,
            ~col(VersionTagRow.name).contains(DELETED_MARK),
        )
        .distinct()
        .order_by(col(VersionTagRow.name), col(VersionTagRow.tag))
    )
    return tuple(found)


def _tags(db: Session, scope: str, rows: Iterable[VersionRow]) -> Mapping[str, Sequence[str]]:
    """Return the tags that point at each version, by version id. An owner's tag hides a shared tag of that name."""
    names = {row.name for row in rows}
    found = db.exec(
        select(VersionTagRow)
        .where(
            or_(col(VersionTagRow.owner) == scope, col(VersionTagRow.owner) == SHARED),
            col(VersionTagRow.name).in_(names),
        )
        .order_by(col(VersionTagRow.owner) == scope)
    )
    points_at = {(row.kind, row.name, row.tag): row.version_id for row in found}
    tags: dict[str, list[str]] = {}
    for (_, _, tag), version_id in points_at.items():
        tags.setdefault(version_id, []).append(tag)
    return tags

"""The search of one owner's sessions: the port `workbench.store.search.SqlSearch`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import ColumnElement
from sqlmodel import Session, col, func, select

from workbench.records.session_tree import NO_FILTER, FoundSession, SearchFilter
from workbench.store.listing import list_rows
from workbench.store.owned import Owned
from workbench.store.search_filter import conditions_of, is_of_origin
from workbench.store.search_words import SEARCH_WORDS, Field, matches
from workbench.store.snippet import snippet_of
from workbench.store.storable import problem_of
from workbench.store.tables import DeletedMessageRow, DocumentRow, MessageRow, SessionRow
from workbench.store.words import CHUNK_SIZE_CHARS, Term, terms_of

MOST_HITS: Final = 1000
"""Documents of one kind that are looked at, the newest ones: a word that stands everywhere ranks nothing."""


class _Hit(NamedTuple):
    """A session that has the words."""

    session_id: str
    document_id: int | None
    """Newest piece of a message with the words; None where only its title or tags have them."""


class SearchStore(Owned):
    """Finds one owner's sessions."""

    def find(
        self,
        query: str,
        wanted: SearchFilter = NO_FILTER,
        *,
        limit: int = 50,
        offset: int = 0,
        is_of_all: bool = False,
    ) -> Sequence[FoundSession]:
        """Sessions with all words of the query in one message, or in title and tags.

        Raises:
            StoreError: They could not be read.
        """
        terms = terms_of(query)
        if (query.strip() and not terms) or _asks_the_impossible(wanted):
            return ()
        allowed = self._is_seen() if is_of_all else self._is_own()
        conditions = (col(SessionRow.deleted_at).is_(None), allowed, *conditions_of(wanted))
        with self._database.reading() as db:
            if not terms:
                return self._all(db, (*conditions, *_of_origin(wanted)), limit, offset)
            hits = _hits(db, terms, wanted, conditions, limit, offset)
            return self._found(db, hits, terms)

    def _all(
        self, db: Session, conditions: Sequence[ColumnElement[bool]], limit: int, offset: int
    ) -> Sequence[FoundSession]:
        page = list_rows(db, self._owner, *conditions, is_deleted=False, limit=limit, offset=offset)
        return tuple(FoundSession(session=session, message_id=None, snippet=None) for session in page)

    def _found(self, db: Session, hits: Sequence[_Hit], terms: Sequence[Term]) -> Sequence[FoundSession]:
        is_hit = col(SessionRow.id).in_([hit.session_id for hit in hits])
        page = list_rows(db, self._owner, is_hit, is_deleted=False, limit=len(hits), offset=0)
        sessions = {session.id: session for session in page}
        pieces = _pieces(db, [hit.document_id for hit in hits if hit.document_id is not None])
        found: list[FoundSession] = []
        for hit in hits:
            # A session whose messages are all gone from the list has none to show.
            if hit.session_id in sessions:
                message_id, text = pieces.get(hit.document_id, (None, ""))
                snippet = snippet_of(text, terms) if message_id else None
                session = sessions[hit.session_id]
                found.append(FoundSession(session=session, message_id=message_id, snippet=snippet))
        return tuple(found)


def _hits(
    db: Session,
    terms: Sequence[Term],
    wanted: SearchFilter,
    conditions: Sequence[ColumnElement[bool]],
    limit: int,
    offset: int,
) -> Sequence[_Hit]:
    """A page of the sessions with the words, the best first."""
    dialect = db.get_bind().dialect.name
    both = sa.union_all(
        _of_field(terms, Field.NAMED, 0, wanted, conditions, dialect),
        _of_field(terms, Field.TEXT, 1, wanted, conditions, dialect),
    ).subquery()
    document = sa.case((col(DocumentRow.message_id).is_not(None), col(DocumentRow.id)))
    page = (
        select(SessionRow.id, func.max(document))
        .join(DocumentRow, col(DocumentRow.session_id) == col(SessionRow.id))
        .join(both, both.c.rowid == col(DocumentRow.id))
        .where(col(SessionRow.leaf_id).is_not(None))
        .group_by(col(SessionRow.id), col(SessionRow.updated_at))
        .order_by(func.min(both.c.rank), col(SessionRow.updated_at).desc(), col(SessionRow.id))
        .limit(limit)
        .offset(offset)
    )
    return [_Hit(session_id, document_id) for session_id, document_id in db.exec(page)]


def _of_field(
    terms: Sequence[Term],
    field: Field,
    rank: int,
    wanted: SearchFilter,
    conditions: Sequence[ColumnElement[bool]],
    dialect: str,
) -> sa.Select[Any]:
    """The newest documents whose field has the words.

    What else is asked stands in `EXISTS`: so the words are looked up first, and no more of them than needed.
    """
    number = SEARCH_WORDS.c.rowid
    its_session = (
        sa.select(sa.literal(1))
        .select_from(DocumentRow)
        .join(SessionRow, col(SessionRow.id) == col(DocumentRow.session_id))
        .where(col(DocumentRow.id) == number, *conditions)
    )
    gone = col(DeletedMessageRow.message_id) == col(DocumentRow.message_id)
    its_session = its_session.where(
        ~sa.select(sa.literal(1)).select_from(DeletedMessageRow).where(gone).exists()
    )
    if wanted.origin is not None:
        message = col(MessageRow.id) == col(DocumentRow.message_id)
        its_session = its_session.join(MessageRow, message)
        its_session = its_session.where(col(MessageRow.origin) == wanted.origin.value)
    newest = (
        sa.select(number, sa.literal(rank).label("rank"))
        .where(matches(terms, field, dialect), its_session.correlate(SEARCH_WORDS).exists())
        .order_by(number.desc())
        .limit(MOST_HITS)
        .subquery()
    )
    # A limit within a union must stand in a query of its own.
    return sa.select(newest)


def _pieces(db: Session, document_ids: Sequence[int]) -> Mapping[int | None, tuple[str, str]]:
    """The message and the text of each piece, by the document's number."""
    start = col(DocumentRow.span_start)
    text = func.substr(col(MessageRow.text), start + 1, CHUNK_SIZE_CHARS)
    found = db.exec(
        select(DocumentRow.id, MessageRow.id, text)
        .join(MessageRow, col(MessageRow.id) == col(DocumentRow.message_id))
        .where(col(DocumentRow.id).in_(document_ids))
    )
    return {number: (message_id, piece) for number, message_id, piece in found}


def _of_origin(wanted: SearchFilter) -> Sequence[ColumnElement[bool]]:
    return (is_of_origin(wanted.origin),) if wanted.origin else ()


def _asks_the_impossible(wanted: SearchFilter) -> bool:
    """Whether a filter names what cannot be stored, and so is nowhere."""
    named = (wanted.code, wanted.verdict, wanted.contract, wanted.model, wanted.tag)
    return any(problem_of(name) for name in named if name is not None)

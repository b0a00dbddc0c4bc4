"""Search an owner's sessions by words and filters."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import ColumnElement, SQLColumnExpression
from sqlmodel import Session, col, func, select

from workbench.chat.finding import Span
from workbench.records.facts import FactKind
from workbench.records.session_tree import NO_FILTER, FoundSession, SearchFilter, Snippet
from workbench.records.sessions import MessageOrigin, SessionSource
from workbench.store.deleting import is_of_shown_project
from workbench.store.owner_scope import OwnerScope
from workbench.store.sessions.search_terms import (
    CHUNK_SIZE_CHARS,
    SEARCH_WORDS,
    Field,
    SearchPhrase,
    matches,
    places_of,
    terms_of,
)
from workbench.store.sessions.session_list import list_rows
from workbench.store.storable import problem_of
from workbench.store.tables import (
    DeletedMessageRow,
    DocumentRow,
    FactRow,
    GenerationRow,
    ImportRow,
    LabelRow,
    LabelTagRow,
    MessageRow,
    RecordedSessionRow,
    SessionRow,
    SessionTagRow,
)
from workbench.store.tables.base import StoreTable

HASH_PREFIX_CHARS: Final = 6
"""A filter text with at least this many characters may also be the start of a contract's hash."""


def conditions_of(chosen: SearchFilter) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions on `SessionRow` that the filter stands for, except for the origin. All must be true."""
    if chosen.has_fix is not None:
        yield _has_fact(FactKind.FIX, is_present=chosen.has_fix)
    if chosen.has_drop is not None:
        yield _has_fact(FactKind.DROP, is_present=chosen.has_drop)
    if chosen.code is not None:
        yield _has(FactRow, col(FactRow.session_id), col(FactRow.code) == chosen.code)
    if chosen.verdict is not None:
        is_verdict = sa.and_(
            col(LabelRow.verdict) == chosen.verdict, is_of_shown_project(col(LabelRow.project_id))
        )
        yield _has(LabelRow, col(LabelRow.session_id), is_verdict)
    if chosen.contract is not None:
        yield _is_of_contract(chosen.contract)
    if chosen.model is not None:
        is_model = col(GenerationRow.engine_name) == chosen.model
        yield _has(GenerationRow, col(GenerationRow.session_id), is_model)
    if chosen.tag is not None:
        yield _is_tagged(chosen.tag)
    if chosen.source is not None:
        yield _is_from(chosen.source)
    if chosen.since is not None:
        yield col(SessionRow.updated_at) >= chosen.since
    if chosen.until is not None:
        yield col(SessionRow.updated_at) < chosen.until


def is_of_origin(origin: MessageOrigin) -> ColumnElement[bool]:
    """Return a condition that is true for sessions with a message of this origin."""
    return _has(MessageRow, col(MessageRow.session_id), col(MessageRow.origin) == origin.value)


def _is_from(source: SessionSource) -> ColumnElement[bool]:
    imported = _has(ImportRow, col(ImportRow.session_id), sa.true())
    recorded = _has(RecordedSessionRow, col(RecordedSessionRow.session_id), sa.true())
    if source is SessionSource.IMPORT:
        return imported
    return recorded if source is SessionSource.GATEWAY else sa.not_(sa.or_(imported, recorded))


def _has_fact(kind: FactKind, *, is_present: bool) -> ColumnElement[bool]:
    has_fact = _has(FactRow, col(FactRow.session_id), col(FactRow.kind) == kind.value)
    return has_fact if is_present else sa.not_(has_fact)


def _is_of_contract(contract: str) -> ColumnElement[bool]:
    setup = sa.type_coerce(col(SessionRow.setup), sa.JSON)
    is_named = setup["contract_name"].as_string() == contract
    if len(contract) < HASH_PREFIX_CHARS:
        return is_named
    return sa.or_(is_named, col(SessionRow.contract_version).startswith(contract, autoescape=True))


def _is_tagged(tag: str) -> ColumnElement[bool]:
    """Return a condition that is true for sessions with this tag, or with a label that has it."""
    labelled = (
        sa.select(sa.literal(1))
        .select_from(LabelRow)
        .join(LabelTagRow, col(LabelTagRow.label_id) == col(LabelRow.id))
        .where(
            col(LabelRow.session_id) == col(SessionRow.id),
            col(LabelTagRow.tag) == tag,
            is_of_shown_project(col(LabelRow.project_id)),
        )
        .correlate(SessionRow)
        .exists()
    )
    tagged = _has(SessionTagRow, col(SessionTagRow.session_id), col(SessionTagRow.tag) == tag)
    return sa.or_(tagged, labelled)


def _has(
    table: type[StoreTable],
    session_id: SQLColumnExpression[str],
    condition: ColumnElement[bool],
) -> ColumnElement[bool]:
    return (
        sa.select(sa.literal(1))
        .select_from(table)
        .where(session_id == col(SessionRow.id), condition)
        .correlate(SessionRow)
        .exists()
    )


BEFORE_CHARS: Final = 20
"""How many characters a snippet shows before the first match."""

SIZE_CHARS: Final = 160
"""The length of a snippet."""


def snippet_of(text: str, terms: Sequence[SearchPhrase]) -> Snippet:
    """Return the part of the text around the first match, or its beginning if there is no match.

    >>> from workbench.store.sessions.search_terms import terms_of
    >>> snippet_of("It is warm\\nin Cairo.", terms_of("cai"))
    Snippet(text='It is warm in Cairo.', spans=(Span(start=14, end=19),))
    """
    places = list(places_of(terms, text))
    start = max(0, places[0][0] - BEFORE_CHARS) if places else 0
    end = min(len(text), start + SIZE_CHARS)
    head = "…" if start else ""
    # Each character is replaced by one character, so the positions stay valid.
    line = "".join(char if char.isprintable() else " " for char in text[start:end])
    shift = len(head) - start
    spans = tuple(
        Span(first, last).shifted(shift) for first, last in places if start <= first and last <= end
    )
    return Snippet(text=f"{head}{line}{'…' if end < len(text) else ''}", spans=spans)


MOST_HITS: Final = 1000
"""How many of the newest matching documents of each field are considered. A very common word matches far more."""


class _Hit(NamedTuple):
    """A session that matches."""

    session_id: str
    document_id: int | None
    """The newest matching piece of a message. None if only the title or tags match."""


class SearchStore(OwnerScope):
    """Searches one owner's sessions."""

    def find(
        self,
        query: str,
        chosen: SearchFilter = NO_FILTER,
        *,
        limit: int = 50,
        offset: int = 0,
        all_owners: bool = False,
    ) -> Sequence[FoundSession]:
        """Find sessions with all words of the query in one message, or in the title and tags.

        Sessions whose title or tags match come first, then those with matching messages. Within each group
        the most recently used session comes first.

        Args:
            query: The words. Empty finds all sessions that match the filter.
            chosen: The filter.
            all_owners: True also searches the sessions of other owners, if this owner may read them.

        Raises:
            StoreError: The sessions could not be read.
        """
        terms = terms_of(query)
        if (query.strip() and not terms) or _names_unstorable_text(chosen):
            return ()
        allowed = self._is_readable() if all_owners else self._is_own()
        conditions = (col(SessionRow.deleted_at).is_(None), allowed, *conditions_of(chosen))
        with self._database.reading() as db:
            if not terms:
                return self._all(db, (*conditions, *_of_origin(chosen)), limit, offset)
            hits = _hits(db, terms, chosen, conditions, limit, offset)
            return self._results(db, hits, terms) if hits else ()

    def _all(
        self, db: Session, conditions: Sequence[ColumnElement[bool]], limit: int, offset: int
    ) -> Sequence[FoundSession]:
        page = list_rows(db, self._owner, *conditions, is_deleted=False, limit=limit, offset=offset)
        return tuple(FoundSession(session=session, message_id=None, snippet=None) for session in page)

    def _results(
        self, db: Session, hits: Sequence[_Hit], terms: Sequence[SearchPhrase]
    ) -> Sequence[FoundSession]:
        is_hit = col(SessionRow.id).in_([hit.session_id for hit in hits])
        page = list_rows(db, self._owner, is_hit, is_deleted=False, limit=len(hits), offset=0)
        sessions = {session.id: session for session in page}
        pieces = _pieces(db, [hit.document_id for hit in hits if hit.document_id is not None])
        found: list[FoundSession] = []
        for hit in hits:
            # `list_rows` leaves out rollouts of suites.
            if hit.session_id in sessions:
                message_id, text = pieces.get(hit.document_id, (None, ""))
                snippet = snippet_of(text, terms) if message_id else None
                session = sessions[hit.session_id]
                found.append(FoundSession(session=session, message_id=message_id, snippet=snippet))
        return tuple(found)


def _hits(
    db: Session,
    terms: Sequence[SearchPhrase],
    chosen: SearchFilter,
    conditions: Sequence[ColumnElement[bool]],
    limit: int,
    offset: int,
) -> Sequence[_Hit]:
    """Return a page of the matching sessions, best match first."""
    dialect = db.get_bind().dialect.name
    both = sa.union_all(
        _matches_in(terms, Field.NAMED, 0, chosen, conditions, dialect),
        _matches_in(terms, Field.TEXT, 1, chosen, conditions, dialect),
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


def _matches_in(
    terms: Sequence[SearchPhrase],
    field: Field,
    rank: int,
    chosen: SearchFilter,
    conditions: Sequence[ColumnElement[bool]],
    dialect: str,
) -> sa.Select[Any]:
    """Select the newest documents whose field matches, with their rank.

    All other conditions are in `EXISTS`, so that the database looks up the words first and stops at the limit.
    """
    number = SEARCH_WORDS.c.rowid
    matching_session = (
        sa.select(sa.literal(1))
        .select_from(DocumentRow)
        .join(SessionRow, col(SessionRow.id) == col(DocumentRow.session_id))
        .where(col(DocumentRow.id) == number, *conditions)
    )
    is_deleted = col(DeletedMessageRow.message_id) == col(DocumentRow.message_id)
    matching_session = matching_session.where(
        ~sa.select(sa.literal(1)).select_from(DeletedMessageRow).where(is_deleted).exists()
    )
    if chosen.origin is not None:
        message = col(MessageRow.id) == col(DocumentRow.message_id)
        matching_session = matching_session.join(MessageRow, message)
        matching_session = matching_session.where(col(MessageRow.origin) == chosen.origin.value)
    newest = (
        sa.select(number, sa.literal(rank).label("rank"))
        .where(matches(terms, field, dialect), matching_session.correlate(SEARCH_WORDS).exists())
        .order_by(number.desc())
        .limit(MOST_HITS)
        .subquery()
    )
    # SQL allows a limit within a union only in a subquery.
    return sa.select(newest)


def _pieces(db: Session, document_ids: Sequence[int]) -> Mapping[int | None, tuple[str, str]]:
    """Return the message id and the text of each piece, by the document's number."""
    start = col(DocumentRow.span_start)
    text = func.substr(col(MessageRow.text), start + 1, CHUNK_SIZE_CHARS)
    found = db.exec(
        select(DocumentRow.id, MessageRow.id, text)
        .join(MessageRow, col(MessageRow.id) == col(DocumentRow.message_id))
        .where(col(DocumentRow.id).in_(document_ids))
    )
    return {number: (message_id, piece) for number, message_id, piece in found}


def _of_origin(chosen: SearchFilter) -> Sequence[ColumnElement[bool]]:
    return (is_of_origin(chosen.origin),) if chosen.origin else ()


def _names_unstorable_text(chosen: SearchFilter) -> bool:
    """Whether the filter contains a text that cannot be stored, so that no session can match."""
    texts = (chosen.code, chosen.verdict, chosen.contract, chosen.model, chosen.tag)
    return any(problem_of(text) for text in texts if text is not None)

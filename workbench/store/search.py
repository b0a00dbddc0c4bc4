"""Search one owner's sessions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import ColumnElement, SQLColumnExpression
from sqlmodel import Session, col, func, select

from workbench.chat.finding import Span
from workbench.records.facts import FactKind
from workbench.records.session_tree import NO_FILTER, FoundSession, SearchFilter, Snippet
from workbench.records.sessions import MessageOrigin
from workbench.store.owner_scope import OwnerScope
from workbench.store.search_terms import (
    CHUNK_SIZE_CHARS,
    SEARCH_WORDS,
    Field,
    SearchPhrase,
    matches,
    places_of,
    terms_of,
)
from workbench.store.sessions import list_rows
from workbench.store.storable import problem_of
from workbench.store.tables import (
    DeletedMessageRow,
    DocumentRow,
    FactRow,
    GenerationRow,
    LabelRow,
    LabelTagRow,
    MessageRow,
    SessionRow,
    SessionTagRow,
)

HASH_PREFIX_CHARS: Final = 6
"""A shorter beginning of a hash could be a name."""


def conditions_of(wanted: SearchFilter) -> Iterator[ColumnElement[bool]]:
    """Conditions on `SessionRow`; all must hold. Where a message comes from is not among them."""
    if wanted.has_fix is not None:
        yield _has_fact(FactKind.FIX, is_wanted=wanted.has_fix)
    if wanted.has_drop is not None:
        yield _has_fact(FactKind.DROP, is_wanted=wanted.has_drop)
    if wanted.code is not None:
        yield _has(FactRow, col(FactRow.session_id), col(FactRow.code) == wanted.code)
    if wanted.verdict is not None:
        yield _has(LabelRow, col(LabelRow.session_id), col(LabelRow.verdict) == wanted.verdict)
    if wanted.contract is not None:
        yield _is_of_contract(wanted.contract)
    if wanted.model is not None:
        is_model = col(GenerationRow.engine_name) == wanted.model
        yield _has(GenerationRow, col(GenerationRow.session_id), is_model)
    if wanted.tag is not None:
        yield _is_tagged(wanted.tag)
    if wanted.since is not None:
        yield col(SessionRow.updated_at) >= wanted.since
    if wanted.until is not None:
        yield col(SessionRow.updated_at) < wanted.until


def is_of_origin(origin: MessageOrigin) -> ColumnElement[bool]:
    """True of sessions with a message that comes from there."""
    return _has(MessageRow, col(MessageRow.session_id), col(MessageRow.origin) == origin.value)


def _has_fact(kind: FactKind, *, is_wanted: bool) -> ColumnElement[bool]:
    has_one = _has(FactRow, col(FactRow.session_id), col(FactRow.kind) == kind.value)
    return has_one if is_wanted else sa.not_(has_one)


def _is_of_contract(contract: str) -> ColumnElement[bool]:
    setup = sa.type_coerce(col(SessionRow.setup), sa.JSON)
    is_named = setup["contract_name"].as_string() == contract
    if len(contract) < HASH_PREFIX_CHARS:
        return is_named
    return sa.or_(is_named, col(SessionRow.contract_version).startswith(contract, autoescape=True))


def _is_tagged(tag: str) -> ColumnElement[bool]:
    """By a tag of its own, or one of its labels'."""
    labelled = (
        sa.select(sa.literal(1))
        .select_from(LabelRow)
        .join(LabelTagRow, col(LabelTagRow.label_id) == col(LabelRow.id))
        .where(col(LabelRow.session_id) == col(SessionRow.id), col(LabelTagRow.tag) == tag)
        .correlate(SessionRow)
        .exists()
    )
    its_own = _has(SessionTagRow, col(SessionTagRow.session_id), col(SessionTagRow.tag) == tag)
    return sa.or_(its_own, labelled)


def _has(
    table: type[LabelRow] | type[FactRow] | type[GenerationRow] | type[SessionTagRow] | type[MessageRow],
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
"""What is shown before the first word."""

SIZE_CHARS: Final = 160
"""What is shown at all."""


def snippet_of(text: str, terms: Sequence[SearchPhrase]) -> Snippet:
    """The text around the first word, or its beginning where no word stands in it.

    >>> from workbench.store.search_terms import terms_of
    >>> snippet_of("It is warm\\nin Cairo.", terms_of("cai"))
    Snippet(text='It is warm in Cairo.', spans=(Span(start=14, end=19),))
    """
    places = list(places_of(terms, text))
    start = max(0, places[0][0] - BEFORE_CHARS) if places else 0
    end = min(len(text), start + SIZE_CHARS)
    head = "…" if start else ""
    # One sign for one sign: the places hold.
    line = "".join(sign if sign.isprintable() else " " for sign in text[start:end])
    shift = len(head) - start
    spans = tuple(
        Span(first, last).shifted(shift) for first, last in places if start <= first and last <= end
    )
    return Snippet(text=f"{head}{line}{'…' if end < len(text) else ''}", spans=spans)


MOST_HITS: Final = 1000
"""Documents of one kind that are looked at, the newest ones: a word that stands everywhere ranks nothing."""


class _Hit(NamedTuple):
    """A session that has the words."""

    session_id: str
    document_id: int | None
    """Newest piece of a message with the words; None where only its title or tags have them."""


class SearchStore(OwnerScope):
    """Finds one owner's sessions."""

    def find(
        self,
        query: str,
        wanted: SearchFilter = NO_FILTER,
        *,
        limit: int = 50,
        offset: int = 0,
        all_owners: bool = False,
    ) -> Sequence[FoundSession]:
        """Sessions with all words of the query in one message, or in title and tags.

        Raises:
            StoreError: They could not be read.
        """
        terms = terms_of(query)
        if (query.strip() and not terms) or _asks_the_impossible(wanted):
            return ()
        allowed = self._is_seen() if all_owners else self._is_own()
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

    def _found(
        self, db: Session, hits: Sequence[_Hit], terms: Sequence[SearchPhrase]
    ) -> Sequence[FoundSession]:
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
    terms: Sequence[SearchPhrase],
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
    terms: Sequence[SearchPhrase],
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

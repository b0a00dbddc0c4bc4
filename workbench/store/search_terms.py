"""Split texts and queries into search words, the same way for every database.

Case and accents do not count; an ideograph or a pictograph is a word of its own; all other signs part
words. So `get_weather` is two words that follow each other, and no sign of a query can be taken for syntax.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import ColumnElement
from sqlalchemy.dialects.postgresql import TSQUERY, TSVECTOR
from sqlalchemy.engine import Connection

WORD_SIZE_CHARS: Final = 64
"""A longer word is known by its beginning."""

CHUNK_SIZE_CHARS: Final = 20_000
"""A longer text is searched in pieces: PostgreSQL counts no more than 16,383 places."""

CHUNK_OVERLAP_CHARS: Final = 400
"""What two pieces share, so that words that follow each other are found where the text was cut."""

_IDEOGRAPHS: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_PICTOGRAPHS: Final = "\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\U0001f000-\U0001faff"
_ACCENTS: Final = "\u0300-\u036f"
_WORD: Final = re.compile(
    f"(?P<single>[{_IDEOGRAPHS}])|(?P<picture>[{_PICTOGRAPHS}])|(?:(?![{_IDEOGRAPHS}])[^\\W_]|[{_ACCENTS}])+"
)


class SearchWord(NamedTuple):
    """One word of a text."""

    folded: str
    """As it is compared: letters and digits only, never empty."""
    start: int
    end: int


class SearchPhrase(NamedTuple):
    """Words of a query that must follow each other."""

    words: tuple[str, ...]
    """Folded; at least one."""
    is_prefix: bool
    """Whether the last one may go on."""


def words_of(text: str) -> Iterator[SearchWord]:
    """The words of a text in order.

    >>> [word.folded for word in words_of("Où est get_weather? 🦉")]
    ['ou', 'est', 'get', 'weather', 'u1f989']
    """
    for match in _WORD.finditer(text):
        folded = f"u{ord(match.group()):x}" if match["picture"] else fold(match.group())
        if folded:
            yield SearchWord(folded, match.start(), match.end())


def fold(word: str) -> str:
    """A word without case and accents, cut where it is long; letters and digits only.

    >>> fold("STRAẞE"), fold("cafe\\u0301"), fold("ﬁn")
    ('strasse', 'cafe', 'fin')
    """
    if word.isascii():
        return word.lower()[:WORD_SIZE_CHARS]
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in decomposed if sign.isalnum())[:WORD_SIZE_CHARS]


def terms_of(query: str) -> list[SearchPhrase]:
    """What all must be found; empty where the query has no word.

    Between quotes words follow each other just so. The last word may still be typed: it may go on, and
    so may one with a star behind it.

    >>> terms_of('"New York" get_wea')
    [SearchPhrase(words=('new', 'york'), is_prefix=False), SearchPhrase(words=('get', 'wea'), is_prefix=True)]
    >>> terms_of('"* - ( )')
    []
    """
    terms: list[SearchPhrase] = []
    for number, part in enumerate(query.split('"')):
        pieces = [part] if number % 2 else part.split()
        for piece in pieces:
            words = tuple(word.folded for word in words_of(piece))
            if words:
                terms.append(SearchPhrase(words, is_prefix=not number % 2 and piece.endswith("*")))
    if terms and not query.endswith(('"', " ")):
        terms[-1] = terms[-1]._replace(is_prefix=True)
    return terms


def chunks_of(text: str) -> Iterator[int]:
    """Where the pieces of a text begin; each is `CHUNK_SIZE_CHARS` long or goes to the end."""
    start = 0
    yield start
    while start + CHUNK_SIZE_CHARS < len(text):
        start += CHUNK_SIZE_CHARS - CHUNK_OVERLAP_CHARS
        yield start


def places_of(terms: Sequence[SearchPhrase], text: str) -> Iterator[tuple[int, int]]:
    """Where in a text the words of the terms stand, in order, without overlap."""
    words = list(words_of(text))
    marked: set[int] = set()
    for term in terms:
        size = len(term.words)
        for index in range(len(words) - size + 1):
            if _stands_at(term, words, index):
                marked.update(range(index, index + size))
    for index in sorted(marked):
        yield words[index].start, words[index].end


def _stands_at(term: SearchPhrase, words: Sequence[SearchWord], index: int) -> bool:
    *firsts, last = term.words
    if any(words[index + place].folded != first for place, first in enumerate(firsts)):
        return False
    found = words[index + len(firsts)].folded
    return found.startswith(last) if term.is_prefix else found == last


SEARCH_WORDS: Final = sa.table(
    "search_words", sa.column("rowid", sa.BigInteger), sa.column("named", sa.Text), sa.column("text", sa.Text)
)
"""A row a document, under its number; made by the first migration."""

_CREATE_SQLITE: Final = (
    # `ascii` parts words at blanks only, for there is nothing else between ours.
    "CREATE VIRTUAL TABLE search_words USING fts5(named, text, tokenize = 'ascii', prefix = '1 2 3')",
    "CREATE TRIGGER search_document_deleted AFTER DELETE ON search_document "
    "BEGIN DELETE FROM search_words WHERE rowid = OLD.id; END",
)
_CREATE_POSTGRES: Final = (
    "CREATE TABLE search_words (rowid integer PRIMARY KEY "
    "REFERENCES search_document (id) ON DELETE CASCADE, named tsvector NOT NULL, text tsvector NOT NULL)",
    "CREATE INDEX ix_search_words_named ON search_words USING gin (named)",
    "CREATE INDEX ix_search_words_text ON search_words USING gin (text)",
)


class Field(StrEnum):
    """What is looked into."""

    NAMED = "named"
    TEXT = "text"


def create_search_words(connection: Connection) -> None:
    """Makes the table, and sees to it that words go with their document."""
    is_postgres = connection.dialect.name == "postgresql"
    for statement in _CREATE_POSTGRES if is_postgres else _CREATE_SQLITE:
        connection.exec_driver_sql(statement)


def insert_words(
    connection: Connection, documents: Sequence[tuple[int, Iterable[str], Iterable[str]]]
) -> None:
    """Writes the words of documents: number, words of the names, words of the text."""
    if not documents:
        return
    is_postgres = connection.dialect.name == "postgresql"
    write = _as_tsvector if is_postgres else " ".join
    kind = TSVECTOR() if is_postgres else sa.Text()
    row = {name: sa.cast(sa.bindparam(name), kind) for name in ("named", "text")}
    rows = [
        {"rowid": number, "named": write(named), "text": write([*named, *text])}
        for number, names, text in documents
        for named in [list(names)]
    ]
    connection.execute(
        sa.insert(SEARCH_WORDS).values(rowid=sa.bindparam("rowid", type_=sa.BigInteger()), **row), rows
    )


def matches(terms: Sequence[SearchPhrase], field: Field, dialect: str) -> ColumnElement[bool]:
    """True of the rows in whose field all terms stand.

    Args:
        terms: At least one.
        field: What is looked into.
        dialect: SQLAlchemy's name of the database's kind.
    """
    column = SEARCH_WORDS.c[field.value]
    if dialect == "postgresql":
        query = " & ".join(f"({_postgres_term(term)})" for term in terms)
        return column.op("@@", is_comparison=True)(sa.cast(query, TSQUERY))
    return column.op("MATCH", is_comparison=True)(" AND ".join(f"({_sqlite_term(term)})" for term in terms))


def _as_tsvector(words: Iterable[str]) -> str:
    # A word is letters and digits only: nothing in it needs to be escaped.
    return " ".join(f"'{word}':{place}" for place, word in enumerate(words, start=1))


def _sqlite_term(term: SearchPhrase) -> str:
    return " + ".join(f'"{word}"' for word in term.words) + (" *" if term.is_prefix else "")


def _postgres_term(term: SearchPhrase) -> str:
    return " <-> ".join(f"'{word}'" for word in term.words) + (":*" if term.is_prefix else "")

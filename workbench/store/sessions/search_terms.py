"""Split texts and queries into search words, the same way for every database.

Case and accents are ignored. Each ideograph and each pictograph is a word. All other characters that are not
letters or digits separate words. So `get_weather` is two consecutive words, and no character of a query can be
taken for query syntax.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy import ColumnElement
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.engine import Connection

WORD_SIZE_CHARS: Final = 64
"""Longer words are cut to this length."""

CHUNK_SIZE_CHARS: Final = 20_000
"""Longer texts are indexed in pieces, because PostgreSQL indexes at most 16,383 positions."""

CHUNK_OVERLAP_CHARS: Final = 400
"""How much two consecutive pieces overlap, so that phrases are found where the text was cut."""

_IDEOGRAPHS: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_PICTOGRAPHS: Final = "\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\U0001f000-\U0001faff"
_ACCENTS: Final = "\u0300-\u036f"
_AS_WORDS: Final = "".join(char if char.isalnum() else " " for char in map(chr, range(128))).lower()
"""Each ASCII character as `str.translate` takes it: in lower case, and a space if it separates words."""
_TYPOGRAPHY: Final = re.compile("[\u2010-\u2026]")
"""Dashes, quotation marks and the ellipsis, which separate words in texts that are ASCII otherwise."""
_WORD: Final = re.compile(
    f"(?P<single>[{_IDEOGRAPHS}])|(?P<picture>[{_PICTOGRAPHS}])|(?:(?![{_IDEOGRAPHS}])[^\\W_]|[{_ACCENTS}])+"
)


class SearchWord(NamedTuple):
    """One word of an indexed text or a query, with its span in code points."""

    folded: str
    """The form that is compared: letters and digits only, never empty."""
    start: int
    end: int


class SearchPhrase(NamedTuple):
    """Words of a query that must be consecutive."""

    words: tuple[str, ...]
    """Folded words, at least one."""
    is_prefix: bool
    """Whether the last word is only the beginning of a word."""


def words_of(text: str) -> Iterator[SearchWord]:
    """Yield the words of a text from start to end.

    >>> [word.folded for word in words_of("Où est get_weather? 🦉")]
    ['ou', 'est', 'get', 'weather', 'u1f989']
    """
    for match in _WORD.finditer(text):
        folded = f"u{ord(match.group()):x}" if match["picture"] else fold(match.group())
        if folded:
            yield SearchWord(folded, match.start(), match.end())


def folded_words(text: str) -> list[str]:
    """Return the words of a text in the form that is compared, like `words_of` but faster for ASCII.

    >>> folded_words("Is get_weather OK…")
    ['is', 'get', 'weather', 'ok']
    """
    if not text.isascii():
        text = _TYPOGRAPHY.sub(" ", text)
    if text.isascii():
        words = text.translate(_AS_WORDS).split(" ")
        return [word[:WORD_SIZE_CHARS] for word in words if word]
    return [word.folded for word in words_of(text)]


def fold(word: str) -> str:
    """Return a word without case and accents, cut if it is long. It has letters and digits only.

    >>> fold("STRAẞE"), fold("cafe\\u0301"), fold("ﬁn")
    ('strasse', 'cafe', 'fin')
    """
    if word.isascii():
        return word.lower()[:WORD_SIZE_CHARS]
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in decomposed if char.isalnum())[:WORD_SIZE_CHARS]


def terms_of(query: str) -> list[SearchPhrase]:
    """Split a query into the phrases that must all be found. Empty if the query has no words.

    Words between quotes must be consecutive. A word with a star after it is the beginning of a word. So is the
    last word of the query, because it may not be complete yet.

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
    """Yield where the pieces of a text begin. Each piece has `CHUNK_SIZE_CHARS` characters; the last may have fewer."""
    start = 0
    yield start
    while start + CHUNK_SIZE_CHARS < len(text):
        start += CHUNK_SIZE_CHARS - CHUNK_OVERLAP_CHARS
        yield start


def places_of(terms: Sequence[SearchPhrase], text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each word of the text that belongs to a match, from start to end of the text."""
    words = list(words_of(text))
    marked: set[int] = set()
    for term in terms:
        size = len(term.words)
        for index in range(len(words) - size + 1):
            if _matches_at(term, words, index):
                marked.update(range(index, index + size))
    for index in sorted(marked):
        yield words[index].start, words[index].end


def _matches_at(term: SearchPhrase, words: Sequence[SearchWord], index: int) -> bool:
    *firsts, last = term.words
    if any(words[index + place].folded != first for place, first in enumerate(firsts)):
        return False
    word = words[index + len(firsts)].folded
    return word.startswith(last) if term.is_prefix else word == last


SEARCH_WORDS: Final = sa.table(
    "search_words", sa.column("rowid", sa.BigInteger), sa.column("named", sa.Text), sa.column("text", sa.Text)
)
"""The words of each document, under the document's number. The first migration creates the table."""

_CREATE_SQLITE: Final = (
    # `ascii` separates words at spaces. Our words have no other separators.
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
    """The field of a document that is searched."""

    NAMED = "named"
    TEXT = "text"


def create_search_words(connection: Connection) -> None:
    """Create the table, and make the database delete words together with their document."""
    is_postgres = connection.dialect.name == "postgresql"
    for statement in _CREATE_POSTGRES if is_postgres else _CREATE_SQLITE:
        connection.exec_driver_sql(statement)


def insert_words(
    connection: Connection, documents: Sequence[tuple[int, Sequence[str], Sequence[str]]]
) -> None:
    """Write the words of documents.

    Args:
        documents: For each document: its number, the words of its names, the words of its text.
    """
    if not documents:
        return
    is_postgres = connection.dialect.name == "postgresql"
    write = _as_tsvector if is_postgres else " ".join
    values = "%s, CAST(%s AS tsvector), CAST(%s AS tsvector)" if is_postgres else "?, ?, ?"
    connection.exec_driver_sql(
        f"INSERT INTO search_words (rowid, named, text) VALUES ({values})",
        [(number, write(names), write([*names, *text])) for number, names, text in documents],
    )


def matches(terms: Sequence[SearchPhrase], field: Field, dialect: str) -> ColumnElement[bool]:
    """Return a condition that is true for rows whose field contains all phrases.

    Args:
        terms: At least one phrase.
        field: The field to search. `TEXT` includes the words of `NAMED`.
        dialect: SQLAlchemy's name of the database's dialect.
    """
    column = SEARCH_WORDS.c[field.value]
    if dialect == "postgresql":
        query = " & ".join(f"({_postgres_term(term)})" for term in terms)
        return column.op("@@", is_comparison=True)(sa.cast(query, TSQUERY))
    return column.op("MATCH", is_comparison=True)(" AND ".join(f"({_sqlite_term(term)})" for term in terms))


def _as_tsvector(words: Iterable[str]) -> str:
    # Words have letters and digits only, so nothing needs escaping.
    return " ".join(f"'{word}':{place}" for place, word in enumerate(words, start=1))


def _sqlite_term(term: SearchPhrase) -> str:
    return " + ".join(f'"{word}"' for word in term.words) + (" *" if term.is_prefix else "")


def _postgres_term(term: SearchPhrase) -> str:
    return " <-> ".join(f"'{word}'" for word in term.words) + (":*" if term.is_prefix else "")

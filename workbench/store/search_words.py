"""The words of the documents, as SQLite and PostgreSQL keep and match them.

`named` holds what titles, tags, tools' names and codes say; `text` holds these and the message.
Words are folded and parted by us, so that both databases find the same.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

import sqlalchemy as sa
from sqlalchemy import ColumnElement
from sqlalchemy.dialects.postgresql import TSQUERY, TSVECTOR
from sqlalchemy.engine import Connection

from workbench.store.words import Term

SEARCH_WORDS: Final = sa.table(
    "search_words", sa.column("rowid", sa.BigInteger), sa.column("named", sa.Text), sa.column("text", sa.Text)
)
"""A row a document, under its number; made by revision 0005."""

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


def matches(terms: Sequence[Term], field: Field, dialect: str) -> ColumnElement[bool]:
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


def _sqlite_term(term: Term) -> str:
    return " + ".join(f'"{word}"' for word in term.words) + (" *" if term.is_prefix else "")


def _postgres_term(term: Term) -> str:
    return " <-> ".join(f"'{word}'" for word in term.words) + (":*" if term.is_prefix else "")

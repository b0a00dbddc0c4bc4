"""Facts as rows, and full-text search; what is there is read and indexed.

A later revision that rebuilds `search_document` on SQLite must make its trigger anew.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

import sqlalchemy as sa
from alembic import op

from workbench.store.fact_rows import fact_row
from workbench.store.search_index import document_words, noted_of
from workbench.store.search_terms import chunks_of, create_search_words, insert_words

revision = "0005"
down_revision = "0004"

PAGE: Final = 500
"""Rows that are read at once."""

FACT: Final = sa.table(
    "fact",
    *(
        sa.column(name, sa.Text())
        for name in ("session_id", "message_id", "kind", "code", "severity", "note")
    ),
    sa.column("is_guess", sa.Boolean()),
    sa.column("span_start", sa.Integer()),
    sa.column("span_end", sa.Integer()),
    sa.column("edits", sa.JSON()),
)
DOCUMENT: Final = sa.Table(
    "search_document",
    sa.MetaData(),
    sa.Column("id", sa.Integer(), primary_key=True),
    sa.Column("session_id", sa.Text()),
    sa.Column("message_id", sa.Text()),
    sa.Column("span_start", sa.Integer()),
)


def upgrade() -> None:
    """Forward; there is no way back but the backup."""
    _create_fact()
    _create_document()
    create_search_words(op.get_bind())
    connection = op.get_bind()
    for page in _pages(connection, "SELECT id FROM session ORDER BY updated_at, id"):
        _index_sessions(connection, page)
    for page in _pages(connection, "SELECT id FROM message ORDER BY created_at, position, id"):
        _index_messages(connection, page)


def _create_fact() -> None:
    op.create_table(
        "fact",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=True),
        sa.Column("is_guess", sa.Boolean(), nullable=False),
        sa.Column("span_start", sa.Integer(), nullable=True),
        sa.Column("span_end", sa.Integer(), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("edits", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_fact"),
        sa.ForeignKeyConstraint(
            ["session_id", "message_id"],
            ["message.session_id", "message.id"],
            name="fk_fact_session_id_message_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_fact_session_id_kind_code", "fact", ["session_id", "kind", "code"])
    op.create_index("ix_fact_message_id", "fact", ["message_id"])
    op.create_index("ix_fact_code", "fact", ["code"])


def _create_document() -> None:
    op.create_table(
        "search_document",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("span_start", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_search_document"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_search_document_session_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["session_id", "message_id"],
            ["message.session_id", "message.id"],
            name="fk_search_document_session_id_message_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_search_document_message_id", "search_document", ["message_id"])
    op.create_index(
        "ix_search_document_session_id_message_id", "search_document", ["session_id", "message_id"]
    )


def _pages(connection: sa.Connection, query: str) -> Iterator[Sequence[str]]:
    """The ids in order, some at a time."""
    ids = connection.execute(sa.text(query)).scalars().all()
    for start in range(0, len(ids), PAGE):
        yield ids[start : start + PAGE]


def _index_sessions(connection: sa.Connection, page: Sequence[str]) -> None:
    titles = _rows(connection, "SELECT id, title FROM session WHERE id IN :ids", page)
    tags = _rows(
        connection, "SELECT session_id, tag FROM session_tag WHERE session_id IN :ids ORDER BY position", page
    )
    names = {row["id"]: [row["title"]] for row in titles}
    for row in tags:
        names[row["session_id"]].append(row["tag"])
    _write(connection, [(session_id, None, 0, names[session_id], "") for session_id in page])


def _index_messages(connection: sa.Connection, page: Sequence[str]) -> None:
    found = _rows(
        connection,
        "SELECT message.id, message.session_id, role, text, name, CAST(calls AS TEXT) AS calls, copy_of, "
        "CAST(setup AS TEXT) AS setup, coalesce(finish_reason, 'stop') AS finish_reason FROM message "
        "JOIN session ON session.id = message.session_id "
        "LEFT JOIN generation ON generation.id = generation_id "
        "WHERE message.id IN :ids AND role <> 'system' AND copy_of IS NULL",
        page,
    )
    by_id = {row["id"]: row for row in found}
    documents: list[tuple[str, str | None, int, list[str], str]] = []
    facts: list[dict[str, Any]] = []
    for row in (by_id[message_id] for message_id in page if message_id in by_id):
        noted = noted_of(row["role"], row["text"], _document(row["setup"]), row["finish_reason"])
        place = {"session_id": row["session_id"], "message_id": row["id"]}
        # Only what the table has at this revision.
        facts += (fact_row(fact, **place).model_dump(include={*FACT.c.keys()}) for fact in noted.facts)
        names = [*noted.names, *_call_names(row["calls"]), row["name"] or ""]
        documents += ((row["session_id"], row["id"], at, names, row["text"]) for at in chunks_of(row["text"]))
    if facts:
        connection.execute(sa.insert(FACT), facts)
    _write(connection, documents)


def _write(
    connection: sa.Connection, documents: Sequence[tuple[str, str | None, int, Sequence[str], str]]
) -> None:
    if not documents:
        return
    insert = sa.insert(DOCUMENT).returning(DOCUMENT.c.id, sort_by_parameter_order=True)
    rows = [
        {"session_id": session_id, "message_id": message_id, "span_start": start}
        for session_id, message_id, start, _, _ in documents
    ]
    numbers = connection.execute(insert, rows).scalars().all()
    insert_words(
        connection,
        [
            (number, *document_words(names, text, start))
            for number, (_, _, start, names, text) in zip(numbers, documents, strict=True)
        ],
    )


def _rows(connection: sa.Connection, query: str, ids: Sequence[str]) -> Sequence[sa.RowMapping]:
    statement = sa.text(query).bindparams(sa.bindparam("ids", expanding=True))
    return connection.execute(statement, {"ids": list(ids)}).mappings().all()


def _document(text: str) -> dict[str, Any]:
    """A setup; what is damaged names no tools."""
    try:
        document: object = json.loads(text)
    except ValueError:
        return {}
    return cast(dict[str, Any], document) if isinstance(document, dict) else {}


def _call_names(text: str) -> Iterator[str]:
    calls: object = json.loads(text)
    for call in cast(list[dict[str, Any]], calls) if isinstance(calls, list) else ():
        yield str(call["name"])

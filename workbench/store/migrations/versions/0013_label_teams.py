"""Labelling projects with members and reviews, and what the labelling queue is ordered and filtered by."""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.engine import Connection

from workbench.hermes.parse import parse
from workbench.records.corpus.material import row_id_of

revision = "0013"
down_revision = "0012"

BATCH = 500
"""Rows that are read at a time."""


def upgrade() -> None:
    """Upgrade the schema. There are no downgrades; restore a backup instead."""
    op.create_table(
        "label_member",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["label_project.id"],
            name="fk_label_member_project_id_label_project",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("project_id", "name", name="pk_label_member"),
    )
    op.create_index("ix_label_member_name", "label_member", ["name"])
    op.create_table(
        "label_review",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("annotator_count", sa.Integer(), nullable=False),
        sa.Column("target_count", sa.Integer(), nullable=False),
        sa.Column("disputed_count", sa.Integer(), nullable=False),
        sa.Column("undecided_count", sa.Integer(), nullable=False),
        sa.Column("disagreement", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["label_project.id"],
            name="fk_label_review_project_id_label_project",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_label_review_session_id_session", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "session_id", name="pk_label_review"),
    )
    op.create_index("ix_label_review_session_id", "label_review", ["session_id"])
    op.create_index(
        "ix_label_review_project_id_undecided_count", "label_review", ["project_id", "undecided_count"]
    )
    op.create_table(
        "session_tool",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_session_tool_session_id_session", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("session_id", "tool", name="pk_session_tool"),
    )
    op.create_index("ix_session_tool_tool", "session_tool", ["tool"])
    op.create_index(
        "ix_label_task_project_id_assignee_state", "label_task", ["project_id", "assignee", "state"]
    )
    op.create_index("ix_label_project_id_session_id", "label", ["project_id", "session_id"])
    with op.batch_alter_table("accepted_message") as accepted:
        accepted.drop_constraint("pk_accepted_message", type_="primary")
        accepted.create_primary_key("pk_accepted_message", ["message_id", "who"])
    op.add_column("imported_row", sa.Column("row_id", sa.Text(), nullable=True))
    for column in ("row_id", "file", "format"):
        op.create_index(f"ix_imported_row_scope_{column}", "imported_row", ["scope", column])
    op.add_column("session", sa.Column("finding_count", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("session", sa.Column("confidence", sa.Float(), nullable=False, server_default="1"))
    op.add_column("session", sa.Column("shuffle", sa.Integer(), nullable=False, server_default="0"))
    for column in ("finding_count", "confidence"):
        op.create_index(f"ix_session_owner_{column}_created_at", "session", ["owner", column, "created_at"])
    _fill(op.get_bind())


def _fill(connection: Connection) -> None:
    """Compute the new columns and `session_tool` from the stored messages."""
    random = (
        "abs(random()) % 2147483647"
        if connection.dialect.name == "sqlite"
        else "floor(random() * 2147483647)"
    )
    op.execute(
        f"UPDATE session SET shuffle = {random}, "
        "finding_count = (SELECT count(*) FROM fact WHERE fact.session_id = session.id)"
    )
    for row in _rows(connection, "SELECT session_id, row_text FROM imported_row", "session_id"):
        row_id = row_id_of(json.loads(row["row_text"]))
        if row_id:
            update = "UPDATE imported_row SET row_id = :row_id WHERE session_id = :id"
            connection.execute(sa.text(update), {"row_id": row_id, "id": row["session_id"]})
    confidences: dict[str, float] = {}
    generated = "SELECT id, session_id, tokens FROM generation WHERE tokens IS NOT NULL"
    for row in _rows(connection, generated, "id"):
        tokens: list[dict[str, Any]] = (
            json.loads(row["tokens"]) if isinstance(row["tokens"], str) else row["tokens"]
        )
        logprobs = [token["logprob"] for token in tokens or () if token.get("logprob") is not None]
        if logprobs:
            mean = sum(logprobs) / len(logprobs)
            confidences[row["session_id"]] = min(mean, confidences.get(row["session_id"], mean))
    for session_id, confidence in confidences.items():
        update = "UPDATE session SET confidence = :confidence WHERE id = :id"
        connection.execute(sa.text(update), {"confidence": min(confidence, 0.0), "id": session_id})
    tools: set[tuple[str, str]] = set()
    by_model = "SELECT id, session_id, text, calls FROM message WHERE role = 'assistant' AND copy_of IS NULL"
    for row in _rows(connection, by_model, "id"):
        calls = json.loads(row["calls"]) if isinstance(row["calls"], str) else row["calls"]
        # A call has at least a bracket in every family. Most messages are prose, which need not be parsed.
        read = parse(row["text"]).calls if any(mark in row["text"] for mark in "<{[(") else ()
        tools |= {
            (row["session_id"], name)
            for name in (*(c["name"] for c in calls), *(c.name for c in read))
            if name
        }
    if tools:
        insert = sa.text("INSERT INTO session_tool (session_id, tool) VALUES (:session_id, :tool)")
        connection.execute(insert, [{"session_id": session, "tool": tool} for session, tool in sorted(tools)])


def _rows(connection: Connection, query: str, key: str) -> Iterator[Any]:
    """Yield the rows of a query in the order of a unique column, some at a time."""
    last: Any = None
    where = "AND" if " WHERE " in query else "WHERE"
    while True:
        after = "" if last is None else f" {where} {key} > :last"
        page = sa.text(f"{query}{after} ORDER BY {key} LIMIT {BATCH}")
        rows = connection.execute(page, {} if last is None else {"last": last}).mappings().all()
        yield from rows
        if len(rows) < BATCH:
            return
        last = rows[-1][key]

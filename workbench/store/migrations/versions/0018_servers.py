"""The tables of servers that share a database, and of what they have in progress."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "server",
        *_texts("id", "writer"),
        sa.Column("beat_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_server"),
    )
    op.create_table(
        "server_message",
        sa.Column("number", sa.Integer(), nullable=False),
        *_texts("server_id"),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_server_message"),
    )
    op.create_table(
        "live_turn",
        *_texts("owner", "session_id", "id", "server_id"),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "session_id", name="pk_live_turn"),
    )
    op.create_table(
        "live_event",
        *_texts("turn_id"),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("turn_id", "number", name="pk_live_event"),
    )
    op.create_table(
        "live_run",
        *_texts("owner", "run_id", "server_id"),
        sa.Column("person", sa.JSON(), nullable=True),
        sa.PrimaryKeyConstraint("owner", name="pk_live_run"),
    )
    for table in ("server_message", "live_turn", "live_run"):
        op.create_index(f"ix_{table}_server_id", table, ["server_id"])


def _texts(*names: str) -> list["sa.Column[str]"]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]

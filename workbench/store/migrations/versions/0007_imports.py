"""Rows that sessions were made of; sessions in the order of their making."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Forward; there is no way back but the backup."""
    op.create_index("ix_session_owner_created_at", "session", ["owner", "created_at"])
    op.create_table(
        "imported_row",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("row_text", sa.Text(), nullable=False),
        sa.Column("message_ids", sa.JSON(), nullable=False),
        sa.Column("rejected_ids", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_imported_row"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_imported_row_session_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_imported_row_scope_digest", "imported_row", ["scope", "digest"])

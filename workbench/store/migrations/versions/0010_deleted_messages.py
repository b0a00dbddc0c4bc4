"""Messages that were deleted out of their sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Forward; there is no way back but the backup."""
    op.create_table(
        "deleted_message",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("root_id", sa.Text(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("message_id", name="pk_deleted_message"),
        sa.ForeignKeyConstraint(
            ["message_id"], ["message.id"], name="fk_deleted_message_message_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_deleted_message_session_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_deleted_message_session_id", "deleted_message", ["session_id"])

"""The tables of sessions that are recorded from the requests of clients."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "recorded_session",
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("session_id", "scope", "tag", "name", "client")
        ),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_recorded_session"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_recorded_session_session_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_recorded_session_scope_tag_name", "recorded_session", ["scope", "tag", "name"])
    op.create_index("ix_recorded_session_recorded_at", "recorded_session", ["recorded_at"])
    op.create_table(
        "recorded_message",
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("message_id", "session_id", "path_hash", "system_hash")
        ),
        sa.PrimaryKeyConstraint("message_id", name="pk_recorded_message"),
        sa.ForeignKeyConstraint(
            ["message_id"], ["message.id"], name="fk_recorded_message_message_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_recorded_message_session_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_recorded_message_session_id", "recorded_message", ["session_id"])
    op.create_index("ix_recorded_message_path_hash", "recorded_message", ["path_hash"])

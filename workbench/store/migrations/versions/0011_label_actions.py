"""The log of labellers' actions, and projects that require verdicts."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Create the table of actions, and add a column to the projects."""
    op.create_table(
        "label_action",
        sa.Column("number", sa.Integer(), nullable=False),
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("project_id", "session_id", "slot", "labeller", "client")
        ),
        sa.Column("client_number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("changes", sa.JSON(), nullable=False),
        sa.Column("is_undone", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["label_project.id"], name="fk_label_action_project_id_label_project"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_label_action_session_id_session", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_label_action"),
        sa.UniqueConstraint(
            "project_id",
            "slot",
            "client",
            "client_number",
            name="uq_label_action_project_id_slot_client_client_number",
        ),
    )
    op.create_index("ix_label_action_session_id", "label_action", ["session_id"])
    op.add_column(
        "label_project",
        sa.Column("requires_verdicts", sa.Boolean(), nullable=False, server_default=sa.false()),
    )

"""What was told of a completion and of a tool's run; notes that models keep for an owner."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Forward; there is no way back but the backup."""
    op.add_column("generation", sa.Column("findings", sa.JSON(), nullable=True))
    op.add_column("tool_run", sa.Column("findings", sa.JSON(), nullable=True))
    op.create_table(
        "note",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "position", name="pk_note"),
    )

"""Runs can be deleted, tagged and shared; names of versions can be deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the columns and the table of tags."""
    moment = sa.DateTime(timezone=True)
    op.add_column("run", sa.Column("deleted_at", moment, nullable=True))
    op.add_column("run", sa.Column("share_key", sa.Text(), nullable=True))
    op.create_index("ix_run_deleted_at", "run", ["deleted_at"])
    op.create_index("ix_run_share_key", "run", ["share_key"], unique=True)
    op.add_column("version_line", sa.Column("deleted_at", moment, nullable=True))
    op.create_table(
        "run_tag",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_tag_run_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "tag", name="pk_run_tag"),
    )

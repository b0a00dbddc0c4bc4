"""Comparisons, the answers of their columns, and votes on them."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Forward; there is no way back but the backup."""
    op.create_table(
        "comparison",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("turns", sa.JSON(), nullable=False),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("goes_on", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_comparison"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_comparison_session_id", ondelete="CASCADE"
        ),
    )
    for column in ("session_id", "created_at"):
        op.create_index(f"ix_comparison_{column}", "comparison", [column])
    op.create_table(
        "comparison_answer",
        sa.Column("comparison_id", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("asked_id", sa.Text(), nullable=True),
        sa.Column("leaf_id", sa.Text(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("comparison_id", "turn", "place", name="pk_comparison_answer"),
        sa.ForeignKeyConstraint(
            ["comparison_id"],
            ["comparison.id"],
            name="fk_comparison_answer_comparison_id",
            ondelete="CASCADE",
        ),
    )
    op.create_table(
        "comparison_vote",
        sa.Column("comparison_id", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("comparison_id", "turn", name="pk_comparison_vote"),
        sa.ForeignKeyConstraint(
            ["comparison_id"], ["comparison.id"], name="fk_comparison_vote_comparison_id", ondelete="CASCADE"
        ),
    )

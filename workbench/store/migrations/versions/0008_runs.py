"""Runs of suites, their results, and which sessions are their rollouts."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Forward; there is no way back but the backup."""
    op.create_table(
        "run",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
    )
    for column in ("owner", "created_at"):
        op.create_index(f"ix_run_{column}", "run", [column])
    op.create_table(
        "case_result",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "key", name="pk_case_result"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_case_result_run_id", ondelete="CASCADE"),
    )
    op.create_table(
        "run_session",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_run_session"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_run_session_session_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_run_session_run_id", "run_session", ["run_id"])

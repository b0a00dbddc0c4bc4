"""Sessions, messages, generations, prompts and tool runs."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Forward; there is no way back but the backup."""
    _create_session()
    _create_generation()
    _create_message()


def _create_session() -> None:
    op.create_table(
        "session",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("setup", sa.JSON(), nullable=False),
        sa.Column("leaf_id", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
    )
    op.create_index("ix_session_updated_at", "session", ["updated_at"])


def _create_generation() -> None:
    op.create_table(
        "prompt",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_prompt"),
    )
    op.create_table(
        "generation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("prompt_hash", sa.Text(), nullable=False),
        sa.Column("is_exact", sa.Boolean(), nullable=False),
        sa.Column("prefill", sa.Text(), nullable=False),
        sa.Column("sampling", sa.JSON(), nullable=False),
        sa.Column("tool_choice", sa.Text(), nullable=False),
        sa.Column("finish_reason", sa.Text(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("cached_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("time_to_first_token_s", sa.Float(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("engine_name", sa.Text(), nullable=False),
        sa.Column("engine_fingerprint", sa.Text(), nullable=False),
        sa.Column("tools_fingerprint", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_generation"),
        sa.UniqueConstraint("session_id", "content_hash", name="uq_generation_session_id_content_hash"),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name="fk_generation_session_id"),
        sa.ForeignKeyConstraint(["prompt_hash"], ["prompt.hash"], name="fk_generation_prompt_hash"),
    )


def _create_message() -> None:
    op.create_table(
        "message",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("calls", sa.JSON(), nullable=False),
        sa.Column("thought", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("generation_id", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_message"),
        sa.UniqueConstraint("session_id", "id", name="uq_message_session_id_id"),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name="fk_message_session_id"),
        sa.ForeignKeyConstraint(
            ["session_id", "parent_id"],
            ["message.session_id", "message.id"],
            name="fk_message_session_id_parent_id",
        ),
        sa.ForeignKeyConstraint(["generation_id"], ["generation.id"], name="fk_message_generation_id"),
    )
    op.create_table(
        "tool_run",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("call_index", sa.Integer(), nullable=False),
        sa.Column("is_error", sa.Boolean(), nullable=False),
        sa.Column("milliseconds", sa.Float(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("message_id", name="pk_tool_run"),
        sa.ForeignKeyConstraint(["message_id"], ["message.id"], name="fk_tool_run_message_id"),
    )

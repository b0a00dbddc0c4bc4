"""Owners, sharing, deleting; copies, log-probabilities and what a generation depended on; unfinished messages."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

ORIGINALS = """
UPDATE message SET copy_of = (
    SELECT original.id FROM message AS original
    WHERE original.generation_id = message.generation_id
    ORDER BY original.created_at, original.position, original.id LIMIT 1
)
WHERE generation_id IS NOT NULL
"""
"""Messages that shared a generation were copies of the first of them."""


def upgrade() -> None:
    """Forward; there is no way back but the backup."""
    _alter_session()
    _alter_generation()
    _alter_message()
    _create_unfinished()


def _alter_session() -> None:
    op.add_column("session", sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("session", sa.Column("share_key", sa.Text(), nullable=True))
    op.add_column("session", sa.Column("copied_from", sa.Text(), nullable=True))
    op.create_index("ix_session_owner_updated_at", "session", ["owner", "updated_at"])
    op.create_index("ix_session_deleted_at", "session", ["deleted_at"])
    op.create_index("ix_session_share_key", "session", ["share_key"], unique=True)
    op.create_table(
        "session_tag",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "tag", name="pk_session_tag"),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name="fk_session_tag_session_id"),
    )
    op.create_index("ix_session_tag_tag", "session_tag", ["tag"])


def _alter_generation() -> None:
    with op.batch_alter_table("generation") as generation:
        generation.drop_constraint("uq_generation_session_id_content_hash", type_="unique")
        generation.drop_column("content_hash")
        generation.add_column(sa.Column("contract_fingerprint", sa.Text(), nullable=True))
        generation.add_column(sa.Column("evaluated_tokens", sa.Integer(), nullable=True))
        generation.add_column(sa.Column("ephemeral", sa.Text(), nullable=True))
        generation.add_column(sa.Column("tokens", sa.JSON(), nullable=True))
    op.create_index("ix_generation_session_id", "generation", ["session_id"])
    op.create_index("ix_generation_prompt_hash", "generation", ["prompt_hash"])
    op.create_index("ix_generation_contract_fingerprint", "generation", ["contract_fingerprint"])


def _alter_message() -> None:
    with op.batch_alter_table("message") as message:
        message.add_column(sa.Column("copy_of", sa.Text(), nullable=True))
        message.create_foreign_key(
            "fk_message_session_id_copy_of", "message", ["session_id", "copy_of"], ["session_id", "id"]
        )
    op.create_index("ix_message_generation_id", "message", ["generation_id"])
    op.execute(ORIGINALS)
    op.execute("UPDATE message SET copy_of = NULL WHERE copy_of = id")
    op.add_column("tool_run", sa.Column("arguments_text", sa.Text(), nullable=True))
    op.add_column("tool_run", sa.Column("arguments", sa.JSON(), nullable=True))


def _create_unfinished() -> None:
    op.create_table(
        "unfinished",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("generation", sa.JSON(), nullable=False),
        sa.Column("writer", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_unfinished"),
        sa.ForeignKeyConstraint(["session_id"], ["session.id"], name="fk_unfinished_session_id"),
        sa.ForeignKeyConstraint(
            ["session_id", "parent_id"],
            ["message.session_id", "message.id"],
            name="fk_unfinished_session_id_parent_id",
        ),
    )

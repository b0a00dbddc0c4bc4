"""Labels, labelling projects and their queue; accepted messages."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Forward; there is no way back but the backup."""
    _create_project()
    _create_label()
    _create_accepted_message()


def _create_project() -> None:
    op.create_table(
        "label_project",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("guidelines", sa.Text(), nullable=False),
        sa.Column("questions", sa.JSON(), nullable=False),
        sa.Column("overlap", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_label_project"),
        sa.UniqueConstraint("owner", "name", name="uq_label_project_owner_name"),
    )
    op.create_table(
        "label_task",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("assignee", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "session_id", "assignee", name="pk_label_task"),
        sa.ForeignKeyConstraint(["project_id"], ["label_project.id"], name="fk_label_task_project_id"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name="fk_label_task_session_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_label_task_session_id", "label_task", ["session_id"])


def _create_label() -> None:
    op.create_table(
        "label",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("call_index", sa.Integer(), nullable=False),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.Column("labeller", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("rating", sa.Integer(), nullable=True),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("correction_text", sa.Text(), nullable=True),
        sa.Column("correction_call", sa.JSON(), nullable=True),
        sa.Column("corrected_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_label"),
        sa.UniqueConstraint(
            "project_id", "message_id", "call_index", "slot",
            name="uq_label_project_id_message_id_call_index_slot",
        ),
        sa.ForeignKeyConstraint(["project_id"], ["label_project.id"], name="fk_label_project_id"),
        sa.ForeignKeyConstraint(
            ["session_id", "message_id"],
            ["message.session_id", "message.id"],
            name="fk_label_session_id_message_id",
            ondelete="CASCADE",
        ),
    )  # fmt: skip
    for column in ("session_id", "message_id", "created_at"):
        op.create_index(f"ix_label_{column}", "label", [column])
    op.create_table(
        "label_tag",
        sa.Column("label_id", sa.Text(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("label_id", "tag", name="pk_label_tag"),
        sa.ForeignKeyConstraint(["label_id"], ["label.id"], name="fk_label_tag_label_id", ondelete="CASCADE"),
    )
    op.create_index("ix_label_tag_tag", "label_tag", ["tag"])


def _create_accepted_message() -> None:
    op.create_table(
        "accepted_message",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("message_id", name="pk_accepted_message"),
        sa.ForeignKeyConstraint(
            ["session_id", "message_id"],
            ["message.session_id", "message.id"],
            name="fk_accepted_message_session_id_message_id",
            ondelete="CASCADE",
        ),
    )

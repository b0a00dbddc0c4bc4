"""Versions of contracts, tools, presets and suites; the audit log."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_APPEND_ONLY: Final = {
    "sqlite": (
        "CREATE TRIGGER audit_no_{lower} BEFORE {upper} ON audit "
        "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    ),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$",
        "CREATE TRIGGER audit_no_{lower} BEFORE {upper} ON audit "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()",
    ),
}
"""What makes the database itself refuse a change."""


def upgrade() -> None:
    """Forward; there is no way back but the backup."""
    _create_version()
    _create_audit()


def _create_version() -> None:
    op.create_table(
        "version_text",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "kind", "hash", name="pk_version_text"),
    )
    op.create_table(
        "version_line",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("file_hash", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("owner", "kind", "name", name="pk_version_line"),
    )
    _create_version_itself()
    op.create_table(
        "version_tag",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("version_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "kind", "name", "tag", name="pk_version_tag"),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name="fk_version_tag_version_id"),
    )
    op.create_index("ix_version_tag_version_id", "version_tag", ["version_id"])


def _create_version_itself() -> None:
    op.create_table(
        "version",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text_hash", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_version"),
        sa.UniqueConstraint("owner", "kind", "name", "number", name="uq_version_owner_kind_name_number"),
        sa.ForeignKeyConstraint(
            ["owner", "kind", "name"],
            ["version_line.owner", "version_line.kind", "version_line.name"],
            name="fk_version_owner_kind_name",
        ),
        sa.ForeignKeyConstraint(
            ["owner", "kind", "text_hash"],
            ["version_text.owner", "version_text.kind", "version_text.hash"],
            name="fk_version_owner_kind_text_hash",
        ),
        sa.ForeignKeyConstraint(["parent_id"], ["version.id"], name="fk_version_parent_id"),
    )


def _create_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_audit"),
    )
    op.create_index("ix_audit_owner_subject", "audit", ["owner", "subject"])
    for change in ("UPDATE", "DELETE"):
        for statement in _APPEND_ONLY.get(op.get_bind().dialect.name, ()):
            op.execute(statement.format(lower=change.lower(), upper=change))

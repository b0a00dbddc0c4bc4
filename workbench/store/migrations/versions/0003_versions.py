"""Versions of contracts, tools, presets and suites; the audit log."""

import json
from hashlib import sha256
from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

SETUP_TEXTS: Final = {"contract": "contract_text", "tools": "tools_text"}
"""Where a session's setup has the text of each kind."""
PAGE: Final = 500
"""Sessions that are read at once."""

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
    for table in ("session", "generation"):
        op.add_column(table, sa.Column("contract_version", sa.Text(), nullable=True))
        op.add_column(table, sa.Column("tools_version", sa.Text(), nullable=True))
        op.create_index(f"ix_{table}_contract_version", table, ["contract_version"])
    _keep_setups()


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


def _keep_setups() -> None:
    """Keeps the texts of the sessions that are there, and notes under which hashes."""
    session = sa.table(
        "session",
        sa.column("id", sa.Text()),
        sa.column("owner", sa.Text()),
        sa.column("setup", sa.Text()),
        sa.column("contract_version", sa.Text()),
        sa.column("tools_version", sa.Text()),
    )
    kept: set[tuple[str, str, str]] = set()
    last = ""
    while True:
        # As text: a setup that is no JSON must not keep the rest from going forward.
        setup = sa.cast(session.c.setup, sa.Text()).label("setup")
        page = (
            sa.select(session.c.id, session.c.owner, setup)
            .where(session.c.id > last)
            .order_by(session.c.id)
            .limit(PAGE)
        )
        found = op.get_bind().execute(page).mappings().all()
        for row in found:
            hashes = {f"{kind}_version": _keep(kept, row, kind) for kind in SETUP_TEXTS}
            op.execute(sa.update(session).where(session.c.id == row["id"]).values(**hashes))
        if len(found) < PAGE:
            return
        last = found[-1]["id"]


def _keep(kept: set[tuple[str, str, str]], row: sa.RowMapping, kind: str) -> str | None:
    """The hash of a setup's text of that kind; None where the setup has none that could be kept."""
    try:
        text = json.loads(row["setup"])[SETUP_TEXTS[kind]]
        key = (row["owner"] or "", kind, sha256(text.encode()).hexdigest())
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    if key not in kept:
        kept.add(key)
        columns = [sa.column(name, sa.Text()) for name in ("owner", "kind", "hash", "text")]
        values = dict(zip(("owner", "kind", "hash", "text"), (*key, text), strict=True))
        op.execute(sa.insert(sa.table("version_text", *columns)).values(**values))
    return key[2]

"""The table of presets."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the table."""
    is_shown = sa.text("deleted_at IS NULL")
    op.create_table(
        "preset",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("id", "owner", "name")),
        sa.Column("setup", sa.JSON(), nullable=False),
        sa.Column("share_key", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_preset"),
        sa.UniqueConstraint("share_key", name="uq_preset_share_key"),
    )
    op.create_index(
        "uq_preset_owner_name",
        "preset",
        ["owner", "name"],
        unique=True,
        sqlite_where=is_shown,
        postgresql_where=is_shown,
    )

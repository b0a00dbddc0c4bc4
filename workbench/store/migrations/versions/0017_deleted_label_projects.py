"""Labelling projects can be deleted and restored."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the column."""
    op.add_column("label_project", sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))

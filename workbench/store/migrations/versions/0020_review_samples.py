"""Labelling projects have gold rows, and lots that are accepted or rejected by a sample."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("label_project", sa.Column("gold", sa.JSON(), nullable=True))
    op.add_column("label_project", sa.Column("lots", sa.JSON(), nullable=True))

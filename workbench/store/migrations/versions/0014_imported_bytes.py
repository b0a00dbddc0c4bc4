"""Imported rows with the bytes of their line, so that an unchanged row is exported as it was."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the column; rows that were imported before have no original bytes."""
    op.add_column("imported_row", sa.Column("original", sa.LargeBinary(), nullable=True))

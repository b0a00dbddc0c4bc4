"""A run names the process that runs it."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Add the column. Runs that are still in the state `running` were left by processes that have ended."""
    op.add_column("run", sa.Column("writer", sa.Text(), nullable=True))

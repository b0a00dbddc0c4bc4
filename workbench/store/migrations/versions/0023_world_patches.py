"""Messages with what changed in the world of their session."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add the column. Messages so far changed nothing."""
    op.add_column("message", sa.Column("world_patch", sa.JSON(), nullable=True))

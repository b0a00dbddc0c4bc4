"""${message}."""

import sqlalchemy as sa
from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """Upgrade the schema. There are no downgrades; restore a backup instead."""
    ${upgrades if upgrades else "raise NotImplementedError"}

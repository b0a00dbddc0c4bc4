"""Owners, sharing, deleting; unfinished messages."""

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Forward; there is no way back but the backup."""

"""Fixes and findings as rows, and full-text search."""

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Forward; there is no way back but the backup."""

"""Versions of contracts, tools, presets and suites."""

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Forward; there is no way back but the backup."""

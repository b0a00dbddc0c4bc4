"""Labels and what belongs to labelling."""

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Forward; there is no way back but the backup."""

"""What keeps a session from becoming a row."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """One reason."""

    code: str
    """Stable word from `docs/reference/formats.md`, or one of the validator's."""
    message: str
    """What is wrong, where, and what to do."""
    message_id: str | None = None
    """The message of the session; None where none is meant alone."""
    pointer: str = ""
    """JSON pointer into the row; empty for all of it, or where there is none yet."""
    is_defect: bool = True
    """False: nothing is wrong, the session is not ready, or was not asked for."""


def not_ready(code: str, message: str, message_id: str | None = None) -> Obstacle:
    """A session that is no row yet."""
    return Obstacle(code=code, message=message, message_id=message_id, is_defect=False)

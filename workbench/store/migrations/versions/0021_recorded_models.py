"""Recorded sessions have the model and the contract that was asked, and answers are found after a compaction."""

import json
from typing import Any, cast

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

_SESSIONS = sa.text(
    "SELECT session.id, session.setup FROM session "
    "JOIN recorded_session ON recorded_session.session_id = session.id"
)
_FILL = sa.text(
    "UPDATE recorded_session SET model = :model, contract = :contract WHERE session_id = :session_id"
)


def upgrade() -> None:
    """Add the columns, with the model and the contract of the last request."""
    for name in ("model", "contract"):
        op.add_column("recorded_session", sa.Column(name, sa.Text(), nullable=True))
    op.add_column("recorded_message", sa.Column("kept_hash", sa.Text(), nullable=True))
    op.create_index("ix_recorded_message_kept_hash", "recorded_message", ["kept_hash"])
    connection = op.get_bind()
    for session_id, setup in connection.execute(_SESSIONS).all():
        fields = _fields(setup)
        asked = {"model": fields.get("model"), "contract": fields.get("contract_name")}
        connection.execute(_FILL, {"session_id": session_id, **asked})


def _fields(setup: Any) -> dict[str, Any]:
    """Return the fields of a setup. A damaged one has none."""
    try:
        fields = json.loads(setup) if isinstance(setup, str) else setup
    except ValueError:
        return {}
    return cast(dict[str, Any], fields) if isinstance(fields, dict) else {}

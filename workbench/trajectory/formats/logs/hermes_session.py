"""Read sessions of hermes-agent: its snapshots `session_*.json`, and what `hermes sessions export` writes."""

from collections.abc import Iterator
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.trajectory.declared_tools import read_column
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.chat_rows import read_messages
from workbench.trajectory.row import RowEntry, RowFinding, TrainingRow

_OWN: Final = ("messages", "system_prompt", "tools")


def _fits(row: JsonObject) -> bool:
    is_snapshot = "session_id" in row and "session_start" in row
    return isinstance(row.get("messages"), list) and (is_snapshot or ("id" in row and "started_at" in row))


def _read(row: JsonObject) -> TrainingRow:
    findings: list[RowFinding] = []
    messages = row.get("messages")
    entries = read_messages(messages if isinstance(messages, list) else [], "/messages", findings)
    return TrainingRow(
        format="hermes-session",
        fields=row,
        entries=(*_system(row, entries), *entries),
        declarations=read_column(row.get("tools"), "/tools", findings),
        columns={
            "harness": "hermes",
            **({"id": row["session_id"]} if "session_id" in row else {}),
            **{key: value for key, value in row.items() if key not in _OWN},
        },
        findings=tuple(findings),
    )


def _system(row: JsonObject, entries: tuple[RowEntry, ...]) -> Iterator[RowEntry]:
    """Yield the system text, which is not among the messages."""
    text = row.get("system_prompt")
    if isinstance(text, str) and text and not (entries and entries[0].role is Role.SYSTEM):
        yield RowEntry(
            place=-1,
            pointer="/system_prompt",
            role=Role.SYSTEM,
            speaker="system",
            text=text,
            text_pointer="/system_prompt",
        )


HERMES_SESSION: Final = RowFormat(
    name="hermes-session",
    title="sessions of hermes-agent (`~/.hermes/sessions/session_*.json`, `hermes sessions export`)",
    fits=_fits,
    read=_read,
)

"""Entries of `from` and `value`: who speaks, and what."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Role
from workbench.trajectory.row import RowEntry, RowFinding


class SpokenEntry(NamedTuple):
    """One entry, its text not yet looked into."""

    place: int
    fields: JsonObject
    role: Role | None
    speaker: str
    text: str
    findings: list[RowFinding]
    """Where to tell what is wrong with it."""

    @property
    def pointer(self) -> str:
        """Of the entry."""
        return f"/conversations/{self.place}"

    @property
    def text_pointer(self) -> str:
        """Of its text."""
        return f"{self.pointer}/value"

    def tell(self, code: str, message: str, below: str = "/value") -> None:
        """Tell what is wrong with the entry."""
        pointer = self.pointer + below
        self.findings.append(RowFinding(code=code, message=message, entry=self.place, pointer=pointer))


def conversation_of(row: JsonObject) -> Sequence[JsonValue]:
    """The row's `conversations`; empty where it is no list."""
    given = row.get("conversations")
    return given if isinstance(given, list) else []


def speaks(row: JsonObject) -> bool:
    """Whether the row's conversation is made of `from` and `value`."""
    entries = conversation_of(row)
    return bool(entries) and any("from" in as_object(entry) for entry in entries)


def read_spoken(
    row: JsonObject, roles: Mapping[str, Role], form: str, findings: list[RowFinding]
) -> Iterator[SpokenEntry]:
    """Each entry of the conversation.

    Args:
        row: All of it.
        roles: The `from` of an entry to its role.
        form: Name of the format.
        findings: Where to tell what is missing.
    """
    if not isinstance(row.get("conversations"), list):
        message = "no list of entries: the row needs `conversations`"
        findings.append(RowFinding(code="missing-field", message=message, pointer="/conversations"))
    for place, value in enumerate(conversation_of(row)):
        fields = as_object(value)
        speaker, text = fields.get("from"), fields.get("value")
        role = roles.get(speaker) if isinstance(speaker, str) else None
        spoken = SpokenEntry(
            place, fields, role, str(speaker), text if isinstance(text, str) else "", findings
        )
        if role is None:
            spoken.tell(
                "unknown-role", f"{speaker!r:.40} is no speaker of {form}: {', '.join(roles)}", "/from"
            )
        if not isinstance(text, str):
            spoken.tell("missing-field", "the entry has no text in `value`")
        yield spoken


def system_column(row: JsonObject) -> Iterator[RowEntry]:
    """The system text that stands in a column of its own, if there is one."""
    text = row.get("system")
    if isinstance(text, str) and text:
        yield RowEntry(
            place=-1, pointer="/system", role=Role.SYSTEM, speaker="system", text=text, text_pointer="/system"
        )

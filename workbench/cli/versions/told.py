"""Versions as lines and as JSON."""

from workbench.app.versions.content import fingerprint_of
from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.paint import shown
from workbench.records.versions import Version


def version_json(version: Version) -> JsonObject:
    """The version without its text."""
    return {
        "id": version.id,
        "kind": version.kind.value,
        "name": version.name,
        "number": version.number,
        "tags": list(version.tags),
        "message": version.message,
        "author": version.author,
        "created_at": version.created_at.isoformat(),
        "parent": version.parent_id,
        "text_hash": version.text_hash,
        "fingerprint": fingerprint_of(version.kind, version.text, name=version.name),
        "is_shared": version.is_shared,
    }


def version_line(version: Version) -> str:
    """The version as one line: number, hash, date, author, tags, first line of the message."""
    tags = f"[{', '.join(version.tags)}]" if version.tags else ""
    first_line = version.message.partition("\n")[0]
    parts = (
        f"v{version.number}",
        version.text_hash[:8],
        version.created_at.strftime("%Y-%m-%d %H:%M"),
        version.author,
        tags,
        first_line,
    )
    return shown("  ".join(part for part in parts if part))

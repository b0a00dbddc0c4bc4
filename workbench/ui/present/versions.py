"""Show the versions of a text, and the list of stored texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from workbench.records.versions import FROM_FILE, DeletedName, Version, VersionKind, VersionLine, hash_of

MOST_DELETED: Final = 20
"""Maximum number of deleted names to list; `workbench versions deleted` lists all."""
MARKS: Final = ("production", "candidate")
"""Tags that the page can set: for the version in use, and for the one that may replace it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionListRow:
    """One version of the list."""

    id: str
    label: str
    """The version number, such as `v3`."""
    message: str
    """First line of the version's message."""
    note: str
    """Author and time of the version."""
    tags: tuple[str, ...]
    is_open: bool
    """True for the version that the text in the editor is, or was made from."""
    marks: tuple[str, ...]
    """Those of `MARKS` that the version does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsView:
    """The version line below a text, and the list that it opens."""

    name: str
    label: str
    """Number of the version that the text is, or was made from. Empty if there is none."""
    base_id: str
    """Id of that version. Empty if there is none."""
    is_changed: bool
    """True if the text differs from every version."""
    tags: tuple[str, ...]
    """Tags of the version. Empty if the text is changed."""
    rows: tuple[VersionListRow, ...]
    """Newest first."""
    can_compare: bool = False
    """Whether a version can be compared with the text."""
    newest_id: str = ""
    """Id of the newest version. Empty if there is none."""
    deleted: tuple[tuple[str, str], ...] = ()
    """Deleted names of this kind that can be restored: id and name, the last deleted first."""
    read_at: float = 0.0
    """When the history was read, in seconds since 1970. The page drops a line that is older than the shown one."""
    field: str = ""
    """Element id of an editor: the line is shown only if that shows the text of this name by then. Empty for any."""


def show_versions(
    name: str,
    text: str,
    history: Sequence[Version],
    *,
    now: datetime,
    can_compare: bool = False,
    deleted: Sequence[DeletedName] = (),
) -> VersionsView:
    """Show the version line of a text.

    Args:
        history: The newest versions of the name, newest first.
        now: The time right before the history was read, in the time zone to show times in.
        deleted: The deleted names of the kind.
    """
    text_hash = hash_of(text.encode("utf-8", "replace").decode())
    same = next((version for version in history if version.text_hash == text_hash), None)
    base = same or next(iter(history), None)
    return VersionsView(
        name=name,
        label=f"v{base.number}" if base else "",
        base_id=base.id if base else "",
        is_changed=same is None,
        tags=same.tags if same else (),
        rows=tuple(_row(version, base, now) for version in history),
        can_compare=can_compare,
        newest_id=history[0].id if history else "",
        read_at=now.timestamp(),
        deleted=tuple((entry.id, entry.name) for entry in deleted[:MOST_DELETED]),
    )


def _row(version: Version, base: Version | None, now: datetime) -> VersionListRow:
    saved_at = version.created_at.astimezone(now.tzinfo)
    when = f"{saved_at:%H:%M}" if saved_at.date() == now.date() else f"{saved_at.day} {saved_at:%b}"
    author = "" if version.author == FROM_FILE else version.author
    return VersionListRow(
        id=version.id,
        label=f"v{version.number}",
        message=version.message.partition("\n")[0] or "no message",
        note=" · ".join(part for part in (author, when) if part),
        tags=version.tags,
        is_open=version is base,
        marks=tuple(mark for mark in MARKS if mark not in version.tags),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRow:
    """One contract or suite of the list."""

    name: str
    note: str
    """Number and tags of the newest version, or `file`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextListView:
    """The list of contracts or suites."""

    kind: str
    """`contract` or `suite`."""
    rows: tuple[TextRow, ...]
    open_name: str
    """The text in the editor. Empty if there is none."""
    serial: float
    """A new number for every answer of the server."""
    is_look: bool = False
    """True if no text is opened, such as when the tab was opened or a version was saved. The browser then keeps the
    text that it has opened since, or opens the one that it had open last."""


def show_texts(
    kind: VersionKind,
    names: Sequence[str],
    lines: Sequence[VersionLine],
    *,
    open_name: str,
    serial: float,
    is_look: bool = False,
) -> TextListView:
    """Show the list of texts that have a file or a version, and the open one."""
    by_name = {line.head.name: line for line in lines}
    rows = tuple(TextRow(name=name, note=_note(by_name.get(name))) for name in sorted({*names, *by_name}))
    return TextListView(
        kind=kind.value,
        rows=rows,
        open_name=open_name,
        serial=serial,
        is_look=is_look,
    )


def _note(line: VersionLine | None) -> str:
    if line is None:
        return "file"
    return " · ".join((f"v{line.head.number}", *line.head.tags))

"""Version lists: the line below a contract, and the list of stored texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from workbench.records.versions import FROM_FILE, Version, VersionKind, VersionLine, hash_of

MARKS: Final = ("production", "candidate")
"""The names that the page gives: to a version that is in use, and to one that may be next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionListRow:
    """One version in the list."""

    id: str
    label: str
    """Its number, such as `v3`."""
    message: str
    """First line of what was changed."""
    note: str
    """Author and time."""
    tags: tuple[str, ...]
    is_open: bool
    """True of the one whose text stands in the editor."""
    marks: tuple[str, ...]
    """Names that it can be given: those of `MARKS` that do not point at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsView:
    """The line, and the list that it opens."""

    name: str
    label: str
    """Number of the version that the text is, or was made from; empty where there is none."""
    base_id: str
    """Its id; empty where there is none."""
    is_changed: bool
    """True where the text is no version's."""
    tags: tuple[str, ...]
    """Names that point at the version; none where the text is changed."""
    rows: tuple[VersionListRow, ...]
    """The newest first."""
    can_compare: bool = False
    """Whether a version can be held against the text, where there is room to show it."""


def show_versions(
    name: str, text: str, history: Sequence[Version], *, now: datetime, can_compare: bool = False
) -> VersionsView:
    """The line for a text, from the newest versions of its name; times are the clock of `now`."""
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
    )


def _row(version: Version, base: Version | None, now: datetime) -> VersionListRow:
    saved_at = version.created_at.astimezone(now.tzinfo)
    when = saved_at.strftime("%H:%M" if saved_at.date() == now.date() else "%d.%m.")
    who = "" if version.author == FROM_FILE else version.author
    return VersionListRow(
        id=version.id,
        label=f"v{version.number}",
        message=version.message.partition("\n")[0] or "no message",
        note=" · ".join(part for part in (who, when) if part),
        tags=version.tags,
        is_open=version is base,
        marks=tuple(mark for mark in MARKS if mark not in version.tags),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRow:
    """One of the list."""

    name: str
    note: str
    """How many versions it has, and the names that point at the newest."""
    is_open: bool
    """True of the one in the editor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextListView:
    """All of one kind."""

    kind: str
    """contract or suite."""
    rows: tuple[TextRow, ...]
    open_name: str
    """The one in the editor; empty for none."""
    serial: float
    """Differs from one answer to the next."""
    is_look: bool = False
    """True where the tab was opened, which opens no text: one that the browser has opened since is its own to say, and
    with none it opens the one that it had open last."""
    is_draft: bool = False
    """True where the editor holds what was typed here before, and not saved."""


def show_texts(
    kind: VersionKind,
    names: Sequence[str],
    lines: Sequence[VersionLine],
    *,
    open_name: str,
    serial: float,
    is_look: bool = False,
    is_draft: bool = False,
) -> TextListView:
    """The list of those that have a file or a version."""
    by_name = {line.head.name: line for line in lines}
    rows = tuple(
        TextRow(name=name, note=_note(by_name.get(name), is_file=name in names), is_open=name == open_name)
        for name in sorted({*names, *by_name, *filter(None, [open_name])})
    )
    return TextListView(
        kind=kind.value,
        rows=rows,
        open_name=open_name,
        serial=serial,
        is_look=is_look,
        is_draft=is_draft,
    )


def _note(line: VersionLine | None, *, is_file: bool) -> str:
    if line is None:
        return "file" if is_file else "not saved"
    return " · ".join((f"v{line.head.number}", *line.head.tags))

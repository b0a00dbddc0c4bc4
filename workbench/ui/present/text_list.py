"""The list of contracts, or of suites, beside their editor."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.records.versions import VersionKind, VersionLine


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRow:
    """One of the list."""

    name: str
    """Its own."""
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
    """By name."""
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

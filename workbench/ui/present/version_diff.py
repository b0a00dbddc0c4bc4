"""Show two versions of a text side by side, with the changed words marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.chat.sequence_match import BoundedMatcher
from workbench.records.versions import Version
from workbench.ui.present.compare.signs import diff_words
from workbench.ui.present.words import count

EDITOR: Final = ""
"""Stands for the text in the editor among the ids of versions."""
CONTEXT_LINES: Final = 3
"""Unchanged lines that are shown around a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffPiece:
    """A part of a line."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRow:
    """A line of both texts, or of one of them."""

    kind: str
    """`same`, `change`, `drop`, `add`, or `skip` for unchanged lines that are left out."""
    before_number: int | None = None
    """Number of the line in the first text, from 1. None if it has no such line."""
    before: tuple[DiffPiece, ...] = ()
    after_number: int | None = None
    after: tuple[DiffPiece, ...] = ()
    skipped: int = 0
    """How many lines are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDiffView:
    """Two versions of a text side by side."""

    title: str
    choices: tuple[tuple[str, str], ...]
    """Everything that can be compared: id and label, newest first. `EDITOR` is the text in the editor."""
    before_id: str
    after_id: str
    summary: str
    """How many lines changed."""
    rows: tuple[SideRow, ...]
    """Empty if the texts are the same."""


def show_version_diff(
    name: str, history: Sequence[Version], before: tuple[str, str], after: tuple[str, str]
) -> VersionDiffView:
    """Compare two texts of a name line by line.

    Args:
        name: The name of the text.
        history: The versions that can be compared, newest first.
        before: Id and text of the first version. The id is `EDITOR` for the text in the editor.
        after: The same of the second.
    """
    labels = {EDITOR: "the editor", **{version.id: _label(version) for version in history}}
    rows = tuple(side_by_side(before[1], after[1]))
    changed = sum(row.kind not in ("same", "skip") for row in rows)
    names = [labels.get(version_id, "another version") for version_id, _ in (before, after)]
    return VersionDiffView(
        title=f"Changes of {name} from {names[0]} to {names[1]}",
        choices=tuple(labels.items()),
        before_id=before[0],
        after_id=after[0],
        summary=count(changed, "changed line") if changed else "The texts are the same.",
        rows=rows if changed else (),
    )


def _label(version: Version) -> str:
    tags = f" ({', '.join(version.tags)})" if version.tags else ""
    return f"v{version.number}{tags}"


def side_by_side(before: str, after: str) -> Iterator[SideRow]:
    """Yield the rows of two texts, with some unchanged lines around each change.

    A run of changed lines is paired line by line. What is left over on one side is a row of that side only.
    """
    old, new = before.split("\n"), after.split("\n")
    # autojunk would treat frequent lines, such as braces, as if they never matched.
    groups = list(BoundedMatcher(old, new, autojunk=False).get_grouped_opcodes(CONTEXT_LINES))
    shown_to = 0
    for group in groups:
        if (skipped := group[0][1] - shown_to) > 0:
            yield SideRow(kind="skip", skipped=skipped)
        for tag, i, j, m, n in group:
            if tag == "equal":
                for offset in range(j - i):
                    pieces = (DiffPiece(text=old[i + offset], is_changed=False),)
                    yield SideRow(
                        kind="same",
                        before_number=i + offset + 1,
                        before=pieces,
                        after_number=m + offset + 1,
                        after=pieces,
                    )
            else:
                yield from _changed(old, new, range(i, j), range(m, n))
        shown_to = group[-1][2]
    if groups and (skipped := len(old) - shown_to) > 0:
        yield SideRow(kind="skip", skipped=skipped)


def _changed(old: list[str], new: list[str], left: range, right: range) -> Iterator[SideRow]:
    paired = min(len(left), len(right))
    for i, m in zip(left, right, strict=False):
        words = diff_words(old[i], new[m])
        yield SideRow(
            kind="change",
            before_number=i + 1,
            before=tuple(
                DiffPiece(text=word.text, is_changed=word.kind == "drop")
                for word in words
                if word.kind != "add"
            ),
            after_number=m + 1,
            after=tuple(
                DiffPiece(text=word.text, is_changed=word.kind == "add")
                for word in words
                if word.kind != "drop"
            ),
        )
    for i in left[paired:]:
        yield SideRow(kind="drop", before_number=i + 1, before=(DiffPiece(text=old[i], is_changed=True),))
    for m in right[paired:]:
        yield SideRow(kind="add", after_number=m + 1, after=(DiffPiece(text=new[m], is_changed=True),))

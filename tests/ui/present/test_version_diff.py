"""Two versions side by side: lines are paired, changed words are marked, and no text is lost."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from workbench.records.versions import Version, VersionKind
from workbench.ui.present.version_diff import EDITOR, show_version_diff, side_by_side

VERSION = Version(
    id="1" * 64,
    kind=VersionKind.CONTRACT,
    name="a",
    number=1,
    text="",
    text_hash="",
    parent_id=None,
    message="",
    author="",
    created_at=datetime(2026, 11, 24, tzinfo=UTC),
    is_shared=False,
    tags=("production",),
)


def text_of(pieces):
    return "".join(piece.text for piece in pieces)


def test_changed_words_of_a_line_are_marked():
    rows = list(side_by_side("a\nYou can call tools.\nb", "a\nYou may call tools.\nb\nc"))
    assert [row.kind for row in rows] == ["same", "change", "same", "add"]
    changed = rows[1]
    assert [piece.text for piece in changed.before if piece.is_changed] == ["can"]
    assert [piece.text for piece in changed.after if piece.is_changed] == ["may"]
    assert (changed.before_number, changed.after_number) == (2, 2)
    assert (rows[3].before_number, rows[3].after_number) == (None, 4)


def test_unchanged_lines_far_from_a_change_are_left_out():
    before = "\n".join(map(str, range(20)))
    rows = list(side_by_side(before, before.replace("10", "ten")))
    assert [(row.kind, row.skipped) for row in rows if row.kind == "skip"] == [("skip", 7), ("skip", 6)]
    assert len(rows) == 2 + 3 + 1 + 3


@given(
    st.lists(st.sampled_from(["a", "b b", "c", ""]), max_size=8),
    st.lists(st.sampled_from(["a", "b c", ""]), max_size=8),
)
def test_every_changed_line_of_both_texts_is_there(old, new):
    before, after = "\n".join(old), "\n".join(new)
    rows = list(side_by_side(before, after))
    if before == after:
        assert rows == []
        return
    for text, number, pieces in ((before, "before_number", "before"), (after, "after_number", "after")):
        lines = text.split("\n")
        for row in rows:
            if (at := getattr(row, number)) is not None:
                assert text_of(getattr(row, pieces)) == lines[at - 1]
    shown = sum(row.before_number is not None for row in rows) + sum(row.skipped for row in rows)
    assert shown == len(before.split("\n"))


def test_both_sides_can_be_chosen():
    second = replace(VERSION, id="2" * 64, number=2, tags=())
    view = show_version_diff("a", [second, VERSION], (VERSION.id, "x"), (EDITOR, "y"))
    assert view.title == "Changes of a from v1 (production) to the editor"
    assert view.choices == ((EDITOR, "the editor"), (second.id, "v2"), (VERSION.id, "v1 (production)"))
    assert (view.before_id, view.after_id, view.summary) == (VERSION.id, EDITOR, "1 changed line")
    same = show_version_diff("a", [second], (EDITOR, "x"), (second.id, "x"))
    assert (same.summary, same.rows) == ("The texts are the same.", ())

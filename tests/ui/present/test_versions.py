"""The version line of a contract."""

from datetime import UTC, datetime

from workbench.records.versions import Version, VersionKind, hash_of
from workbench.ui.present.versions import show_versions

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def version(number, text, *, message="", author="", tags=(), day=22):
    return Version(
        id=f"id{number}", kind=VersionKind.CONTRACT, name="minimal", number=number, text=text,
        text_hash=hash_of(text), parent_id=None, message=message, author=author,
        created_at=datetime(2026, 11, day, 9, 5, tzinfo=UTC), is_shared=True, tags=tags,
    )  # fmt: skip


HISTORY = [
    version(2, "two", message="why\nand how", author="Anna", tags=("production",)),
    version(1, "one", author="file", day=20),
]


def test_a_saved_text_names_its_version():
    view = show_versions("minimal", "two", HISTORY, now=NOW)
    assert (view.label, view.is_changed, view.tags, view.base_id) == ("v2", False, ("production",), "id2")
    older = show_versions("minimal", "one", HISTORY, now=NOW)
    assert (older.label, older.is_changed, older.tags) == ("v1", False, ())
    assert [row.is_open for row in older.rows] == [False, True]


def test_a_changed_text_is_based_on_the_newest_version():
    view = show_versions("minimal", "two!", HISTORY, now=NOW)
    assert (view.label, view.is_changed, view.tags, view.base_id) == ("v2", True, (), "id2")


def test_a_name_without_versions_can_be_saved():
    view = show_versions("mine", "text", [], now=NOW)
    assert (view.label, view.base_id, view.is_changed, view.rows) == ("", "", True, ())


def test_rows_show_author_time_and_message():
    rows = show_versions("minimal", "two", HISTORY, now=NOW).rows
    assert [(row.label, row.message, row.note) for row in rows] == [
        ("v2", "why", "Anna · 09:05"),
        ("v1", "no message", "20 Nov"),
    ]
    assert [row.marks for row in rows] == [("candidate",), ("production", "candidate")]


def test_half_a_surrogate_pair_is_accepted():
    assert show_versions("minimal", "\ud800", HISTORY, now=NOW).is_changed

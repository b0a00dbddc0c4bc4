"""The list of contracts, or of suites."""

from workbench.records.versions import VersionKind
from workbench.ui.present.versions import show_texts


def test_files_are_listed_and_the_browser_adds_drafts():
    view = show_texts(VersionKind.SUITE, ["b", "a"], [], open_name="new", serial=1.0)
    assert view.kind == "suite"
    assert [(row.name, row.note) for row in view.rows] == [("a", "file"), ("b", "file")]

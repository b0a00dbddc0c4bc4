"""The list of contracts, or of suites."""

from workbench.records.versions import VersionKind
from workbench.ui.present.versions import show_texts


def test_files_and_the_new_text_are_listed():
    view = show_texts(VersionKind.SUITE, ["b", "a"], [], open_name="new", serial=1.0)
    assert view.kind == "suite"
    assert [(row.name, row.note, row.is_open) for row in view.rows] == [
        ("a", "file", False),
        ("b", "file", False),
        ("new", "not saved", True),
    ]

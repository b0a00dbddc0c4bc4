"""What the Contracts tab shows."""

import pytest

from workbench.app.version_content import diff_texts
from workbench.chat.finding import Finding, Severity
from workbench.contract.contract import parse_variables
from workbench.errors import BadInput
from workbench.ui.present.contracts import show_diff, show_lint, show_preview


def test_the_lint_names_the_line_and_is_calm_where_nothing_is_found():
    finding = Finding(code="no-tools", message="m", severity=Severity.WARNING)
    placed = Finding(code="chatml-mark", message="m", severity=Severity.WARNING, line=3)
    assert [line.word for line in show_lint([finding, placed]).lines] == ["warning", "line 3"]
    assert [line.tone for line in show_lint([]).lines] == ["quiet"]


def test_a_diff_is_lines_with_their_kind():
    view = show_diff("t", diff_texts("a\nb\n", "a\nc\n", ("1", "2")))
    assert [(line.kind, line.text) for line in view.lines][1:] == [("same", "a"), ("drop", "b"), ("add", "c")]
    assert view.lines[0].kind == "place"
    assert show_diff("t", diff_texts("a", "a", ("1", "2"))).lines == ()


def test_the_preview_has_its_size():
    assert show_preview("abc", tokens=None).size == "3 characters"
    assert show_preview("a", tokens=1).size == "1 character · 1 token"


def test_variables_are_read_a_line_each():
    assert parse_variables(" a = b = c \n\nd=") == {"a": "b = c", "d": ""}
    with pytest.raises(BadInput, match="line 2"):
        parse_variables("a=1\nb")

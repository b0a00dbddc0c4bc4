"""The views of the Contracts tab."""

import pytest

from workbench.app.version_content import diff_texts
from workbench.chat.finding import Finding, Severity
from workbench.contract.contract import parse_variables
from workbench.errors import BadInput
from workbench.ui.present.contracts import show_diff, show_lint, show_preview


def test_lint_findings_name_their_line_and_a_clean_lint_is_quiet():
    finding = Finding(code="no-tools", message="m", severity=Severity.WARNING)
    with_line = Finding(code="chatml-mark", message="m", severity=Severity.WARNING, line=3)
    lines = show_lint([finding, with_line]).lines
    assert [(line.word, line.code) for line in lines] == [("warning", "no-tools"), ("line 3", "chatml-mark")]
    assert [line.tone for line in show_lint([]).lines] == ["quiet"]


def test_a_diff_has_lines_with_their_kind():
    view = show_diff("t", diff_texts("a\nb\n", "a\nc\n", ("1", "2")))
    assert [(line.kind, line.text) for line in view.lines][1:] == [("same", "a"), ("drop", "b"), ("add", "c")]
    assert view.lines[0].kind == "place"
    assert show_diff("t", diff_texts("a", "a", ("1", "2"))).lines == ()


def test_the_preview_shows_its_size():
    assert show_preview("abc", tokens=None).size == "3 characters"
    assert show_preview("a", tokens=1).size == "1 character · 1 token"


def test_variables_are_parsed_one_per_line():
    assert parse_variables(" a = b = c \n\nd=") == {"a": "b = c", "d": ""}
    with pytest.raises(BadInput, match="line 2"):
        parse_variables("a=1\nb")

"""Notices: errors and advice as lines."""

from workbench.errors import PromptTooLong
from workbench.toolspec.tools_text import check_tools_text
from workbench.ui.present.notices import advice, problem, tool_findings


def test_an_error_is_one_line():
    (line,) = problem(PromptTooLong(prompt_tokens=120, context_tokens=100, reserved_tokens=1)).lines
    assert "21 tokens too long" in line.text
    assert (line.word, line.tone) == ("error", "error")


def test_tool_findings_name_the_line_and_the_pointer():
    (line,) = tool_findings(check_tools_text('[\n{"name": }]')).lines
    assert line.word == "line 2"
    (line,) = tool_findings(check_tools_text('[\n{"name": "f"}, {"name": "f"}]')).lines
    assert "/1" in line.text


def test_many_findings_are_counted():
    findings = check_tools_text("[{}, {}, {}, {}, {}]")
    assert [line.word for line in tool_findings(findings).lines][-1] == "more"


def test_empty_advice_has_no_line():
    assert advice("").lines == ()

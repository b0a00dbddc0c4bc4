"""Notices: errors and advice as lines."""

import pytest

from workbench.errors import ForeignSession, NoMessage, NoSession, OffBranch, PromptTooLong, WorkbenchError
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.tools_text import check_tools_text
from workbench.ui.present.notices import advice, grammar_advice, problem, tool_findings


def test_an_error_is_one_line():
    (line,) = problem(PromptTooLong(prompt_tokens=120, context_tokens=100, reserved_tokens=1)).lines
    assert "21 tokens too long" in line.text
    assert (line.word, line.tone) == ("error", "error")


ID = "9f2c" * 8


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (NoSession(ID), "there is no such session; choose another one"),
        (
            ForeignSession(ID, "Rain in Oslo"),
            "session 'Rain in Oslo' belongs to somebody else; open it in Play and choose \"Copy to my sessions\"",
        ),
        (
            ForeignSession(ID, ""),
            'this session belongs to somebody else; open it in Play and choose "Copy to my sessions"',
        ),
        (NoMessage(ID, ID), "this session has no such message; reload the page"),
        (OffBranch(ID), "this message is not on the branch that is shown; reload the page"),
    ],
)
def test_errors_about_sessions_name_neither_ids_nor_commands(error: WorkbenchError, shown: str):
    (line,) = problem(error).lines
    assert line.text == shown
    assert ID in str(error), "a terminal names it by the id that its commands take"


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


def test_a_tool_that_the_grammar_leaves_out_is_named():
    good = ToolSpec.of_function(
        {"name": "good", "parameters": {"type": "object", "properties": {"a": {"not": {}}}}}
    )
    odd = ToolSpec.of_function({"name": "odd", "parameters": {"$ref": "#/nowhere"}})
    left_out, not_enforced = grammar_advice(OfferedTools(specs=(good, odd)))
    assert left_out.startswith("The grammar leaves out the tool 'odd'")
    assert not_enforced == "Checked after the call, not while the model writes: not of a (good)."


def test_limits_that_the_grammar_leaves_out_are_named_in_words_and_counted():
    quantity = {"type": "string", "not": {"enum": ["0"]}}
    items = {"type": "array", "items": {"type": "object", "properties": {"qty": quantity, "b": quantity}}}
    schema = {"type": "object", "properties": {"items": items, "c": quantity, "d": quantity}}
    (line,) = grammar_advice(OfferedTools(specs=(ToolSpec.of_function({"name": "f", "parameters": schema}),)))
    assert line.startswith("Checked after the call") and "not of items[].qty (f)" in line
    assert line.endswith(" and 1 other limit.") and "/" not in line

"""The views of the Tools tab."""

from dataclasses import replace

import pytest

from workbench.app.token_sheet import ToolSize
from workbench.chat.finding import Finding, Severity
from workbench.chat.message import ToolResult
from workbench.errors import BadInput
from workbench.rollout.ports import ToolRun
from workbench.toolbox.entry import Availability, DraftFindings
from workbench.ui.present.tools import (
    check_result,
    read_arguments,
    show_draft,
    show_sizes,
    show_tools,
    show_tried,
)


def test_tools_are_grouped_by_toolset_with_the_reason_if_unavailable():
    availability = [
        Availability(name="b", toolset="set", reason="no key"),
        Availability(name="c", toolset="another", emoji="🔧"),
        Availability(name="a", toolset="set"),
    ]
    view = show_tools(availability, ["x.py: broken"], open_name="a")
    assert [(group.name, [tool.name for tool in group.tools]) for group in view.groups] == [
        ("another", ["c"]),
        ("set", ["a", "b"]),
    ]
    first, second = view.groups[1].tools
    assert (first.is_open, second.is_open, second.reason) == (True, False, "no key")
    assert view.groups[0].tools[0].title == "🔧 c"
    assert view.problems == ("x.py: broken",)


def test_a_clean_draft_says_so_and_findings_have_their_position():
    spec, rules, lint = show_draft(DraftFindings())
    assert (spec.lines[0].text, rules.lines, lint.lines[0].text) == (
        "No problems found.",
        (),
        "No problems found.",
    )
    note = Finding(code="odd-name", message="odd", severity=Severity.NOTE, pointer="/function/name")
    assert show_draft(DraftFindings(lint=(note,)))[0].lines[0].text == "No problems found."
    fault = Finding(code="rules-unsound", message="no loops", pointer="/0/template", line=4)
    spec, rules, lint = show_draft(DraftFindings(rules=(fault,), lint=(note,)))
    assert spec.lines == ()
    assert not any(notice.lines for notice in (*show_draft(DraftFindings(rules=(fault,)))[::2],))
    warning = replace(note, code="invalid-value", severity=Severity.WARNING)
    assert show_draft(DraftFindings(lint=(warning,)))[0].lines == ()
    assert (rules.lines[0].word, rules.lines[0].text) == ("line 4", "no loops (/0/template)")
    assert (lint.lines[0].code, lint.lines[0].text) == ("odd-name", "odd (/function/name)")
    assert rules.lines[0].code == "rules-unsound"


def test_a_trial_shows_its_result_its_rule_and_the_changed_arguments():
    change = Finding(code="coerced-by-schema", message="'3' is read as 3", severity=Severity.NOTE)
    run = ToolRun(
        result=ToolResult(text='{"a": "ü"}'), milliseconds=2.0, rule="mock rule 1", findings=(change,)
    )
    view = show_tried(run)
    assert (view.status, view.text, view.changes) == ("result", '{\n  "a": "ü"\n}', ("'3' is read as 3",))
    assert view.note.startswith("mock rule 1 · ")
    failed = show_tried(ToolRun(result=ToolResult(text='"x"', is_error=True), milliseconds=0.0))
    assert (failed.status, failed.note.split(" · ")[0]) == ("failed", "answered by code")


@pytest.mark.parametrize(
    ("text", "where"), [("{\n", "line 2"), ("[]", "not a JSON object"), ("[" * 100_000, "not JSON")]
)
def test_invalid_arguments_are_reported_with_their_position(text, where):
    with pytest.raises(BadInput, match=where):
        read_arguments(text)
    assert read_arguments("") == {}


@pytest.mark.parametrize("text", ['{"a": 1', "[1,]", '"half', "{a: 1}"])
def test_a_written_result_that_begins_like_json_must_be_json(text):
    with pytest.raises(BadInput, match=r"result.*not JSON"):
        check_result(text)


def test_a_written_result_may_be_json_or_text():
    for text in ('{"a": 1}', "plain text", "", '"{"', "3 of [4]"):
        assert check_result(text) is None


def test_sizes_include_tokens_if_they_can_be_counted():
    view = show_sizes(
        [ToolSize(families=("a", "b"), chars=40, tokens=9), ToolSize(families=("c",), chars=50, tokens=None)]
    )
    assert [line.text for line in view.lines] == ["9 tokens, 40 characters for a, b", "50 characters for c"]

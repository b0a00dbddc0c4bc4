"""What the Tools tab shows."""

import pytest

from workbench.app.token_sheet import ToolSize
from workbench.chat.finding import Finding, Severity
from workbench.chat.message import ToolResult
from workbench.errors import BadInput
from workbench.rollout.ports import ToolRun
from workbench.toolbox.entry import Availability, DraftFindings
from workbench.ui.present.tools import read_arguments, show_draft, show_sizes, show_tools, show_tried


def test_tools_stand_by_their_toolset_with_the_reason_why_one_cannot_be_used():
    found = [
        Availability(name="b", toolset="set", reason="no key"),
        Availability(name="c", toolset="another", emoji="🔧"),
        Availability(name="a", toolset="set"),
    ]
    view = show_tools(found, ["x.py: broken"], open_name="a")
    assert [(group.name, [tool.name for tool in group.tools]) for group in view.groups] == [
        ("another", ["c"]),
        ("set", ["a", "b"]),
    ]
    first, second = view.groups[1].tools
    assert (first.is_open, second.is_open, second.reason) == (True, False, "no key")
    assert view.groups[0].tools[0].title == "🔧 c"
    assert view.problems == ("x.py: broken",)


def test_a_calm_draft_says_so_and_a_bad_one_has_its_places():
    spec, rules, lint = show_draft(DraftFindings())
    assert (spec.lines[0].text, rules.lines, lint.lines[0].text) == ("Sound.", (), "Nothing found.")
    note = Finding(code="odd-name", message="odd", severity=Severity.NOTE, pointer="/function/name")
    fault = Finding(code="rules-unsound", message="no loops", pointer="/0/template", line=4)
    spec, rules, lint = show_draft(DraftFindings(rules=(fault,), lint=(note,)))
    assert (rules.lines[0].word, rules.lines[0].text) == ("line 4", "no loops (/0/template)")
    assert lint.lines[0].text == "odd-name: odd (/function/name)"


def test_a_run_is_laid_out_with_who_answered_and_what_was_changed():
    told = Finding(code="coerced-by-schema", message="'3' is read as 3", severity=Severity.NOTE)
    run = ToolRun(
        result=ToolResult(text='{"a": "ü"}'), milliseconds=2.0, rule="mock rule 1", findings=(told,)
    )
    view = show_tried(run)
    assert (view.status, view.text, view.told) == ("result", '{\n  "a": "ü"\n}', ("'3' is read as 3",))
    assert view.note.startswith("mock rule 1 · ")
    failed = show_tried(ToolRun(result=ToolResult(text='"x"', is_error=True), milliseconds=0.0))
    assert (failed.status, failed.note.split(" · ")[0]) == ("failed", "run by code")


@pytest.mark.parametrize(
    ("text", "where"), [("{\n", "line 2"), ("[]", "no JSON object"), ("[" * 100_000, "not JSON")]
)
def test_arguments_that_cannot_be_read_say_where(text, where):
    with pytest.raises(BadInput, match=where):
        read_arguments(text)
    assert read_arguments("") == {}


def test_sizes_tell_tokens_where_they_could_be_counted():
    view = show_sizes(
        [ToolSize(families=("a", "b"), chars=40, tokens=9), ToolSize(families=("c",), chars=50, tokens=None)]
    )
    assert [line.text for line in view.lines] == ["9 tokens, 40 characters as a, b", "50 characters as c"]

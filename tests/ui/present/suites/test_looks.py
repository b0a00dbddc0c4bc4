"""The runs of a case, alone and side by side."""

from dataclasses import replace
from datetime import UTC, datetime

from tests.store.runs.examples import RESULT
from workbench.chat.message import Message, Role
from workbench.records.sessions import MessageOrigin, StoredMessage
from workbench.suite.compare import compare
from workbench.suite.result import CaseMeasures, CaseStatus
from workbench.ui.present.suites.case_runs import show_case_runs, show_pair
from workbench.ui.present.suites.run import LONGEST, show_comparison

NASTY = "<script>${x}</script>"
ONE = replace(
    RESULT, said=NASTY, calls_told="f(a=1)", answer=NASTY, session_id="s1",
    measures=CaseMeasures(prompt_tokens=10, completion_tokens=3, seconds=1.25, fixes={"near-tag": 2, "comma": 1}, dropped=1),
)  # fmt: skip


def rollout(session_id):
    if session_id != "s1":
        return ()
    text = "<tool_call>\nx\n</tool_call>"
    return (
        StoredMessage(
            id="m", parent_id=None, message=Message(role=Role.ASSISTANT, text=text), origin=MessageOrigin.MODEL,
            created_at=datetime(2026, 1, 1, tzinfo=UTC), generation=None, tool_run=None,
        ),
    )  # fmt: skip


def test_a_run_of_a_case_has_its_reading_reasons_and_rollout():
    shown = show_case_runs("s/a", [ONE, replace(ONE, repetition=1, session_id="gone")], rollout)
    first, second = shown.runs
    assert (shown.user_text, first.title, second.title) == (NASTY, "short", "short · repetition 2")
    assert first.outcomes == (("✗", "no_call: called f(ü=1)"),)
    assert dict(first.read) == {
        "calls": "f(a=1)",
        "answer": NASTY,
        "fixes": "near-tag × 2, comma",
        "dropped calls": "1",
    }
    assert first.note == "10 + 3 tokens · 1.2 s"
    assert [piece.kind for piece in first.messages[0].pieces] == ["mark", "text", "mark"]
    assert second.messages == ()


def test_a_pair_shows_both_readings():
    before = replace(ONE, status=CaseStatus.PASSED, calls_told="before()")
    [pair] = compare([before], [replace(ONE, arm="other", calls_told="after()")]).pairs
    shown = show_pair(pair, rollout)
    assert shown.is_pair
    assert [run.title for run in shown.runs] == ["before · short", "after · other"]
    assert [dict(run.read)["calls"] for run in shown.runs] == ["before()", "after()"]


def test_broken_cases_come_first_and_long_readings_are_cut():
    first = [replace(ONE, key=key, case_id=key, status=CaseStatus.PASSED) for key in "abc"]
    second = [
        replace(ONE, key="a", case_id="a", status=CaseStatus.PASSED),
        replace(ONE, key="b", case_id="b", status=CaseStatus.FAILED, calls_told="x" * 5000),
        replace(ONE, key="c", case_id="c", status=CaseStatus.ERROR, error="gone"),
    ]
    shown = show_comparison(compare(first, second), against="old")
    assert [(pair.change, pair.case, pair.tone) for pair in shown.changed] == [("broke", "s/b", "bad")]
    assert [(pair.change, pair.tone) for pair in shown.rest] == [("passes", "quiet"), ("unknown", "odd")]
    assert len(shown.changed[0].after) == LONGEST
    assert shown.line.startswith("1 broke, 0 fixed, 2 compared")
    assert shown.title == "Compared with old"

"""The list of sessions, grouped by day."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from workbench.chat.finding import Span
from workbench.records.session_tree import FoundSession, Snippet
from workbench.records.sessions import ListedSession
from workbench.ui.present.sessions import show_sessions

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def _session(number, age):
    used_at = NOW - age
    session = ListedSession(
        id=str(number),
        title=f"session {number}",
        created_at=used_at,
        updated_at=used_at,
        tags=(),
        deleted_at=None,
        message_count=1,
        is_own=True,
        is_shared=False,
    )
    return FoundSession(session=session, message_id=None, snippet=None)


def test_each_day_has_one_heading():
    ages = [timedelta(hours=1), timedelta(hours=2), timedelta(days=1), timedelta(days=3), timedelta(days=60)]
    view = show_sessions([_session(number, age) for number, age in enumerate(ages)], open_id="1", now=NOW)
    assert [row.heading for row in view.rows] == ["Today", "", "Yesterday", "This week", "September 2026"]
    assert [row.when for row in view.rows] == ["11:00", "10:00", "12:00", "18 Nov", "22 Sep"]
    assert [row.is_open for row in view.rows] == [False, True, False, False, False]


def test_a_session_from_the_future_counts_as_today():
    (row,) = show_sessions([_session(1, timedelta(hours=-30))], open_id=None, now=NOW).rows
    assert row.heading == "Today"


def test_search_results_keep_their_order_and_show_the_words():
    first, second = _session(1, timedelta(days=60)), _session(2, timedelta(hours=1))
    snippet = Snippet(text="the owl of Cairo", spans=(Span(4, 7), Span(11, 16)))
    first = replace(first, message_id="m", snippet=snippet)
    view = show_sessions([first, second], open_id="2", now=NOW, query="owl cai", has_more=True)
    assert [(row.id, row.heading, row.is_open) for row in view.rows] == [("1", "", False), ("2", "", True)]
    assert [(piece.text, piece.kind) for piece in view.rows[0].snippet] == [
        ("the ", "text"),
        ("owl", "found"),
        (" of ", "text"),
        ("Cairo", "found"),
    ]
    assert (view.query, view.has_more) == ("owl cai", True)


def test_a_recorded_session_has_its_source_and_its_client():
    found = [_session(number, timedelta(hours=1)) for number in range(3)]
    clients = ("OpenAI/Python 2.8.1", "", None)
    found = [
        replace(one, session=replace(one.session, client=client))
        for one, client in zip(found, clients, strict=True)
    ]
    rows = show_sessions(found, open_id=None, now=NOW).rows
    assert [(row.word, row.client) for row in rows] == [
        ("gateway", "OpenAI/Python 2.8.1"),
        ("gateway", ""),
        ("", ""),
    ]


def test_an_empty_search_says_so():
    assert show_sessions([], open_id=None, now=NOW).hint.startswith("Your conversations")
    assert show_sessions([], open_id=None, now=NOW, query="x").hint.startswith("No session has")


def test_deleted_sessions_are_listed_apart_and_the_last_can_be_restored():
    deleted = [replace(_session(number, timedelta()).session, deleted_at=NOW) for number in (1, 2)]
    view = show_sessions([], open_id=None, now=NOW, deleted=deleted, undo_id="2")
    assert [row.id for row in view.deleted] == ["1", "2"]
    assert view.undo == view.deleted[1]


def test_a_word_marks_shared_damaged_and_other_owners_sessions():
    intact = _session(1, timedelta()).session
    rows = [
        intact,
        replace(intact, is_shared=True),
        replace(intact, is_own=False),
        replace(intact, damage="setup.max_rounds: no number", is_shared=True),
    ]
    found = [FoundSession(session=row, message_id=None, snippet=None) for row in rows]
    view = show_sessions(found, open_id=None, now=NOW)
    assert [row.word for row in view.rows] == ["", "shared", "other owner", "damaged"]
    assert [row.can_delete for row in view.rows] == [True, True, False, True]
    assert view.rows[3].damage == "setup.max_rounds: no number"

"""The list of sessions, cut into days."""

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
    view = show_sessions([_session(*one) for one in enumerate(ages)], open_id="1", now=NOW)
    assert [row.heading for row in view.rows] == ["Today", "", "Yesterday", "This week", "September 2026"]
    assert [row.when for row in view.rows] == ["11:00", "10:00", "12:00", "18.11.", "22.09."]
    assert [row.is_open for row in view.rows] == [False, True, False, False, False]


def test_a_session_of_the_future_is_of_today():
    (row,) = show_sessions([_session(1, timedelta(hours=-30))], open_id=None, now=NOW).rows
    assert row.heading == "Today"


def test_what_was_searched_for_keeps_its_order_and_shows_the_words():
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


def test_an_empty_search_says_so():
    assert show_sessions([], open_id=None, now=NOW).hint.startswith("Each conversation")
    assert show_sessions([], open_id=None, now=NOW, query="x").hint.startswith("No session has")


def test_what_is_deleted_stands_apart_and_the_last_one_can_be_undone():
    gone = [replace(_session(number, timedelta()).session, deleted_at=NOW) for number in (1, 2)]
    view = show_sessions([], open_id=None, now=NOW, deleted=gone, undo_id="2")
    assert [row.id for row in view.deleted] == ["1", "2"]
    assert view.undo == view.deleted[1]


def test_a_word_says_what_is_to_be_known_of_a_session():
    sound = _session(1, timedelta()).session
    rows = [
        sound,
        replace(sound, is_shared=True),
        replace(sound, is_own=False),
        replace(sound, damage="setup.max_rounds: no number", is_shared=True),
    ]
    found = [FoundSession(session=row, message_id=None, snippet=None) for row in rows]
    view = show_sessions(found, open_id=None, now=NOW)
    assert [row.word for row in view.rows] == ["", "shared", "another's", "damaged"]
    assert [row.can_delete for row in view.rows] == [True, True, False, True]
    assert view.rows[3].damage == "setup.max_rounds: no number"

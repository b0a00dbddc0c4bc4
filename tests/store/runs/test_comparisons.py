"""Comparisons, their answers and votes are stored."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from tests.store.examples import SETUP, user
from tests.store.runs.comparisons import COLUMNS, give_comparison
from workbench.errors import BadInput, StoreError
from workbench.records.comparisons import Comparison, ComparisonAnswer, Vote, VoteKind
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.store.store import Store


@pytest.fixture
def own(migrated_url):
    with closing(Store(migrated_url)) as store:
        yield store.of(LOCAL_OWNER)


def new_comparison(own, **changes):
    """Create a comparison without answers."""
    session = own.sessions.create_session(SETUP)
    question = own.sessions.append(session.id, user("Cairo?"), parent_id=None)
    fields = {"session_id": session.id, "turns": (question.id,), "columns": COLUMNS, **changes}
    return own.comparisons.create_comparison("Cairo?", Comparison(**fields))


def test_a_comparison_is_stored_unchanged(own):
    stored = give_comparison(own)
    assert stored.comparison.columns == COLUMNS
    assert [(answer.column, answer.problem) for answer in stored.answers] == [(0, ""), (1, "")]
    assert stored.votes == (Vote(turn=0, kind=VoteKind.BEST, column=1),)
    assert (stored.listed.title, stored.listed.column_count, stored.listed.turn_count) == ("Cairo?", 2, 1)
    assert own.comparisons.find_comparison("nope") is None
    assert own.comparisons.find_comparison("a\0b") is None


def test_the_newest_is_listed_first(own):
    first, second = give_comparison(own), give_comparison(own)
    assert [comparison.id for comparison in own.comparisons.list_comparisons()] == [second.id, first.id]
    assert [comparison.id for comparison in own.comparisons.list_comparisons(limit=1, offset=1)] == [first.id]


def test_a_new_answer_or_vote_replaces_the_previous_one(own):
    stored = give_comparison(own)
    own.comparisons.save_vote(stored.id, Vote(turn=0, kind=VoteKind.TIE))
    assert own.comparisons.find_comparison(stored.id).votes == (Vote(turn=0, kind=VoteKind.TIE),)
    own.comparisons.save_answer(stored.id, ComparisonAnswer(column=0, turn=0, problem="gone"))
    found = own.comparisons.find_comparison(stored.id)
    assert found.answers[0] == ComparisonAnswer(column=0, turn=0, problem="gone")
    assert found.missing == ((0, 0),)
    own.comparisons.forget_vote(stored.id, 0)
    own.comparisons.forget_vote(stored.id, 0)
    assert own.comparisons.find_comparison(stored.id).votes == ()


@pytest.mark.parametrize(
    ("vote", "problem"),
    [
        (Vote(turn=1, kind=VoteKind.TIE), "the comparison has only 1 turn"),
        (Vote(turn=0, kind=VoteKind.BEST), "`best` needs a column"),
        (Vote(turn=0, kind=VoteKind.TIE, column=1), "`tie` has no column"),
        (Vote(turn=0, kind=VoteKind.BEST, column=2), "column 3 has no answer"),
        (Vote(turn=0, kind=VoteKind.BEST, column=-1), "column 0 has no answer"),
    ],
)
def test_an_invalid_vote_is_rejected(own, vote, problem):
    stored = give_comparison(own)
    with pytest.raises(BadInput, match=problem):
        own.comparisons.save_vote(stored.id, vote)
    assert own.comparisons.find_comparison(stored.id).votes == stored.votes


def test_a_vote_needs_two_answers(own):
    with pytest.raises(BadInput, match="0 of 2 columns have an answer"):
        own.comparisons.save_vote(new_comparison(own).id, Vote(turn=0, kind=VoteKind.TIE))


def test_votes_are_in_the_audit_log(own):
    stored = give_comparison(own)
    own.comparisons.forget_vote(stored.id, 0)
    actions = [(entry.action, entry.subject) for entry in own.audit.entries(limit=9)]
    subject = f"comparison:{stored.id}#0"
    assert {("vote.save", subject), ("vote.forget", subject)} <= set(actions)


def test_a_comparison_is_deleted_and_restored_with_its_session(own):
    stored = give_comparison(own)
    session_id = stored.comparison.session_id
    own.sessions.delete_session(session_id)
    assert own.comparisons.find_comparison(stored.id) is None
    assert own.comparisons.list_comparisons() == ()
    with pytest.raises(StoreError, match="there is no comparison"):
        own.comparisons.forget_vote(stored.id, 0)
    own.sessions.restore_session(session_id)
    assert own.comparisons.find_comparison(stored.id) == stored


def test_an_invalid_comparison_is_rejected(own):
    with pytest.raises(StoreError, match="has no message"):
        new_comparison(own, turns=("nope",))
    with pytest.raises(StoreError, match="there is no session"):
        new_comparison(own, session_id="nope")
    with pytest.raises(BadInput, match="1 column"):
        new_comparison(own, columns=COLUMNS[:1])
    with pytest.raises(BadInput, match="no turn"):
        new_comparison(own, turns=())
    with pytest.raises(StoreError, match="has no message"):
        own.comparisons.save_answer(
            new_comparison(own).id, ComparisonAnswer(column=0, turn=0, leaf_id="nope")
        )
    with pytest.raises(BadInput, match="NUL"):
        own.comparisons.save_answer(new_comparison(own).id, ComparisonAnswer(column=0, turn=0, problem="a\0"))


def test_a_message_that_is_not_shown_does_not_change_the_open_leaf(own):
    stored = give_comparison(own)
    session = own.sessions.find_session(stored.comparison.session_id)
    assert session.leaf_id == stored.answers[0].leaf_id
    assert session.message_count == 3


def test_purging_a_session_deletes_its_comparisons(migrated_url):
    moment = [datetime(2026, 1, 1, tzinfo=UTC)]
    with closing(Store(migrated_url, now=lambda: moment[0])) as store:
        own = store.of(Owner(key="ann"))
        stored = give_comparison(own)
        own.sessions.delete_session(stored.comparison.session_id)
        moment[0] += timedelta(days=31)
        assert store.purge() == 1
        assert own.comparisons.find_comparison(stored.id) is None

"""Comparisons, their answers and votes are kept."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from tests.store.comparisons import COLUMNS, give_comparison
from tests.store.examples import SETUP, user
from workbench.errors import BadInput, StoreError
from workbench.records.comparisons import Comparison, ComparisonAnswer, Vote, VoteKind
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.store.store import Store


@pytest.fixture
def own(made_url):
    with closing(Store(made_url)) as store:
        yield store.of(LOCAL_OWNER)


def begun(own, **changes):
    """A comparison of which nothing is played."""
    session = own.sessions.create_session(SETUP)
    asked = own.sessions.append(session.id, user("Cairo?"), parent_id=None)
    wanted = {"session_id": session.id, "turns": (asked.id,), "columns": COLUMNS, **changes}
    return own.comparisons.create_comparison("Cairo?", Comparison(**wanted))


def test_a_comparison_comes_back_as_it_was(own):
    kept = give_comparison(own)
    assert kept.comparison.columns == COLUMNS
    assert [(one.column, one.problem) for one in kept.answers] == [(0, ""), (1, "")]
    assert kept.votes == (Vote(turn=0, kind=VoteKind.BEST, column=1),)
    assert (kept.listed.title, kept.listed.column_count, kept.listed.turn_count) == ("Cairo?", 2, 1)
    assert own.comparisons.find_comparison("nope") is None
    assert own.comparisons.find_comparison("a\0b") is None


def test_the_newest_is_listed_first(own):
    first, second = give_comparison(own), give_comparison(own)
    assert [one.id for one in own.comparisons.list_comparisons()] == [second.id, first.id]
    assert [one.id for one in own.comparisons.list_comparisons(limit=1, offset=1)] == [first.id]


def test_an_answer_and_a_vote_take_the_place_of_the_former(own):
    kept = give_comparison(own)
    own.comparisons.save_vote(kept.id, Vote(turn=0, kind=VoteKind.TIE))
    assert own.comparisons.find_comparison(kept.id).votes == (Vote(turn=0, kind=VoteKind.TIE),)
    own.comparisons.save_answer(kept.id, ComparisonAnswer(column=0, turn=0, problem="gone"))
    found = own.comparisons.find_comparison(kept.id)
    assert found.answers[0] == ComparisonAnswer(column=0, turn=0, problem="gone")
    assert found.missing == ((0, 0),)
    own.comparisons.forget_vote(kept.id, 0)
    own.comparisons.forget_vote(kept.id, 0)
    assert own.comparisons.find_comparison(kept.id).votes == ()


@pytest.mark.parametrize(
    ("vote", "said"),
    [
        (Vote(turn=1, kind=VoteKind.TIE), "the comparison has only 1 turn"),
        (Vote(turn=0, kind=VoteKind.BEST), "`best` needs a column"),
        (Vote(turn=0, kind=VoteKind.TIE, column=1), "`tie` has no column"),
        (Vote(turn=0, kind=VoteKind.BEST, column=2), "column 3 has no answer"),
        (Vote(turn=0, kind=VoteKind.BEST, column=-1), "column 0 has no answer"),
    ],
)
def test_a_vote_that_makes_no_sense_is_refused(own, vote, said):
    kept = give_comparison(own)
    with pytest.raises(BadInput, match=said):
        own.comparisons.save_vote(kept.id, vote)
    assert own.comparisons.find_comparison(kept.id).votes == kept.votes


def test_nobody_votes_before_two_columns_have_answered(own):
    with pytest.raises(BadInput, match="0 of 2 columns have an answer"):
        own.comparisons.save_vote(begun(own).id, Vote(turn=0, kind=VoteKind.TIE))


def test_votes_are_in_the_audit_log(own):
    kept = give_comparison(own)
    own.comparisons.forget_vote(kept.id, 0)
    actions = [(one.action, one.subject) for one in own.audit.entries(limit=9)]
    subject = f"comparison:{kept.id}#0"
    assert {("vote.save", subject), ("vote.forget", subject)} <= set(actions)


def test_a_comparison_is_gone_with_its_session_and_comes_back_with_it(own):
    kept = give_comparison(own)
    session_id = kept.comparison.session_id
    own.sessions.delete_session(session_id)
    assert own.comparisons.find_comparison(kept.id) is None
    assert own.comparisons.list_comparisons() == ()
    with pytest.raises(StoreError, match="there is no comparison"):
        own.comparisons.forget_vote(kept.id, 0)
    own.sessions.restore_session(session_id)
    assert own.comparisons.find_comparison(kept.id) == kept


def test_a_comparison_of_what_is_not_there_or_cannot_be_kept_is_refused(own):
    with pytest.raises(StoreError, match="has no message"):
        begun(own, turns=("nope",))
    with pytest.raises(StoreError, match="there is no session"):
        begun(own, session_id="nope")
    with pytest.raises(BadInput, match="1 column"):
        begun(own, columns=COLUMNS[:1])
    with pytest.raises(BadInput, match="no turn"):
        begun(own, turns=())
    with pytest.raises(StoreError, match="has no message"):
        own.comparisons.save_answer(begun(own).id, ComparisonAnswer(column=0, turn=0, leaf_id="nope"))
    with pytest.raises(BadInput, match="NUL"):
        own.comparisons.save_answer(begun(own).id, ComparisonAnswer(column=0, turn=0, problem="a\0"))


def test_a_message_that_is_not_shown_leaves_the_open_leaf_where_it_is(own):
    kept = give_comparison(own)
    session = own.sessions.find_session(kept.comparison.session_id)
    assert session.leaf_id == kept.answers[0].leaf_id
    assert session.message_count == 3


def test_deleted_for_good_a_session_takes_its_comparisons_along(made_url):
    moment = [datetime(2026, 1, 1, tzinfo=UTC)]
    with closing(Store(made_url, now=lambda: moment[0])) as store:
        own = store.of(Owner(key="ann"))
        kept = give_comparison(own)
        own.sessions.delete_session(kept.comparison.session_id)
        moment[0] += timedelta(days=31)
        assert store.purge() == 1
        assert own.comparisons.find_comparison(kept.id) is None

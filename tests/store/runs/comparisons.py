"""A comparison for tests of the store."""

from dataclasses import replace

from tests.store.examples import SETUP, completion, user
from workbench.records.comparisons import (
    Column,
    Comparison,
    ComparisonAnswer,
    StoredComparison,
    Vote,
    VoteKind,
)
from workbench.store.store import OwnedStore

COLUMNS = (
    Column(contract="minimal@3", setup=SETUP),
    Column(
        contract="",
        setup=replace(SETUP, contract_name="full", contract_text="--\nüber\n", is_constrained=False),
    ),
)


def give_comparison(own: OwnedStore, *, title: str = "Cairo?") -> StoredComparison:
    """Store a comparison in a new session, with an answer of each column and a vote."""
    session = own.sessions.create_session(SETUP)
    question = own.sessions.append(session.id, user(title), parent_id=None)
    comparison = Comparison(session_id=session.id, turns=(question.id,), columns=COLUMNS)
    stored = own.comparisons.create_comparison(title, comparison)
    for place, column in enumerate(COLUMNS):
        new = replace(completion(f"answer {place}"), setup=column.setup)
        answer = own.sessions.append(session.id, new, parent_id=question.id, is_shown=place == 0)
        own.comparisons.save_answer(
            stored.id, ComparisonAnswer(column=place, turn=0, asked_id=question.id, leaf_id=answer.id)
        )
    own.comparisons.save_vote(stored.id, Vote(turn=0, kind=VoteKind.BEST, column=1))
    found = own.comparisons.find_comparison(stored.id)
    assert found
    return found

"""Votes on comparisons become pairs and bad answers."""

import pytest

from tests.app.comparisons.comparing import CALL, column, create, run_all
from tests.records.corpus.sessions import label, rows_of
from tests.services import services_for
from workbench.app.comparisons.planning import Turns, compare_turns
from workbench.records.comparisons import Vote, VoteKind
from workbench.records.label import Verdict


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "Good.", "Bad.", "Odd.") as (services, _):
        yield services


def best(place, turn=0):
    return Vote(turn=turn, kind=VoteKind.BEST, column=place)


def said(row, name):
    return [item["content"] for item in row[name]]


def test_the_better_answer_is_chosen_and_each_other_one_rejected(services):
    kept, _ = run_all(services, create(services, *[column(services)] * 3))
    assert [item.code for item in rows_of(services, "dpo")[1]] == ["no-preference"]
    services.comparisons.save_vote(kept.id, best(1))
    rows, obstacles = rows_of(services, "dpo")
    assert obstacles == []
    assert [(said(row, "chosen"), said(row, "rejected")) for row in rows] == [
        (["Bad."], ["Good."]),
        (["Bad."], ["Odd."]),
    ]
    assert said(rows[0], "prompt")[1:] == ["Cairo?"]
    assert rows[0]["model"]["name"] == services.settings.model


def test_the_prompt_has_the_system_text_of_the_better_answer_and_the_row_its_contract(services):
    kept, _ = run_all(services, create(services, column(services), column(services, contract="full")))
    services.comparisons.save_vote(kept.id, best(1))
    ((row,), _) = rows_of(services, "dpo")
    path = services.sessions.path(kept.comparison.session_id, leaf_id=kept.answers[1].leaf_id)
    assert row["contract"] == {"name": "full", "fingerprint": path[-1].generation.contract_fingerprint}
    assert said(row, "prompt")[0].startswith(path[0].message.text[:20])


def test_what_both_answers_begin_with_belongs_to_the_prompt(tmp_path):
    with services_for(tmp_path, CALL % "cairo", "31.", CALL % "cairo", "No idea.") as (services, _):
        kept, _ = run_all(services, create(services, column(services), column(services)))
        services.comparisons.save_vote(kept.id, best(0))
        ((row,), obstacles) = rows_of(services, "dpo")
        assert obstacles == []
        assert (said(row, "chosen"), said(row, "rejected")) == (["31."], ["No idea."])
        assert [item["role"] for item in row["prompt"]] == ["system", "user", "assistant", "tool"]


def test_an_answer_includes_its_calls_if_the_first_messages_differ(tmp_path):
    with services_for(tmp_path, CALL % "cairo", "31.", "No idea.") as (services, _):
        kept, _ = run_all(services, create(services, column(services), column(services)))
        services.comparisons.save_vote(kept.id, best(0))
        ((row,), obstacles) = rows_of(services, "dpo")
        assert obstacles == []
        assert [item["role"] for item in row["chosen"]] == ["assistant", "tool", "assistant"]
        assert said(row, "rejected") == ["No idea."]


def test_a_tie_makes_no_pair_and_a_vote_can_be_changed_and_removed(services):
    kept, _ = run_all(services, create(services, column(services), column(services)))
    services.comparisons.save_vote(kept.id, best(1))
    services.comparisons.save_vote(kept.id, Vote(turn=0, kind=VoteKind.TIE))
    assert rows_of(services, "dpo")[0] == []
    services.comparisons.save_vote(kept.id, best(0))
    assert len(rows_of(services, "dpo")[0]) == 1
    services.comparisons.forget_vote(kept.id, 0)
    assert rows_of(services, "dpo")[0] == []


def test_answers_that_are_all_bad_are_bad_answers_unless_labels_say_otherwise(services):
    kept, _ = run_all(services, create(services, column(services), column(services)))
    services.comparisons.save_vote(kept.id, Vote(turn=0, kind=VoteKind.BAD))
    assert rows_of(services, "dpo")[0] == []
    rows, obstacles = rows_of(services, "kto")
    assert obstacles == []
    assert [(said(row, "completion"), row["label"]) for row in rows] == [
        (["Good."], False),
        (["Bad."], False),
    ]
    label(services, kept.comparison.session_id, kept.answers[0].leaf_id, verdict=Verdict.GOOD)
    assert [row["label"] for row in rows_of(services, "kto")[0]] == [True, False]


def test_a_vote_on_two_siblings_takes_precedence_over_their_labels(services):
    kept, _ = run_all(services, create(services, column(services), column(services)))
    session_id = kept.comparison.session_id
    label(services, session_id, kept.answers[0].leaf_id, verdict=Verdict.GOOD)
    label(services, session_id, kept.answers[1].leaf_id, verdict=Verdict.BAD_ANSWER)
    assert said(rows_of(services, "dpo")[0][0], "chosen") == ["Good."]
    services.comparisons.save_vote(kept.id, best(1))
    assert [said(row, "chosen") for row in rows_of(services, "dpo")[0]] == [["Bad."]]


def test_equal_answers_do_not_make_a_pair(tmp_path):
    with services_for(tmp_path, "The same.") as (services, _):
        kept, _ = run_all(services, create(services, column(services), column(services)))
        services.comparisons.save_vote(kept.id, best(0))
        rows, (obstacle,) = rows_of(services, "dpo")
        assert (rows, obstacle.code, obstacle.is_defect) == ([], "no-preference", False)
        assert "are the same" in obstacle.message


def test_answers_after_different_conversations_do_not_make_a_pair(tmp_path):
    with services_for(tmp_path, "a1", "a2", "b1", "b2", "c1", "c2") as (services, play):
        session_id = play("First?")
        play("Second?", session_id)
        turns = Turns(session_id=session_id, is_whole=True, goes_on=True)
        kept, _ = run_all(services, compare_turns(services, turns, [column(services)] * 2))
        services.comparisons.save_vote(kept.id, best(0, turn=0))
        services.comparisons.save_vote(kept.id, best(1, turn=1))
        rows, (obstacle,) = rows_of(services, "dpo")
        assert [(said(row, "chosen"), said(row, "rejected")) for row in rows] == [(["b1"], ["c1"])]
        assert "different conversations" in obstacle.message

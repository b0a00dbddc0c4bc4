"""Columns of a comparison answer turns as branches of one session."""

import json

import pytest

from tests.app.comparisons.comparing import CALL, column, create, run_all, script, texts
from tests.services import services_for
from workbench.app.comparisons.column_runner import STOPPED
from workbench.app.comparisons.events import AnswerEnded, AnswerProgress, AnswerStarted
from workbench.app.comparisons.planning import Turns, compare_turns
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.records.comparisons import MAX_COLUMNS
from workbench.records.facts import FactGroup, FactKind
from workbench.records.session_tree import find_siblings
from workbench.records.versions import hash_of
from workbench.rollout.events import PieceArrived
from workbench.rollout.sampling import Sampling


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "One.", "Two.", "Three.", "Four.") as (services, _):
        yield services


def test_columns_with_the_same_contract_are_siblings_and_the_first_becomes_the_open_path(services):
    stored = create(services, column(services), column(services, sampling=Sampling(seed=7)))
    assert stored.missing == ((0, 0), (0, 1))
    stored, _ = run_all(services, stored)
    assert texts(services, stored) == [{0: ["One."], 1: ["Two."]}]
    session_id = stored.comparison.session_id
    beside = find_siblings(services.sessions.tree(session_id))
    assert beside[stored.answers[0].leaf_id] == (stored.answers[0].leaf_id, stored.answers[1].leaf_id)
    assert services.sessions.path(session_id)[-1].id == stored.answers[0].leaf_id
    assert stored.missing == ()
    session = services.sessions.find_session(session_id)
    assert (session.title, session.tags) == ("Cairo?", ("compared",))


def test_a_column_with_another_contract_answers_a_copy_of_the_question(services):
    stored, _ = run_all(services, create(services, column(services), column(services, contract="full")))
    first, second = (
        services.sessions.path(stored.comparison.session_id, leaf_id=answer.leaf_id)
        for answer in stored.answers
    )
    assert first[0].message.text != second[0].message.text
    assert second[1].message == first[1].message
    assert second[1].copy_of == first[1].id
    assert second[2].generation.contract_fingerprint != first[2].generation.contract_fingerprint


def test_each_column_uses_its_own_sampling_and_model(services, tmp_path):
    other = script(tmp_path, "other", "From the other.")
    stored, _ = run_all(
        services,
        create(services, column(services), column(services, model=other, sampling=Sampling(temperature=0.5))),
    )
    assert texts(services, stored)[0][1] == ["From the other."]
    path = services.sessions.path(stored.comparison.session_id, leaf_id=stored.answers[1].leaf_id)
    assert path[-1].generation.sampling == Sampling(temperature=0.5)
    assert path[-1].generation.engine_name == other


def test_a_column_runs_a_whole_turn_with_its_calls(tmp_path):
    with services_for(tmp_path, CALL % "cairo", "31.", "I do not know.") as (services, _):
        stored, events = run_all(services, create(services, column(services), column(services)))
        ((first, second),) = [list(answers.values()) for answers in texts(services, stored)]
        assert (first[0], json.loads(first[1])["reading"], first[2]) == (CALL % "cairo", 31, "31.")
        assert second == ["I do not know."]
        assert [event.column for event in events if isinstance(event, AnswerStarted)] == [0, 1]
        pieces = [
            event.event.text
            for event in events
            if isinstance(event, AnswerProgress)
            and event.column == 1
            and isinstance(event.event, PieceArrived)
        ]
        assert "".join(pieces) == "I do not know."
        assert [event.answer.column for event in events if isinstance(event, AnswerEnded)] == [0, 1]


def test_a_failing_column_reports_its_problem_and_the_others_continue(services, tmp_path):
    broken = script(tmp_path, "broken", "x")
    (tmp_path / "broken.yaml").write_text(
        "completions:\n  - {text: 'Half of', error: 'the engine broke'}\n  - 'Whole.'\n", encoding="utf-8"
    )
    stored, _ = run_all(
        services,
        create(
            services,
            column(services, model="no-such-model"),
            column(services, model=broken),
            column(services),
        ),
    )
    missing, half, whole = stored.answers
    assert "no-such-model" in missing.problem
    assert (missing.leaf_id, whole.problem) == (None, "")
    assert "the engine broke" in half.problem
    assert texts(services, stored)[0] == {0: [], 1: ["Half of"], 2: ["One."]}
    assert stored.missing == ((0, 0), (0, 1))
    stored, _ = run_all(services, stored)
    assert texts(services, stored)[0][1] == ["Whole."]
    assert [answer.problem == "" for answer in stored.answers] == [False, True, True]


def test_a_stopped_comparison_keeps_the_partial_answer_and_starts_no_others(services, tmp_path):
    long = script(tmp_path, "long", "As long as it takes to be stopped.")
    stored = create(services, column(services, model=long), column(services, model=long))
    stored, _ = run_all(services, stored, is_cancelled=lambda: True)
    assert stored.answers == ()
    seen = []

    def after_a_look():
        seen.append(1)
        return len(seen) > 4

    stored, _ = run_all(services, stored, is_cancelled=after_a_look)
    assert [(answer.column, answer.problem) for answer in stored.answers] == [(0, STOPPED)]
    ((cut,),) = [answers.values() for answers in texts(services, stored)]
    assert cut and "As long as it takes to be stopped.".startswith(cut[0])
    stored, _ = run_all(services, stored)
    assert stored.missing == ()


def test_answers_to_a_stored_turn_are_siblings_and_the_session_stays_as_it_was(tmp_path):
    with services_for(tmp_path, "As it was.", "Later.", "New.", "Newer.") as (services, play):
        session_id = play("First?")
        play("Second?", session_id)
        before = services.sessions.path(session_id)
        setup = services.sessions.find_session(session_id).setup
        turns = Turns(session_id=session_id, message_id=before[2].id)
        stored, _ = run_all(services, compare_turns(services, turns, (column(services), column(services))))
        assert texts(services, stored) == [{0: ["New."], 1: ["Newer."]}]
        beside = find_siblings(services.sessions.tree(session_id))
        assert beside[before[2].id] == (before[2].id, stored.answers[0].leaf_id, stored.answers[1].leaf_id)
        assert services.sessions.path(session_id) == before
        assert services.sessions.find_session(session_id).setup == setup


def test_all_turns_can_be_answered_after_the_session_s_answers(tmp_path):
    with services_for(tmp_path, "a1", "a2", "b1", "b2", "c1", "c2") as (services, play):
        session_id = play("First?")
        play("Second?", session_id)
        turns = Turns(session_id=session_id, is_whole=True)
        columns = (column(services), column(services, contract="full"))
        stored, _ = run_all(services, compare_turns(services, turns, columns))
        assert texts(services, stored) == [{0: ["b1"], 1: ["c1"]}, {0: ["b2"], 1: ["c2"]}]
        for answer in stored.answers[2:]:
            path = services.sessions.path(session_id, leaf_id=answer.leaf_id)
            assert [stored.message.text for stored in path[1:]][:3] == ["First?", "a1", "Second?"]


def test_all_turns_can_be_answered_after_each_column_s_own_answers(tmp_path):
    with services_for(tmp_path, "a1", "a2", "b1", "b2", "c1", "c2") as (services, play):
        session_id = play("First?")
        play("Second?", session_id)
        turns = Turns(session_id=session_id, is_whole=True, goes_on=True)
        columns = (column(services), column(services, contract="full"))
        stored, _ = run_all(services, compare_turns(services, turns, columns))
        texts_by_answer = [
            [stored.message.text for stored in services.sessions.path(session_id, leaf_id=answer.leaf_id)[1:]]
            for answer in stored.answers[2:]
        ]
        assert texts_by_answer == [["First?", "b1", "Second?", "b2"], ["First?", "c1", "Second?", "c2"]]


def test_a_column_that_continues_from_its_own_answers_stops_when_it_fails(services, tmp_path):
    session = create(services, column(services), column(services)).comparison.session_id
    turns = Turns(session_id=session, is_whole=True, goes_on=True)
    stored = compare_turns(services, turns, (column(services, model="gone"), column(services)))
    stored, _ = run_all(services, stored)
    assert [(answer.column, bool(answer.problem)) for answer in stored.answers] == [(0, True), (1, False)]


def test_facts_are_counted_by_the_column_s_contract(tmp_path):
    call = CALL.replace("}}", ",}}") % "cairo"
    with services_for(tmp_path, call, "31.") as (services, _):
        stored, _ = run_all(
            services, create(services, column(services), column(services, contract="full"), question="?")
        )
        counted = {
            row.group: row.count
            for row in services.facts.count(FactGroup.CONTRACT)
            if row.kind is FactKind.FIX
        }
        expected = {hash_of(column.setup.contract_text) for column in stored.comparison.columns}
        assert set(counted) == expected


@pytest.mark.parametrize(
    ("count", "message"), [(1, "1 column"), (MAX_COLUMNS + 1, f"{MAX_COLUMNS + 1} columns")]
)
def test_too_few_or_too_many_columns_are_rejected_and_nothing_is_stored(services, count, message):
    with pytest.raises(BadInput, match=message):
        create(services, *[column(services)] * count)
    assert services.sessions.list_sessions() == ()


def test_an_unknown_contract_is_reported_with_its_column(services):
    with pytest.raises(BadInput, match="column B, contract 'nope'"):
        create(services, column(services), column(services, contract="nope"))
    with pytest.raises(BadInput, match="there is no question"):
        create(services, column(services), column(services), question=" \n")
    with pytest.raises(BadInput, match="there is no such session"):
        compare_turns(services, Turns(session_id="nope"), (column(services), column(services)))


def test_ephemeral_text_is_sent_and_stored_separately(tmp_path):
    with services_for(tmp_path, "Hi.", "Ho.") as (services, play):
        session_id = play("Hi?", ephemeral="The user is Ada.")
        stored, _ = run_all(
            services,
            compare_turns(services, Turns(session_id=session_id), (column(services), column(services))),
        )
        path = services.sessions.path(session_id, leaf_id=stored.answers[0].leaf_id)
        assert "Ada" in path[-1].generation.prompt_text
        assert path[-1].generation.ephemeral == "The user is Ada."
        assert "Ada" not in path[0].message.text
        assert path[0].message.role is Role.SYSTEM

"""Columns answer turns as branches of one session."""

import json

import pytest

from tests.app.comparisons.comparing import CALL, asked, column, played, script, texts
from tests.services import services_for
from workbench.app.comparisons.column_runner import STOPPED
from workbench.app.comparisons.planning import Turns, compare_turns
from workbench.app.comparisons.running import AnswerEnded, AnswerProgress, AnswerStarted
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.records.comparisons import MAX_COLUMNS
from workbench.records.facts import FactGroup, FactKind
from workbench.records.session_tree import siblings
from workbench.records.versions import hash_of
from workbench.rollout.events import PieceArrived
from workbench.rollout.sampling import Sampling


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "One.", "Two.", "Three.", "Four.") as (services, _):
        yield services


def test_columns_of_one_contract_answer_as_siblings_and_the_first_is_the_open_path(services):
    kept = asked(services, column(services), column(services, sampling=Sampling(seed=7)))
    assert kept.missing == ((0, 0), (0, 1))
    kept, _ = played(services, kept)
    assert texts(services, kept) == [{0: ["One."], 1: ["Two."]}]
    session_id = kept.comparison.session_id
    beside = siblings(services.sessions.tree(session_id))
    assert beside[kept.answers[0].leaf_id] == (kept.answers[0].leaf_id, kept.answers[1].leaf_id)
    assert services.sessions.path(session_id)[-1].id == kept.answers[0].leaf_id
    assert kept.missing == ()
    session = services.sessions.find_session(session_id)
    assert (session.title, session.tags) == ("Cairo?", ("compared",))


def test_a_column_of_another_contract_answers_below_a_copy_of_the_question(services):
    kept, _ = played(services, asked(services, column(services), column(services, contract="full")))
    first, second = (
        services.sessions.path(kept.comparison.session_id, leaf_id=answer.leaf_id) for answer in kept.answers
    )
    assert first[0].message.text != second[0].message.text
    assert second[1].message == first[1].message
    assert second[1].copy_of == first[1].id
    assert second[2].generation.contract_fingerprint != first[2].generation.contract_fingerprint


def test_a_column_says_its_own_contract_sampling_and_model(services, tmp_path):
    other = script(tmp_path, "other", "From the other.")
    kept, _ = played(
        services,
        asked(services, column(services), column(services, model=other, sampling=Sampling(temperature=0.5))),
    )
    assert texts(services, kept)[0][1] == ["From the other."]
    path = services.sessions.path(kept.comparison.session_id, leaf_id=kept.answers[1].leaf_id)
    assert path[-1].generation.sampling == Sampling(temperature=0.5)
    assert path[-1].generation.engine_name == other


def test_a_whole_turn_is_played_with_its_calls(tmp_path):
    with services_for(tmp_path, CALL % "cairo", "31.", "I do not know.") as (services, _):
        kept, events = played(services, asked(services, column(services), column(services)))
        ((first, second),) = [list(one.values()) for one in texts(services, kept)]
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


def test_a_failing_column_says_so_and_the_others_go_on(services, tmp_path):
    broken = script(tmp_path, "broken", "x")
    (tmp_path / "broken.yaml").write_text(
        "completions:\n  - {text: 'Half of', error: 'the engine broke'}\n  - 'Whole.'\n", encoding="utf-8"
    )
    kept, _ = played(
        services,
        asked(
            services,
            column(services, model="no-such-model"),
            column(services, model=broken),
            column(services),
        ),
    )
    missing, half, whole = kept.answers
    assert "no-such-model" in missing.problem
    assert (missing.leaf_id, whole.problem) == (None, "")
    assert "the engine broke" in half.problem
    assert texts(services, kept)[0] == {0: [], 1: ["Half of"], 2: ["One."]}
    assert kept.missing == ((0, 0), (0, 1))
    kept, _ = played(services, kept)
    assert texts(services, kept)[0][1] == ["Whole."]
    assert [answer.problem == "" for answer in kept.answers] == [False, True, True]


def test_what_is_stopped_keeps_what_came_and_begins_nothing_more(services, tmp_path):
    long = script(tmp_path, "long", "As long as it takes to be stopped.")
    kept = asked(services, column(services, model=long), column(services, model=long))
    kept, _ = played(services, kept, is_cancelled=lambda: True)
    assert kept.answers == ()
    seen = []

    def after_a_look():
        seen.append(1)
        return len(seen) > 4

    kept, _ = played(services, kept, is_cancelled=after_a_look)
    assert [(one.column, one.problem) for one in kept.answers] == [(0, STOPPED)]
    ((cut,),) = [one.values() for one in texts(services, kept)]
    assert cut and "As long as it takes to be stopped.".startswith(cut[0])
    kept, _ = played(services, kept)
    assert kept.missing == ()


def test_a_turn_of_a_session_is_answered_beside_what_stands_there_and_the_session_stays_open_there(tmp_path):
    with services_for(tmp_path, "As it was.", "Later.", "New.", "Newer.") as (services, play):
        session_id = play("First?")
        play("Second?", session_id)
        before = services.sessions.path(session_id)
        setup = services.sessions.find_session(session_id).setup
        turns = Turns(session_id=session_id, message_id=before[2].id)
        kept, _ = played(services, compare_turns(services, turns, (column(services), column(services))))
        assert texts(services, kept) == [{0: ["New."], 1: ["Newer."]}]
        beside = siblings(services.sessions.tree(session_id))
        assert beside[before[2].id] == (before[2].id, kept.answers[0].leaf_id, kept.answers[1].leaf_id)
        assert services.sessions.path(session_id) == before
        assert services.sessions.find_session(session_id).setup == setup


def test_all_turns_are_answered_behind_the_session_s_answers(tmp_path):
    with services_for(tmp_path, "a1", "a2", "b1", "b2", "c1", "c2") as (services, play):
        session_id = play("First?")
        play("Second?", session_id)
        turns = Turns(session_id=session_id, is_whole=True)
        columns = (column(services), column(services, contract="full"))
        kept, _ = played(services, compare_turns(services, turns, columns))
        assert texts(services, kept) == [{0: ["b1"], 1: ["c1"]}, {0: ["b2"], 1: ["c2"]}]
        for answer in kept.answers[2:]:
            path = services.sessions.path(session_id, leaf_id=answer.leaf_id)
            assert [one.message.text for one in path[1:]][:3] == ["First?", "a1", "Second?"]


def test_all_turns_are_answered_behind_each_column_s_own_answers(tmp_path):
    with services_for(tmp_path, "a1", "a2", "b1", "b2", "c1", "c2") as (services, play):
        session_id = play("First?")
        play("Second?", session_id)
        turns = Turns(session_id=session_id, is_whole=True, goes_on=True)
        columns = (column(services), column(services, contract="full"))
        kept, _ = played(services, compare_turns(services, turns, columns))
        told = [
            [one.message.text for one in services.sessions.path(session_id, leaf_id=answer.leaf_id)[1:]]
            for answer in kept.answers[2:]
        ]
        assert told == [["First?", "b1", "Second?", "b2"], ["First?", "c1", "Second?", "c2"]]


def test_a_column_that_goes_on_from_its_own_answers_ends_where_it_fails(services, tmp_path):
    session = asked(services, column(services), column(services)).comparison.session_id
    played_on = Turns(session_id=session, is_whole=True, goes_on=True)
    kept = compare_turns(services, played_on, (column(services, model="gone"), column(services)))
    kept, _ = played(services, kept)
    assert [(one.column, bool(one.problem)) for one in kept.answers] == [(0, True), (1, False)]


def test_facts_are_counted_by_the_contract_of_the_column(tmp_path):
    call = CALL.replace("}}", ",}}") % "cairo"
    with services_for(tmp_path, call, "31.") as (services, _):
        kept, _ = played(
            services, asked(services, column(services), column(services, contract="full"), question="?")
        )
        counted = {
            one.group: one.count
            for one in services.facts.count(FactGroup.CONTRACT)
            if one.kind is FactKind.FIX
        }
        wanted = {hash_of(one.setup.contract_text) for one in kept.comparison.columns}
        assert set(counted) == wanted


@pytest.mark.parametrize(
    ("count", "said"), [(1, "1 column"), (MAX_COLUMNS + 1, f"{MAX_COLUMNS + 1} columns")]
)
def test_too_few_and_too_many_columns_are_refused_before_anything_is_written(services, count, said):
    with pytest.raises(BadInput, match=said):
        asked(services, *[column(services)] * count)
    assert services.sessions.list_sessions() == ()


def test_a_contract_that_is_not_there_is_told_with_its_column(services):
    with pytest.raises(BadInput, match="column B, contract 'nope'"):
        asked(services, column(services), column(services, contract="nope"))
    with pytest.raises(BadInput, match="there is no question"):
        asked(services, column(services), column(services), question=" \n")
    with pytest.raises(BadInput, match="there is no such session"):
        compare_turns(services, Turns(session_id="nope"), (column(services), column(services)))


def test_an_ephemeral_part_of_the_session_is_sent_and_kept_apart(tmp_path):
    with services_for(tmp_path, "Hi.", "Ho.") as (services, play):
        session_id = play("Hi?", ephemeral="The user is Ada.")
        kept, _ = played(
            services,
            compare_turns(services, Turns(session_id=session_id), (column(services), column(services))),
        )
        path = services.sessions.path(session_id, leaf_id=kept.answers[0].leaf_id)
        assert "Ada" in path[-1].generation.prompt_text
        assert path[-1].generation.ephemeral == "The user is Ada."
        assert "Ada" not in path[0].message.text
        assert path[0].message.role is Role.SYSTEM

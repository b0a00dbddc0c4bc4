"""A turn, played and kept: what stands in the store, whatever happens."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.export import export_sharegpt
from workbench.app.turns import MessageStored, begin_session, run_turn
from workbench.chat.message import Message, Role
from workbench.errors import BadInput, EngineError
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.rollout.events import CompletionEnded, PieceArrived

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


def test_every_message_is_kept_the_moment_it_ends(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, play):
        session_id = play("Reading?")
        setup = services.setup_for()
        events = run_turn(services, session_id, setup, "Again?", is_cancelled=lambda: False)
        before = 0
        for event in events:
            texts = [kept.message.text for kept in services.sessions.path(session_id)]
            if isinstance(event, MessageStored):
                assert texts[-1] == event.stored.message.text
                assert len(texts) > before
            before = len(texts)


def test_a_stream_that_is_left_keeps_what_had_ended(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, _):
        session_id = services.sessions.create_session(services.setup_for()).id
        events = run_turn(services, session_id, services.setup_for(), "Reading?", is_cancelled=lambda: False)
        for event in events:
            if isinstance(event, CompletionEnded):
                next(events)
                break
        events.close()
        assert [kept.message.role for kept in services.sessions.path(session_id)] == [
            Role.SYSTEM,
            Role.USER,
            Role.ASSISTANT,
        ]


def test_kept_messages_say_where_they_come_from(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, play):
        path = services.sessions.path(play("Reading?"))
        assert [kept.origin for kept in path] == [
            MessageOrigin.PERSON,
            MessageOrigin.PERSON,
            MessageOrigin.MODEL,
            MessageOrigin.MOCK,
            MessageOrigin.MODEL,
        ]
        assert path[2].generation.prompt_text.endswith("<|im_start|>assistant\n")
        assert path[2].generation.engine_fingerprint
        assert (path[3].tool_run.call_index, path[3].tool_run.rule) == (0, "mock rule 2")
        assert services.sessions.list_sessions()[0].title == "Reading?"


def test_an_edited_contract_begins_a_branch_and_the_old_one_stays(tmp_path):
    with services_for(tmp_path, "First.", "Second.") as (services, play):
        session_id = play("One?")
        old = services.sessions.path(session_id)
        text = services.setup_for().contract_text.replace("You can call tools.", "You may call tools.")
        play("Two?", session_id, contract_text=text)
        new = services.sessions.path(session_id)
        assert [kept.message.text for kept in new[1:]] == ["One?", "First.", "Two?", "Second."]
        assert new[0].message.text.startswith("You may call tools.")
        assert not {kept.id for kept in old} & {kept.id for kept in new}
        assert services.sessions.find_session(session_id).message_count == len(old) + len(new)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tools_text": "[{"}, "tools, line 1"),
        ({"tool_choice": "nothing"}, "there is no tool 'nothing'"),
        (
            {"contract_text": "---\nname: minimal\ntitle: X\nfamily: hermes-lines\n---\nHello {{ nmae }}"},
            "'nmae'",
        ),
    ],
)
def test_a_setup_that_cannot_be_used_is_told_and_nothing_is_written(tmp_path, changes, message):
    with services_for(tmp_path, "First.") as (services, play):
        session_id = play("One?")
        before = services.sessions.path(session_id)
        setup = replace(services.setup_for(), **changes)
        with pytest.raises(BadInput, match=message):
            next(run_turn(services, session_id, setup, "Two?", is_cancelled=lambda: False))
        assert services.sessions.path(session_id) == before


def test_a_message_that_nothing_answered_gives_way_to_the_next_one(tmp_path):
    with services_for(tmp_path, {"text": "", "error": "the engine fell over"}, "Fine.") as (services, play):
        session_id = begin_session(services, services.setup_for()).id
        with pytest.raises(EngineError, match="fell over"):
            play("Too much?", session_id)
        assert [one.message.text for one in services.sessions.path(session_id)][1:] == ["Too much?"]
        play("Less?", session_id)
        path = services.sessions.path(session_id)
        assert [one.message.text for one in path][1:] == ["Less?", "Fine."]
        assert "Too much?" not in path[-1].generation.prompt_text


def test_a_turn_goes_on_from_the_message_it_is_told_and_makes_a_branch(tmp_path):
    with services_for(tmp_path, "First.", "Second.", "Third.") as (services, play):
        session_id = play("One?")
        leaf = services.sessions.path(session_id)[-1]
        setup = services.setup_for()
        for text in ("Two?", "Beside?"):
            list(run_turn(services, session_id, setup, text, is_cancelled=lambda: False, leaf_id=leaf.id))
        tree = services.sessions.tree(session_id)
        assert len([node for node in tree if node.parent_id == leaf.id]) == 2
        assert [one.message.text for one in services.sessions.path(session_id)][3:] == ["Beside?", "Third."]


def test_an_ephemeral_part_is_sent_and_kept_with_the_prompt_alone(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, play):
        session_id = play("Hi?", ephemeral="The user is Ada.")
        path = services.sessions.path(session_id)
        assert "Ada" not in "".join(one.message.text for one in path)
        generation = path[-1].generation
        assert generation.ephemeral == "The user is Ada."
        assert f"{path[0].message.text}\n\nThe user is Ada.<|im_end|>" in generation.prompt_text
        assert "Ada" not in export_sharegpt(services).text
        assert export_sharegpt(services).row_count == 1
        assert services.sessions.find_session(session_id).setup.ephemeral == "The user is Ada."


def test_an_engine_that_fails_midway_keeps_what_it_wrote(tmp_path):
    broken = {"text": "Half of an answ", "error": "the engine fell over"}
    with services_for(tmp_path, broken) as (services, play):
        session_id = begin_session(services, services.setup_for()).id
        with pytest.raises(EngineError, match="fell over"):
            play("Tell?", session_id)
        last = services.sessions.path(session_id)[-1]
        assert last.message.text == "Half of an answ"
        assert last.generation.finish_reason == "interrupted"
        assert export_sharegpt(services).left_out


def test_a_stream_that_is_left_midway_keeps_what_was_written(tmp_path):
    with services_for(tmp_path, "One two three four.") as (services, _):
        session_id = begin_session(services, services.setup_for()).id
        events = run_turn(services, session_id, services.setup_for(), "Count?", is_cancelled=lambda: False)
        pieces = []
        for event in events:
            if isinstance(event, PieceArrived):
                pieces.append(event.text)
                if len(pieces) == 2:
                    break
        events.close()
        last = services.sessions.path(session_id)[-1]
        assert last.message.text == "".join(pieces)
        assert last.generation.finish_reason == "interrupted"


def test_what_is_written_is_saved_at_its_first_token(tmp_path):
    with services_for(tmp_path, "One two three four.") as (services, _):
        session_id = begin_session(services, services.setup_for()).id
        events = run_turn(services, session_id, services.setup_for(), "Count?", is_cancelled=lambda: False)
        first = next(event for event in events if isinstance(event, PieceArrived))
        with closing(sqlite3.connect(tmp_path / "data" / "workbench.sqlite3")) as connection:
            assert connection.execute("SELECT text FROM unfinished").fetchall() == [(first.text,)]
        list(events)
        with closing(sqlite3.connect(tmp_path / "data" / "workbench.sqlite3")) as connection:
            assert connection.execute("SELECT count(*) FROM unfinished").fetchone() == (0,)


def test_a_text_that_cannot_be_kept_is_refused_and_nothing_is_written(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, play):
        session_id = begin_session(services, services.setup_for()).id
        with pytest.raises(BadInput, match="NUL"):
            play("a\0b", session_id)
        assert services.sessions.tree(session_id) == ()


def test_tool_runs_know_the_call_as_it_was_written_and_as_it_was_run(tmp_path):
    call = "<tool_call>\n{'name': 'get_flumbuster', 'arguments': {'flumb': 'cairo',}}\n</tool_call>"
    with services_for(tmp_path, call, "It is 31.") as (services, play):
        run = services.sessions.path(play("Reading?"))[3].tool_run
        assert "'flumb': 'cairo',}" in run.arguments_text
        assert run.arguments == {"flumb": "cairo"}


def test_a_generation_knows_its_contract(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, play):
        path = services.sessions.path(play("Hi?"))
        assert path[-1].generation.contract_fingerprint == services.setup_for().contract().fingerprint


def test_copies_on_a_branch_name_their_originals(tmp_path):
    with services_for(tmp_path, "First.", "Second.") as (services, play):
        session_id = play("One?")
        old = services.sessions.path(session_id)
        text = services.setup_for().contract_text.replace("You can call tools.", "You may call tools.")
        play("Two?", session_id, contract_text=text)
        new = services.sessions.path(session_id)
        assert [one.copy_of for one in new] == [None, old[1].id, old[2].id, None, None]


def test_a_session_that_was_imported_without_a_system_text_goes_on_with_all_of_it(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, play):
        setup = services.setup_for()
        session_id = services.sessions.create_session(setup).id
        said = (Message(role=Role.USER, text="First?"), Message(role=Role.ASSISTANT, text="Yes."))
        brought = [NewMessage(message=one, origin=MessageOrigin.IMPORT) for one in said]
        services.sessions.append_all(session_id, brought, parent_id=None)
        play("And now?", session_id)
        path = services.sessions.path(session_id)
        assert [one.message.text for one in path][1:] == ["First?", "Yes.", "And now?", "Fine."]
        assert path[0].message.role is Role.SYSTEM
        assert "First?" in path[-1].generation.prompt_text

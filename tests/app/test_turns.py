"""Turns are stored completely, whatever happens."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.export import export_sharegpt
from workbench.app.turn_request import MessageStored, TurnRequest
from workbench.app.turns import begin_session, run_turn
from workbench.chat.message import Message, Role
from workbench.errors import BadInput, EngineError
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.rollout.events import CompletionEnded, PieceArrived

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


def test_every_message_is_stored_as_soon_as_it_ends(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, play):
        session_id = play("Reading?")
        setup = services.setup_for()
        events = run_turn(services, TurnRequest(setup=setup, session_id=session_id, text="Again?"))
        before = 0
        for event in events:
            texts = [stored.message.text for stored in services.sessions.path(session_id)]
            if isinstance(event, MessageStored):
                assert texts[-1] == event.stored.message.text
                assert len(texts) > before
            before = len(texts)


def test_messages_stay_stored_if_the_caller_stops_listening(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, _):
        session_id = services.sessions.create_session(services.setup_for()).id
        events = run_turn(
            services, TurnRequest(setup=services.setup_for(), session_id=session_id, text="Reading?")
        )
        for event in events:
            if isinstance(event, CompletionEnded):
                next(events)
                break
        events.close()
        assert [stored.message.role for stored in services.sessions.path(session_id)] == [
            Role.SYSTEM,
            Role.USER,
            Role.ASSISTANT,
        ]


def test_stored_messages_have_an_origin(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, play):
        path = services.sessions.path(play("Reading?"))
        assert [stored.origin for stored in path] == [
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


def test_an_edited_contract_starts_a_branch_and_the_old_one_stays(tmp_path):
    with services_for(tmp_path, "First.", "Second.") as (services, play):
        session_id = play("One?")
        old = services.sessions.path(session_id)
        text = services.setup_for().contract_text.replace("You can call tools.", "You may call tools.")
        play("Two?", session_id, contract_text=text)
        new = services.sessions.path(session_id)
        assert [stored.message.text for stored in new[1:]] == ["One?", "First.", "Two?", "Second."]
        assert new[0].message.text.startswith("You may call tools.")
        assert not {stored.id for stored in old} & {stored.id for stored in new}
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
def test_an_unusable_setup_is_reported_and_nothing_is_stored(tmp_path, changes, message):
    with services_for(tmp_path, "First.") as (services, play):
        session_id = play("One?")
        before = services.sessions.path(session_id)
        setup = replace(services.setup_for(), **changes)
        with pytest.raises(BadInput, match=message):
            next(run_turn(services, TurnRequest(setup=setup, session_id=session_id, text="Two?")))
        assert services.sessions.path(session_id) == before


def test_an_unanswered_message_is_replaced_by_the_next_one(tmp_path):
    with services_for(tmp_path, {"text": "", "error": "the engine fell over"}, "Fine.") as (services, play):
        session_id = begin_session(services, services.setup_for()).id
        with pytest.raises(EngineError, match="fell over"):
            play("Too much?", session_id)
        assert [stored.message.text for stored in services.sessions.path(session_id)][1:] == ["Too much?"]
        play("Less?", session_id)
        path = services.sessions.path(session_id)
        assert [stored.message.text for stored in path][1:] == ["Less?", "Fine."]
        assert "Too much?" not in path[-1].generation.prompt_text


def test_a_turn_from_an_earlier_message_starts_a_branch(tmp_path):
    with services_for(tmp_path, "First.", "Second.", "Third.") as (services, play):
        session_id = play("One?")
        leaf = services.sessions.path(session_id)[-1]
        setup = services.setup_for()
        for text in ("Two?", "Beside?"):
            list(
                run_turn(
                    services, TurnRequest(setup=setup, session_id=session_id, text=text, leaf_id=leaf.id)
                )
            )
        tree = services.sessions.tree(session_id)
        assert len([node for node in tree if node.parent_id == leaf.id]) == 2
        assert [stored.message.text for stored in services.sessions.path(session_id)][3:] == [
            "Beside?",
            "Third.",
        ]


def test_ephemeral_text_is_stored_only_with_the_prompt(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, play):
        session_id = play("Hi?", ephemeral="The user is Ada.")
        path = services.sessions.path(session_id)
        assert "Ada" not in "".join(stored.message.text for stored in path)
        generation = path[-1].generation
        assert generation.ephemeral == "The user is Ada."
        assert f"{path[0].message.text}\n\nThe user is Ada.<|im_end|>" in generation.prompt_text
        assert "Ada" not in export_sharegpt(services).text
        assert export_sharegpt(services).row_count == 1
        assert services.sessions.find_session(session_id).setup.ephemeral == "The user is Ada."


def test_the_partial_text_of_a_failing_engine_is_stored(tmp_path):
    broken = {"text": "Half of an answ", "error": "the engine fell over"}
    with services_for(tmp_path, broken) as (services, play):
        session_id = begin_session(services, services.setup_for()).id
        with pytest.raises(EngineError, match="fell over"):
            play("Tell?", session_id)
        last = services.sessions.path(session_id)[-1]
        assert last.message.text == "Half of an answ"
        assert last.generation.finish_reason == "interrupted"
        assert export_sharegpt(services).left_out


def test_the_partial_text_is_stored_if_the_caller_stops_listening(tmp_path):
    with services_for(tmp_path, "One two three four.") as (services, _):
        session_id = begin_session(services, services.setup_for()).id
        events = run_turn(
            services, TurnRequest(setup=services.setup_for(), session_id=session_id, text="Count?")
        )
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


def test_the_text_is_saved_at_its_first_token(tmp_path):
    with services_for(tmp_path, "One two three four.") as (services, _):
        session_id = begin_session(services, services.setup_for()).id
        events = run_turn(
            services, TurnRequest(setup=services.setup_for(), session_id=session_id, text="Count?")
        )
        first = next(event for event in events if isinstance(event, PieceArrived))
        with closing(sqlite3.connect(tmp_path / "data" / "workbench.sqlite3")) as connection:
            assert connection.execute("SELECT text FROM unfinished").fetchall() == [(first.text,)]
        list(events)
        with closing(sqlite3.connect(tmp_path / "data" / "workbench.sqlite3")) as connection:
            assert connection.execute("SELECT count(*) FROM unfinished").fetchone() == (0,)


def test_a_text_that_cannot_be_stored_is_rejected(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, play):
        session_id = begin_session(services, services.setup_for()).id
        with pytest.raises(BadInput, match="NUL"):
            play("a\0b", session_id)
        assert services.sessions.tree(session_id) == ()


def test_a_tool_run_stores_the_written_and_the_used_arguments(tmp_path):
    call = "<tool_call>\n{'name': 'get_flumbuster', 'arguments': {'flumb': 'cairo',}}\n</tool_call>"
    with services_for(tmp_path, call, "It is 31.") as (services, play):
        run = services.sessions.path(play("Reading?"))[3].tool_run
        assert "'flumb': 'cairo',}" in run.arguments_text
        assert run.arguments == {"flumb": "cairo"}


def test_a_generation_stores_its_contract_fingerprint(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, play):
        path = services.sessions.path(play("Hi?"))
        assert path[-1].generation.contract_fingerprint == services.setup_for().contract().fingerprint


def test_copies_on_a_branch_refer_to_their_originals(tmp_path):
    with services_for(tmp_path, "First.", "Second.") as (services, play):
        session_id = play("One?")
        old = services.sessions.path(session_id)
        text = services.setup_for().contract_text.replace("You can call tools.", "You may call tools.")
        play("Two?", session_id, contract_text=text)
        new = services.sessions.path(session_id)
        assert [message.copy_of for message in new] == [None, old[1].id, old[2].id, None, None]


def test_an_imported_session_without_a_system_text_can_be_continued(tmp_path):
    with services_for(tmp_path, "Fine.") as (services, play):
        setup = services.setup_for()
        session_id = services.sessions.create_session(setup).id
        messages = (Message(role=Role.USER, text="First?"), Message(role=Role.ASSISTANT, text="Yes."))
        imported = [NewMessage(message=message, origin=MessageOrigin.IMPORT) for message in messages]
        services.sessions.append_all(session_id, imported, parent_id=None)
        play("And now?", session_id)
        path = services.sessions.path(session_id)
        assert [stored.message.text for stored in path][1:] == ["First?", "Yes.", "And now?", "Fine."]
        assert path[0].message.role is Role.SYSTEM
        assert "First?" in path[-1].generation.prompt_text

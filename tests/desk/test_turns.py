"""A turn, played and kept: what stands in the store, whatever happens."""

from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.chat.message import Role
from workbench.desk.kept import Origin
from workbench.desk.turns import MessageKept, begin_session, play_turn
from workbench.errors import BadInput, EngineError
from workbench.rollout.events import CompletionEnded

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


def test_every_message_is_kept_the_moment_it_ends(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, play):
        session_id = play("Reading?")
        setup = services.setup_for()
        events = play_turn(services, session_id, setup, "Again?", is_cancelled=lambda: False)
        before = 0
        for event in events:
            texts = [kept.message.text for kept in services.sessions.path(session_id)]
            if isinstance(event, MessageKept):
                assert texts[-1] == event.kept.message.text
                assert len(texts) > before
            before = len(texts)


def test_a_stream_that_is_left_keeps_what_had_ended(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.") as (services, _):
        session_id = services.sessions.create_session(services.setup_for()).id
        events = play_turn(services, session_id, services.setup_for(), "Reading?", is_cancelled=lambda: False)
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
            Origin.PERSON,
            Origin.PERSON,
            Origin.MODEL,
            Origin.MOCK,
            Origin.MODEL,
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
        ({"tool_choice": "nothing"}, "no tool 'nothing'"),
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
            next(play_turn(services, session_id, setup, "Two?", is_cancelled=lambda: False))
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

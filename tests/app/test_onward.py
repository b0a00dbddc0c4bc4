"""Messages are regenerated, continued, sampled and edited on new branches."""

from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.editing import edit_call, edit_text
from workbench.app.regenerate import continuation_of
from workbench.app.samples import agreement_of, sample_of
from workbench.app.turn_request import ResumePoint, SampleStarted, TurnContext, TurnRequest
from workbench.app.turns import draw_samples, run_turn
from workbench.chat.message import Role, ToolCall
from workbench.errors import BadInput
from workbench.records.session_tree import find_siblings
from workbench.records.sessions import MessageOrigin

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "%s"}}\n</tool_call>'
ALONE = TurnContext(is_cancelled=lambda: False)


def texts(services, session, leaf=None):
    return [stored.message.text for stored in services.sessions.path(session, leaf_id=leaf)[1:]]


def continue_session(services, session, point, context=ALONE):
    return list(
        run_turn(
            services,
            TurnRequest(
                setup=services.sessions.find_session(session).setup, session_id=session, resume=point
            ),
            context,
        )
    )


def test_a_new_answer_is_a_sibling_of_the_old_one(tmp_path):
    with services_for(tmp_path, "Hello.", "Hello again.") as (services, play):
        session = play("Hi")
        user, answer = services.sessions.path(session)[1:]
        continue_session(services, session, ResumePoint(message_id=user.id))
        assert texts(services, session) == ["Hi", "Hello again."]
        assert texts(services, session, answer.id) == ["Hi", "Hello."]


def test_an_answer_continues_where_it_stopped(tmp_path):
    with services_for(tmp_path, "The reading", "The reading is 31.") as (services, play):
        session = play("Hi")
        first = services.sessions.path(session)[2]
        point = continuation_of(first)
        continue_session(services, session, point)
        last = services.sessions.path(session)[2]
        assert last.message.text == "The reading is 31."
        assert last.generation and last.generation.prefill == "The reading"
        assert last.parent_id == first.parent_id


def test_an_unfinished_call_is_completed_and_run(tmp_path):
    beginning = '<tool_call>\n{"name": "get_flumbuster", '
    with services_for(tmp_path, beginning, CALL % "cairo", "31.") as (services, play):
        session = play("Hi")
        continue_session(services, session, continuation_of(services.sessions.path(session)[2]))
        assert [stored.message.role for stored in services.sessions.path(session)[2:]] == [
            Role.ASSISTANT,
            Role.TOOL,
            Role.ASSISTANT,
        ]


def test_a_turn_can_stop_after_the_call_and_continue_later(tmp_path):
    with services_for(tmp_path, "Hello.", CALL % "cairo", "31.") as (services, play):
        session = play("Hi")
        user = services.sessions.path(session)[1]
        continue_session(services, session, ResumePoint(message_id=user.id), replace(ALONE, runs_calls=False))
        assert texts(services, session) == ["Hi", CALL % "cairo"]
        continue_session(services, session, ResumePoint(message_id=services.sessions.path(session)[-1].id))
        assert texts(services, session)[1] == CALL % "cairo"
        assert texts(services, session)[-1] == "31."


def test_an_answer_without_calls_is_not_continued(tmp_path):
    with services_for(tmp_path, "Hello.", "More.") as (services, play):
        session = play("Hi")
        assert (
            continue_session(
                services, session, ResumePoint(message_id=services.sessions.path(session)[-1].id)
            )
            == []
        )
        assert texts(services, session) == ["Hi", "Hello."]


def test_an_edited_contract_copies_the_path_under_its_system_text(tmp_path):
    with services_for(tmp_path, "Hello.", "HELLO.") as (services, play):
        session = play("Hi")
        before = services.sessions.path(session)
        setup = services.sessions.find_session(session).setup
        louder = replace(setup, contract_text=setup.contract_text + "Speak loudly.\n")
        list(
            run_turn(
                services,
                TurnRequest(setup=louder, session_id=session, resume=ResumePoint(message_id=before[1].id)),
            )
        )
        path = services.sessions.path(session)
        assert "Speak loudly." in path[0].message.text
        assert [stored.message.text for stored in path[1:]] == ["Hi", "HELLO."]
        assert services.sessions.path(session, leaf_id=before[-1].id) == before


def test_samples_are_branches_with_different_seeds_and_their_agreement_is_measured(tmp_path):
    script = (CALL % "cairo", "31.", CALL % "cairo", "It is 31.", CALL % "london", "27.")
    with services_for(tmp_path, *script) as (services, play):
        session = play("Cairo?")
        stored = services.sessions.find_session(session)
        user = services.sessions.path(session)[1]
        point = ResumePoint(message_id=user.id)
        events = list(
            draw_samples(services, TurnRequest(setup=stored.setup, session_id=session, samples=3), point)
        )
        assert [event.number for event in events if isinstance(event, SampleStarted)] == [2, 3]
        beside = find_siblings(services.sessions.tree(session))[services.sessions.path(session)[2].id]
        paths = [services.sessions.path(session, leaf_id=leaf_id) for leaf_id in leaves(services, session)]
        assert [path[2].generation.sampling.seed for path in paths] == [0, 1, 2]
        tools = stored.setup.offered_tools()
        samples = [sample_of(path, message_id, tools) for path, message_id in zip(paths, beside, strict=True)]
        agreement = agreement_of(samples)
        assert agreement and (agreement.agreeing, agreement.count) == (2, 3)
        assert agreement.calls == (ToolCall(name="get_flumbuster", arguments={"flumb": "cairo"}),)
        assert services.sessions.find_session(session).setup == stored.setup


def leaves(services, session):
    tree = services.sessions.tree(session)
    parents = {node.parent_id for node in tree}
    return [node.id for node in tree if node.id not in parents]


def test_an_edited_call_is_a_sibling_of_the_old_one(tmp_path):
    with services_for(tmp_path, CALL % "cairo", "31.", "27.") as (services, play):
        session = play("Hi")
        path = services.sessions.path(session)
        tools = services.sessions.find_session(session).setup.offered_tools()
        call = ToolCall(name="get_flumbuster", arguments={"flumb": "london"})
        edited = edit_call(services, session, path, path[2].id, (0, call), tools)
        assert edited.origin is MessageOrigin.PERSON
        assert texts(services, session) == ["Hi", CALL % "london"]
        continue_session(services, session, ResumePoint(message_id=edited.id))
        assert texts(services, session)[-1] == "27."
        assert services.sessions.path(session, leaf_id=path[-1].id) == path


def test_the_other_results_of_a_round_follow_an_edited_result(tmp_path):
    both = CALL % "cairo" + "\n" + CALL % "london"
    with services_for(tmp_path, both, "31 and 27.") as (services, play):
        session = play("Hi")
        path = services.sessions.path(session)
        last = edit_text(services, session, path, path[3].id, '{"reading": 1}')
        assert [stored.message.text for stored in services.sessions.path(session)[3:]] == [
            '{"reading": 1}',
            path[4].message.text,
        ]
        assert last.copy_of == path[4].id or last.message == path[4].message


def test_the_system_text_can_only_be_edited_in_its_contract(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, play):
        session = play("Hi")
        path = services.sessions.path(session)
        with pytest.raises(BadInput, match="edit the contract"):
            edit_text(services, session, path, path[0].id, "Obey.")

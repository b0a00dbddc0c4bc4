"""Turns with a chat server are stored, and its key is not."""

import json
from dataclasses import replace

import pytest

from tests.engines.remote.scripted_server import DONE, delta, event, refused, scripted_server, stream
from tests.services import CHECKOUT
from workbench.app.export import choice_of, export_sharegpt, record
from workbench.app.turn_request import TurnRequest
from workbench.app.turns import begin_session, run_turn
from workbench.errors import RemoteFailed
from workbench.hermes.written_out import written_out
from workbench.rollout.events import EndReason, TurnEnded
from workbench.rollout.ports import FinishReason
from workbench.settings import read_settings
from workbench.wiring import open_services

KEY = "sk-very-secret-0123456789"
CALLED = stream(
    delta(reasoning_content="I look it up."),
    delta(tool_calls=[{"index": 0, "id": "c0", "type": "function",
                       "function": {"name": "get_flumbuster", "arguments": '{"flumb": "cairo"}'}}]),
    delta("tool_calls"),
    DONE,
)  # fmt: skip
ANSWERED = stream(delta(content="It is 31."), delta("stop"), DONE)


@pytest.fixture
def opened(tmp_path):
    """Return a function that opens services with a model on the given server."""

    def open_with(server):
        variables = {
            "WORKBENCH_MODEL": "openai:hermes",
            "WORKBENCH_OPENAI_BASE_URL": server.url,
            "WORKBENCH_OPENAI_API_KEY": KEY,
            "WORKBENCH_REMOTE_TIMEOUT": "20",
            "WORKBENCH_DATA": str(tmp_path / "data"),
            "WORKBENCH_HOME": str(CHECKOUT),
        }
        settings = read_settings(variables)
        assert KEY not in repr(settings)
        return open_services(settings)

    return open_with


def turn(services, session, setup, text="What is the reading for cairo?"):
    return list(run_turn(services, TurnRequest(setup=setup, session_id=session, text=text)))


def test_structured_calls_and_thoughts_are_stored_exported_and_sent_again(opened):
    with scripted_server(CALLED, ANSWERED, ANSWERED) as server, opened(server) as services:
        setup = services.setup_for()
        session = begin_session(services, setup).id
        turn(services, session, setup)
        system, _, called, result, answered = services.sessions.path(session)
        assert "given to you apart" in system.message.text
        assert (called.message.thought, called.message.text) == ("I look it up.", "")
        assert [(call.name, call.arguments) for call in called.message.calls] == [
            ("get_flumbuster", {"flumb": "cairo"})
        ]
        assert json.loads(result.message.text)["reading"] == 31
        assert answered.message.text == "It is 31."
        assert not called.generation.is_exact
        row = json.loads(export_sharegpt(services, [session]).text)
        assert row["conversations"][2]["value"] == written_out(called.message)
        turn(services, session, setup, "And again?")
    sent = server.requests[2].body["messages"]
    assert [entry["role"] for entry in sent] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert sent[2]["tool_calls"][0]["id"] == sent[3]["tool_call_id"]


def test_a_conversation_can_switch_to_another_kind_of_engine_and_back(opened, tmp_path):
    script = tmp_path / "script.yaml"
    script.write_text(json.dumps({"completions": ["<tool_call>\n" + '{"name": "get_flumbuster", "arguments": {"flumb": "paris"}}' + "\n</tool_call>", "It is 3."]}))  # fmt: skip
    with scripted_server(CALLED, ANSWERED, ANSWERED) as server, opened(server) as services:
        setup = services.setup_for()
        session = begin_session(services, setup).id
        turn(services, session, setup)
        turn(services, session, replace(setup, model=f"scripted:{script}"), "For paris?")
        prompt = services.sessions.path(session)[-1].generation.prompt_text
        assert (
            '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>' in prompt
        )
        assert "given to you apart" not in prompt
        turn(services, session, setup, "Thanks.")
    sent = server.requests[2].body["messages"]
    assert [call["function"]["arguments"] for entry in sent for call in entry.get("tool_calls", ())] == [
        '{"flumb": "cairo"}',
        '{"flumb": "paris"}',
    ]


def test_an_interrupted_answer_is_stored_and_the_next_turn_works(opened):
    with (
        scripted_server(stream(delta(content="It is th"), None), ANSWERED) as server,
        opened(server) as services,
    ):
        setup = services.setup_for()
        session = begin_session(services, setup).id
        events = turn(services, session, setup)
        broken = services.sessions.path(session)[-1]
        assert broken.message.text == "It is th"
        assert broken.generation.finish_reason is FinishReason.INTERRUPTED
        assert [event.reason for event in events if isinstance(event, TurnEnded)] == [EndReason.INTERRUPTED]
        assert "not finished (interrupted)" in export_sharegpt(services, [session]).left_out[0]
        turn(services, session, setup, "Again, please.")
        assert services.sessions.path(session)[-1].message.text == "It is 31."


def test_the_key_is_never_stored_or_exported(opened, tmp_path):
    broken = stream(delta(content="It is th"), event({"error": {"message": f"no more for {KEY}"}}))
    with (
        scripted_server(broken, ANSWERED, refused(401, f"bad key {KEY}")) as server,
        opened(server) as services,
    ):
        setup = services.setup_for()
        session = begin_session(services, setup).id
        turn(services, session, setup)
        turn(services, session, setup, "Again.")
        with pytest.raises(RemoteFailed) as caught:
            turn(services, session, setup, "Again, please.")
        exported = export_sharegpt(services).text + record(services, choice_of(services, None)).text
    assert KEY not in str(caught.value) + exported
    for path in (tmp_path / "data").rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("reason", ["abort", "content_filter"])
def test_an_answer_that_the_server_aborted_is_not_exported(opened, reason):
    half = stream(delta(content="It is "), delta(reason), DONE)
    with scripted_server(half) as server, opened(server) as services:
        setup = services.setup_for()
        session = begin_session(services, setup).id
        ended = turn(services, session, setup)[-1]
        assert (ended.reason, reason in ended.problem) == (EndReason.INTERRUPTED, True)
        assert services.sessions.path(session)[-1].generation.finish_reason is FinishReason.INTERRUPTED
        exported = export_sharegpt(services, [session])
        assert (exported.row_count, record(services, choice_of(services, [session])).row_count) == (0, 0)

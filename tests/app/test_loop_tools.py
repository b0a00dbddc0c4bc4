"""The tools that the agent loop answers itself."""

import json
from dataclasses import replace

from tests.services import services_for
from workbench.app.turn_request import TurnContext, TurnRequest
from workbench.app.turns import begin_session, run_turn
from workbench.chat.message import Role, ToolCall
from workbench.records.owner import Owner
from workbench.rollout.ports import Approval
from workbench.rollout.steps import ApprovingToolbox, Step, StepKind


def called(name, arguments):
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def results(services, session_id):
    path = services.sessions.path(session_id)
    return [json.loads(stored.message.text) for stored in path if stored.message.role is Role.TOOL]


def tools_text(services, *names):
    return services.setup_for(tools=names).tools_text


def test_the_todo_list_is_kept_in_the_conversation(tmp_path):
    task = {"id": "1", "content": "Buy oats", "status": "pending"}
    later = {"id": "1", "content": "Buy oats", "status": "completed"}
    script = [
        called("todo", {"todos": [task]}),
        "Noted.",
        called("todo", {"todos": [later], "merge": True}),
        "Done.",
    ]
    with services_for(tmp_path, *script) as (services, play):
        session = play("plan", tools_text=tools_text(services, "todo"))
        play("go on", session, tools_text=tools_text(services, "todo"))
        first, second = results(services, session)
    assert first == {"todos": [task], "summary": {"total": 1, "completed": 0}}
    assert second == {"todos": [later], "summary": {"total": 1, "completed": 1}}


def test_notes_outlive_a_conversation_and_can_be_replaced(tmp_path):
    script = [
        called("memory", {"action": "add", "content": "Likes oats"}), "Ok.",
        called("memory", {"action": "replace", "old_text": "oats", "content": "Likes rye"}), "Ok.",
        called("memory", {"action": "remove", "old_text": "nothing"}), "Ok.",
    ]  # fmt: skip
    with services_for(tmp_path, *script) as (services, play):
        sessions = [play("remember", tools_text=tools_text(services, "memory")) for _ in range(3)]
        first, second, third = (results(services, session)[0] for session in sessions)
    assert first == {"notes": ["Likes oats"]}
    assert second == {"notes": ["Likes rye"]}
    assert "part of 0" in third["error"]


def test_earlier_sessions_are_searched_but_not_the_current_one(tmp_path):
    script = ["The zorbix is 12.", called("session_search", {"query": "zorbix 12"}), "Found."]
    with services_for(tmp_path, *script) as (services, play):
        first = play("what is the zorbix?")
        second = play("find the zorbix 12", tools_text=tools_text(services, "session_search"))
        [found] = results(services, second)
    assert [result["session_id"] for result in found["sessions"]] == [first]
    assert "zorbix" in found["sessions"][0]["snippet"]


def test_other_owners_sessions_and_contracts_are_never_found(tmp_path):
    search = [called("session_search", {"query": "zorbix"}), "None."]
    function = [called("session_search", {"query": "function calling"}), "None."]
    with services_for(tmp_path, "The zorbix is 12.", *search, *function) as (services, play):
        play("what is the zorbix?")
        ann = replace(services, owner=Owner(key="ann"))
        setup = replace(services.setup_for(), tools_text=tools_text(services, "session_search"))
        session = begin_session(ann, setup).id
        for _ in run_turn(ann, TurnRequest(setup=setup, session_id=session, text="find it")):
            pass
        assert results(ann, session) == [{"sessions": []}]
        second = play("find the contract", tools_text=setup.tools_text)
        assert results(services, second) == [{"sessions": []}]


def test_a_delegated_task_runs_as_a_nested_rollout(tmp_path):
    script = [
        called("delegate_task", {"goal": "Get the reading for cairo"}),
        called("get_flumbuster", {"flumb": "cairo"}),
        "It is 31.",
        "The helper says 31.",
    ]
    with services_for(tmp_path, *script) as (services, play):
        session = play("delegate", tools_text=tools_text(services, "nonsense", "delegate_task"))
        path = services.sessions.path(session)
        assert results(services, session) == [{"answer": "It is 31.", "calls": ["get_flumbuster"]}]
    assert path[-1].message.text == "The helper says 31."


def test_a_delegated_task_without_an_answer_ends_with_an_error(tmp_path):
    loop = [called("get_flumbuster", {"flumb": "cairo"})] * 4
    script = [called("delegate_task", {"goal": "Go on for ever"}), *loop, "Then I answer."]
    with services_for(tmp_path, *script) as (services, play):
        session = play("delegate", tools_text=tools_text(services, "nonsense", "delegate_task"))
        [result] = results(services, session)
    assert result["error"] == "it ended without an answer: round-limit"
    assert len(result["calls"]) == 4


def test_without_the_loop_these_tools_return_an_error(tmp_path):
    from workbench.chat.message import ToolCall

    with services_for(tmp_path, "x") as (services, _):
        for name, arguments in (
            ("todo", {}),
            ("memory", {"action": "list"}),
            ("session_search", {"query": "x"}),
            ("delegate_task", {"goal": "x"}),
        ):
            run = services.catalog.toolbox().run(ToolCall(name=name, arguments=arguments))
            assert json.loads(run.result.text) == {"error": f"{name} must be handled by the agent loop"}


class Hand:
    """A stepper that returns the given steps one after the other."""

    def __init__(self, *steps):
        self.steps, self.calls = list(steps), []

    def step(self, call):
        self.calls.append(call.name)
        return self.steps.pop(0)


def test_in_step_mode_a_person_decides_each_result(tmp_path):
    from workbench.records.sessions import MessageOrigin

    call = called("get_flumbuster", {"flumb": "cairo"})
    hand = Hand(
        Step(),
        Step(kind=StepKind.WRITE, text="by me"),
        Step(kind=StepKind.WRITE, text='{"a" :1}'),
        Step(kind=StepKind.FAIL, text="burnt"),
    )
    with services_for(tmp_path, f"{call}\n{call}\n{call}\n{call}", "Done.") as (services, _):
        setup = services.setup_for()
        session = begin_session(services, setup).id
        for _event in run_turn(
            services, TurnRequest(setup=setup, session_id=session, text="go"), TurnContext(stepper=hand)
        ):
            pass
        stored = [stored for stored in services.sessions.path(session) if stored.message.role is Role.TOOL]
    assert [item.message.text for item in stored[1:]] == ['"by me"', '{"a" :1}', '{"error": "burnt"}']
    assert json.loads(stored[0].message.text)["reading"] == 31
    assert [item.origin for item in stored] == [
        MessageOrigin.MOCK,
        MessageOrigin.PERSON,
        MessageOrigin.PERSON,
        MessageOrigin.PERSON,
    ]
    assert [item.tool_run.is_error for item in stored] == [False, False, False, True]


def test_a_person_runs_a_call_with_other_arguments_and_a_refused_call_says_so(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        hand = Hand(
            Step(kind=StepKind.EDIT, text='{"flumb": "cairo"}'), Step(kind=StepKind.EDIT, text='{"flumb": 3}')
        )
        toolbox = ApprovingToolbox(services.catalog.toolbox(), hand)
        call = ToolCall(name="get_flumbuster", arguments={"flumb": "rome"})
        edited, refused = toolbox.run(call), toolbox.run(replace(call, arguments={}))
        unfit = services.catalog.toolbox().run(replace(call, arguments={}))
    assert edited.arguments == {"flumb": "cairo"} and json.loads(edited.result.text)["reading"] == 31
    assert edited.rule is not None and edited.rule.endswith("· arguments edited by hand")
    assert refused.rule is not None and "arguments edited by hand" in refused.rule
    assert (unfit.rule, unfit.result.is_error) == ("refused before it ran", True)


class Person:
    """An approver that always gives the same answer and records the questions."""

    def __init__(self, answer):
        self.answer, self.reasons = answer, []

    def ask(self, question):
        self.reasons.extend(question.reasons)
        return self.answer


def test_a_risky_command_needs_approval(tmp_path):
    from workbench.app.turns import begin_session, run_turn

    script = [
        called("terminal", {"command": "rm -rf build"}),
        called("terminal", {"command": "rm -rf dist"}),
        "Done.",
    ]
    with services_for(tmp_path, *script) as (services, _):
        setup = services.setup_for(tools=("terminal",))
        session = begin_session(services, setup).id
        person = Person(Approval.SESSION)
        for _event in run_turn(
            services, TurnRequest(setup=setup, session_id=session, text="go"), TurnContext(approver=person)
        ):
            pass
        assert results(services, session) == [{"output": "", "exit_code": 0}] * 2
    assert person.reasons == ["recursive delete"]

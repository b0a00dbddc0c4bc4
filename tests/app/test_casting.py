"""A turn of a session becomes a case of a suite."""

import re
from dataclasses import replace

import pytest

from tests.services import services_for
from workbench.app.runs.casting import add_case, case_of_turn, offered_toolsets
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run
from workbench.app.runs.suites import load_suite
from workbench.errors import BadInput

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


def test_a_case_made_from_a_turn_passes(tmp_path):
    with services_for(tmp_path, CALL, "It is 31.", "Hello!", "Bye.", CALL) as (services, play):
        session = play("Reading for cairo?")
        play("Thanks", session)
        setup, path = services.sessions.find_session(session).setup, services.sessions.path(session)
        first = case_of_turn(setup, path, path[2].id)
        assert re.fullmatch(r"reading-for-cairo-[0-9a-f]{4}", first["id"]) and first["tool_specs"]
        referring = case_of_turn(setup, path, path[2].id, toolsets=offered_toolsets(services, setup))
        assert referring["tools"] == ["nonsense"] and "tool_specs" not in referring
        fewer = replace(setup, disabled_tools=frozenset({"get_flumbuster"}))
        assert offered_toolsets(services, fewer) == ()
        assert first["prompt"] == "Reading for cairo?"
        assert first["expect"] == [{"calls": [{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}]}]
        last = case_of_turn(setup, path)
        assert [message["role"] for message in last["messages"]] == [
            "user",
            "assistant",
            "tool",
            "assistant",
            "user",
        ]
        assert last["expect"] == [{"no_call": True}]
        for document in (first, last, first):
            add_case(services, document)
        before = len(load_suite(services, "nonsense").cases)
        add_case(services, first, suite="nonsense")
        assert len(load_suite(services, "nonsense").cases) == before + 1
        suite = load_suite(services, "mine")
        assert [case.id for case in suite.cases] == [last["id"], first["id"]]
        plan = plan_run(services, RunRequest(suites=("mine",)), [suite])
        stored = begin_run(services, plan)
        for _ in execute_run(services, stored, is_cancelled=lambda: False):
            pass
        assert [result.status for result in services.runs.results(stored.id)] == ["passed", "passed"]


def test_a_turn_without_an_answer_cannot_become_a_case(tmp_path):
    with services_for(tmp_path, "Hello!") as (services, play):
        session = play("Hi")
        setup, path = services.sessions.find_session(session).setup, services.sessions.path(session)
        with pytest.raises(BadInput, match="the turn has no answer"):
            case_of_turn(setup, path[:2])
        with pytest.raises(BadInput, match="not on this branch"):
            case_of_turn(setup, path, "nowhere")

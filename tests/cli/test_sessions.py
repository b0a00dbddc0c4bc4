"""`workbench sessions` lists, shows and scores stored sessions, so that other commands get their IDs."""

import json
from contextlib import closing
from dataclasses import replace

import pytest

from tests.exchanges import SETUP, Agent, answered, said
from workbench.chat.message import Message, Role
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import Store

TOOLS = """[{"type": "function", "function": {"name": "get_weather", "parameters":
{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]"""
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome",}}\n</tool_call>'
UNKNOWN = '<tool_call>\n{"name": "get_wether", "arguments": {"city": "Rome"}}\n</tool_call>'
RESULT = Message(role=Role.TOOL, text='{"celsius": 31}', name="get_weather")


@pytest.fixture
def recorded(variables):
    """Two recorded sessions: one of a good turn with a clock in the system text, one of a call of an unknown tool."""
    setup = replace(SETUP, tools_text=TOOLS)
    with closing(Store(f"sqlite:///{variables['WORKBENCH_DATA']}/workbench.sqlite3")) as store:
        own = store.of(LOCAL_OWNER)
        fingerprint = setup.offered_tools().fingerprint
        agent = Agent(tag="agent", setup=setup, messages=[Message(role=Role.SYSTEM, text="It is 12:00.")])
        call = answered(CALL, tools_fingerprint=fingerprint)
        own.recordings.record("a" * 32, agent.request(said("What is the weather in Rome?")), call)
        agent.got(call)
        agent.messages[0] = Message(role=Role.SYSTEM, text="It is 12:01.")
        answer = answered("It is 31 degrees.", tools_fingerprint=fingerprint)
        own.recordings.record("a" * 32, agent.request(RESULT), answer)
        other = Agent(tag="agent", setup=replace(setup, model="other")).request(said("And in Oslo?"))
        unknown = answered(UNKNOWN, tools_fingerprint=fingerprint, engine_name="other")
        own.recordings.record("b" * 32, other, unknown)


def read_json(workbench, *arguments):
    done = workbench("sessions", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_sessions_are_listed_with_their_ids(workbench, recorded):
    lines = workbench("sessions", "list", "--tag", "agent").stdout.splitlines()
    assert [line[:32] for line in lines] == ["b" * 32, "a" * 32]
    assert lines[1].endswith("5 messages  What is the weather in Rome? #agent")
    (only,) = read_json(workbench, "list", "--model", "other")["sessions"]
    assert (only["session"], only["tags"], only["client"]) == ("b" * 32, ["agent"], "agent/1.0")
    none = workbench("sessions", "list", "--tag", "nothing")
    assert (none.returncode, none.stdout, none.stderr) == (0, "", "No sessions found.\n")


def test_a_session_is_shown_with_ids_calls_and_findings(workbench, recorded):
    document = read_json(workbench, "show", "a" * 32)
    messages = document["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "assistant"]
    call = messages[2]
    assert call["calls"] == [
        {"index": 0, "name": "get_weather", "arguments": {"city": "Rome"}, "status": "ready"}
    ]
    assert (call["fixes"], call["text"]) == (["trailing-comma"], CALL)
    # Why the second request belongs to the session although its system text differs.
    (finding,) = messages[4]["findings"]
    assert finding["code"] == "stamp-ignored" and "'12:01' instead of '12:00'" in finding["message"]
    lines = workbench("sessions", "show", "a" * 32).stdout.splitlines()
    assert f"{call['id']}  assistant" in lines
    assert '  call 0  get_weather {"city":"Rome"}  ready' in lines
    assert "  fix trailing-comma" in lines
    assert any(line.startswith("  note stamp-ignored: the system text has '12:01'") for line in lines)
    assert read_json(workbench, "show", "last")["session"] == "b" * 32


def test_the_ids_are_those_that_other_commands_take(workbench, recorded):
    session = read_json(workbench, "list")["sessions"][1]["session"]
    message = next(each for each in read_json(workbench, "show", session)["messages"] if each["calls"])
    labelled = workbench("labels", "add", session, message["id"], "--call", "0", "--verdict", "right")
    assert labelled.returncode == 0, labelled.stderr


def test_another_branch_is_shown_by_its_leaf(workbench, recorded, variables):
    with closing(Store(f"sqlite:///{variables['WORKBENCH_DATA']}/workbench.sqlite3")) as store:
        own = store.of(LOCAL_OWNER)
        question = own.sessions.path("b" * 32)[1]
        leaf = own.sessions.path("b" * 32)[-1].id
        agent = Agent(tag="agent", setup=replace(SETUP, tools_text=TOOLS, model="other"))
        own.recordings.record("b" * 32, agent.request(said(question.message.text)), answered("No."))
    shown = read_json(workbench, "show", "b" * 32)
    assert shown["messages"][-1]["text"] == "No." and shown["other_leaves"] == [leaf]
    assert read_json(workbench, "show", "b" * 32, "--leaf", leaf)["messages"][-1]["id"] == leaf
    assert leaf in workbench("sessions", "show", "b" * 32).stdout


def test_sessions_are_scored_by_model_and_day(workbench, recorded):
    scores = read_json(workbench, "score", "agent")
    assert scores["sessions"] == 2
    one, other = scores["by_model"]
    assert (one["group"], one["turns"], one["calls"], sum(one["problems"].values())) == ("embedded", 1, 1, 0)
    assert (other["group"], other["problems"]["unknown-tool"]) == ("other", 1)
    assert [day["turns"] for day in scores["by_day"]] == [2]
    (problem,) = scores["problems"]
    assert (problem["kind"], problem["tool"], problem["session"]) == ("unknown-tool", "get_wether", "b" * 32)
    shown = workbench("sessions", "score", "agent").stdout
    assert "2 sessions, 3 completions" in shown and "| tokens a turn |" in shown
    assert f"unknown-tool get_wether: {'b' * 32} {problem['message']}" in shown


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("sessions", "show", "nope"), "no such session (`workbench sessions list` lists them)"),
        (("sessions", "show", "a" * 32, "--leaf", "nope"), "`workbench sessions show SESSION` lists them"),
        (("sessions", "score", "nope"), "`workbench sessions list` shows the tags"),
        (("labels", "add", "nope", "nope", "--verdict", "good"), "`workbench sessions list` lists them"),
        (("labels", "add", "a" * 32, "nope", "--verdict", "good"), "`workbench sessions show SESSION` lists them"),
        (("labels", "stale", "nope"), "`workbench sessions list` lists them"),
        (("suites", "case", "nope"), "`workbench sessions list` lists them"),
        (("export", "--session", "nope", "-o", "-"), "`workbench sessions list` lists them"),
        (("chat", "Hi", "--session", "nope"), "`workbench sessions list` lists them"),
    ],
)  # fmt: skip
def test_an_unknown_id_says_where_to_find_one(workbench, recorded, arguments, line):
    done = workbench(*arguments)
    assert done.returncode == 2 and line in done.stderr, done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("labels", "add"), ("labels", "stale"), ("labels", "move"), ("labels", "accept"), ("suites", "case"),
        ("export",), ("chat",), ("labels", "assign"), ("labels", "unassign"), ("sessions", "show"),
    ],
)  # fmt: skip
def test_the_help_says_where_to_find_an_id(workbench, command):
    shown = " ".join(workbench(*command, "--help").stdout.split())
    assert "workbench sessions list" in shown

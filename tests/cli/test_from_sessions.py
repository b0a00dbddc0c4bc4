"""`workbench run --from-sessions` runs recorded conversations again; `--source` selects them."""

import json
from contextlib import closing
from dataclasses import replace

import pytest

from tests.exchanges import SETUP, Agent, answered, said
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import Store

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
TOOLS = """[{"type": "function", "function": {"name": "get_flumbuster", "parameters":
{"type": "object", "properties": {"flumb": {"type": "string"}}}}}]"""


@pytest.fixture
def recorded(variables):
    """A recorded question with its call, and a question whose call could not be read."""
    setup = replace(SETUP, tools_text=TOOLS)
    with closing(Store(f"sqlite:///{variables['WORKBENCH_DATA']}/workbench.sqlite3")) as store:
        own = store.of(LOCAL_OWNER)
        for session_id, question, answer in (
            ("a" * 32, "What is the reading for Cairo?", CALL),
            ("b" * 32, "And for Oslo?", "<tool_call>\nnonsense\n</tool_call>"),
        ):
            request = Agent(tag="agent", setup=setup).request(said(question))
            own.recordings.record(session_id, request, answered(answer))


def test_recorded_conversations_are_run_and_saved(workbench, recorded, script):
    done = workbench(
        "run", "--from-sessions", "agent", "--save-suite", "yesterday", "--model", script, "--json-out", "-"
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["pass_rate"] == 1.0, report
    assert "1 case from 2 sessions, 0 of them labelled" in done.stderr
    assert f"skipped: session {'b' * 32}, message " in done.stderr
    assert "a call could not be read; correct the message" in done.stderr
    assert "saved as suite yesterday@1" in done.stderr
    again = workbench("run", "yesterday", "--model", script)
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--from-sessions", "none"), "no session has it"),
        (("--from-sessions", "agent", "nonsense"), "a run is of suites, rows or sessions"),
        (
            ("--from-sessions", "agent", "--rows", "x.csv", "--message", "x"),
            "a run is of suites, rows or sessions",
        ),
        (("--save-suite", "x", "nonsense"), "it needs --from-sessions"),
        (("--from-sessions", "agent", "--save-suite", "a/b"), "not usable as a file name"),
        (
            ("--from-sessions", "agent", "--resume", "last"),
            "the run already has its suites, rows or sessions",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(workbench, recorded, options, message):
    done = workbench("run", *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_sessions_are_selected_by_their_source(workbench, recorded, tmp_path):
    found = json.loads(workbench("search", "", "--source", "gateway", "--json").stdout)
    assert {session["session"] for session in found["sessions"]} == {"a" * 32, "b" * 32}
    assert json.loads(workbench("search", "", "--source", "import", "--json").stdout) == {"sessions": []}
    assert json.loads(workbench("search", "", "--source", "chat", "--json").stdout) == {"sessions": []}
    exported = workbench(
        "export",
        "--source",
        "gateway",
        "--format",
        "openai",
        "--skip-invalid",
        "--json",
        "--out",
        str(tmp_path / "rows.jsonl"),
    )
    assert exported.returncode == 0, exported.stderr
    none = workbench(
        "export", "--source", "import", "--format", "openai", "--out", str(tmp_path / "none.jsonl")
    )
    assert none.returncode == 1

"""`workbench presets`, and commands that start with a preset."""

import json
from contextlib import closing
from dataclasses import replace

import pytest

from tests.store.examples import SETUP
from workbench.records.owner import LOCAL_OWNER
from workbench.rollout.sampling import Sampling
from workbench.store.store import Store

CONTRACT = """---
name: own
title: Own
family: hermes-lines
variables:
  tone: plain
---
Answer in a {{ tone }} tone.
<tools>
{{ tools }}
</tools>
"""
TOOLS = '[{"type": "function", "function": {"name": "get_time", "parameters": {"type": "object"}}}]'


@pytest.fixture
def preset(variables, script):
    """The setup of a stored preset named "formal"."""
    setup = replace(
        SETUP,
        contract_name="own",
        contract_text=CONTRACT,
        tools_text=TOOLS,
        disabled_tools=frozenset(),
        model=script,
        tool_choice="none",
        sampling=Sampling(temperature=0.4, seed=5, top_k=7),
        variables={"tone": "formal"},
        ephemeral="Be brief.",
    )
    with closing(Store(f"sqlite:///{variables['WORKBENCH_DATA']}/workbench.sqlite3")) as store:
        store.of(LOCAL_OWNER).presets.save_preset("formal", setup)
    return setup


def test_presets_are_listed_shown_renamed_and_deleted(workbench, preset):
    assert workbench("presets", "list").stdout == f"formal  own · {preset.model}\n"
    [listed] = json.loads(workbench("presets", "list", "--json").stdout)["presets"]
    assert listed == {"name": "formal", "contract": "own", "model": preset.model}
    shown = json.loads(workbench("presets", "show", "formal", "--json").stdout)
    assert (shown["tools"], shown["variables"]) == (["get_time"], {"tone": "formal"})
    assert "tool_choice: none" in workbench("presets", "show", "formal").stdout
    assert workbench("presets", "rename", "formal", "calm").stdout == "calm\n"
    assert workbench("presets", "delete", "calm").returncode == 0
    gone = workbench("presets", "show", "calm")
    assert (gone.returncode, gone.stderr.count("\n")) == (2, 1)
    assert "preset 'calm': there is no such preset" in gone.stderr


def test_chat_starts_with_a_preset_and_its_options_override_it(workbench, preset, variables):
    first = json.loads(workbench("chat", "Hello", "--preset", "formal", "--seed", "9", "--json").stdout)
    assert "Answer in a formal tone." in first["messages"][0]["content"]
    with closing(Store(f"sqlite:///{variables['WORKBENCH_DATA']}/workbench.sqlite3")) as store:
        setup = store.of(LOCAL_OWNER).sessions.find_session(first["session"]).setup
    assert setup == replace(preset, sampling=replace(preset.sampling, seed=9))
    options = ["--contract", "minimal", "--tools", "weather", "--tools", "calendar"]
    other = json.loads(workbench("chat", "Hello", "--preset", "formal", *options, "--json").stdout)
    text = other["messages"][0]["content"]
    assert "get_weather" in text and "list_events" in text and "formal tone" not in text
    refused = workbench("chat", "Hello", "--session", first["session"], "--preset", "formal")
    assert (refused.returncode, "has its own settings" in refused.stderr) == (2, True)
    unknown = workbench("chat", "Hello", "--preset", "formel")
    assert (unknown.returncode, "did you mean 'formal'" in unknown.stderr) == (2, True)


def test_a_run_uses_a_preset(workbench, preset, tmp_path, variables):
    suite = tmp_path / "own.yaml"
    suite.write_text("suite: own\ncases: [{id: a, prompt: Hello, expect: [{call_count: {at_least: 0}}]}]")
    done = workbench("run", suite, "--preset", "formal", "--json-out", "-")
    assert done.returncode == 0, done.stderr
    [result] = json.loads(done.stdout)["results"]
    with closing(Store(f"sqlite:///{variables['WORKBENCH_DATA']}/workbench.sqlite3")) as store:
        own = store.of(LOCAL_OWNER)
        setup = own.sessions.find_session(result["session_id"]).setup
        text = own.sessions.path(result["session_id"])[0].message.text
    assert setup == replace(preset, tools_text="[]")
    assert "Answer in a formal tone." in text


def test_a_message_runs_over_rows(workbench, preset, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("city,tone\nRome,calm\nOslo,loud\n")
    out = tmp_path / "answers.jsonl"
    message = "Weather in {{ city }}?"
    options = ["--preset", "formal", "--tools", "weather", "--rows-out", out, "--json-out", "-"]
    done = workbench("run", "--rows", rows, "--message", message, *options)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert [answer["message"] for answer in answers] == ["Weather in Rome?", "Weather in Oslo?"]
    assert answers[1]["row"] == {"city": "Oslo", "tone": "loud"}
    assert all(answer["session"] and (answer["answer"] or answer["calls"]) for answer in answers)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense", "--rows", "{rows}"], "omit the suites"),
        (["--rows", "{rows}", "--model", "a", "--model", "b"], "has one setup"),
        (["--rows", "{rows}", "--rows-out", "a.txt"], "ends in .csv or .jsonl"),
        (["--rows", "{rows}"], "message: empty"),
        (["--rows", "{rows}", "--message", "{{ citty }}"], "did you mean 'city'"),
        (["--rows", "nowhere.csv", "--message", "a"], "No such file"),
        (["--message", "a"], "add --rows FILE"),
        (["--rows", "{bad}", "--message", "a"], "bad.csv, line 2, byte 1: not UTF-8"),
        (["--rows", "{ragged}", "--message", "a"], "ragged.csv, line 2 (row 1): 1 cell for 2 columns"),
    ],
)
def test_rows_that_cannot_run_are_reported(workbench, tmp_path, arguments, message):
    files = {"rows": b"city\nRome\n", "bad": b"city\n\xff\n", "ragged": b"a,b\n1\n"}
    for name, data in files.items():
        (tmp_path / f"{name}.csv").write_bytes(data)
    places = {f"{{{name}}}": str(tmp_path / f"{name}.csv") for name in files}
    done = workbench("run", *(places.get(argument, argument) for argument in arguments))
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr

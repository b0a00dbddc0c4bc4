"""`workbench chat` with a scripted model, and the errors that it reports."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys

import pytest

from tests.cli.conftest import CHECKOUT
from workbench import __version__
from workbench.cli.terminal.exit_code import ExitCode

QUESTION = "What is the flumbuster reading for cairo?"


@pytest.mark.slow
def test_json_is_one_object_and_nothing_else(process, script):
    done = process("chat", QUESTION, "--model", script, "--tool-choice", "required", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert list(report) == ["session", "messages", "calls", "answer", "end", "timing"]
    assert [message["role"] for message in report["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert report["messages"][2]["content"].startswith("<tool_call>\n{")
    assert report["calls"] == [
        {
            "name": "get_flumbuster",
            "arguments": {"flumb": "cairo"},
            "status": "ready",
            "result": {"flumb": "Cairo", "reading": 31, "unit": "metric usters"},
        }
    ]
    assert report["answer"] == "The reading for Cairo is 31."
    assert report["end"] == {"reason": "answered", "rounds": 2, "problem": ""}
    assert set(report["timing"]) == {
        "prompt_tokens",
        "completion_tokens",
        "time_to_first_token_s",
        "tokens_per_second",
    }


@pytest.mark.slow
def test_a_session_continues_in_another_process_byte_for_byte(workbench, process, script):
    first = json.loads(workbench("chat", QUESTION, "--model", script, "--json").stdout)
    again = process("chat", "And now?", "--session", first["session"], "--json")
    second = json.loads(again.stdout)
    assert second["session"] == first["session"]
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert len(second["messages"]) == 9


def test_the_plain_output_shows_the_call_its_result_and_the_answer(workbench, script):
    done = workbench("chat", QUESTION, "--model", script)
    assert '{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}' in done.stdout
    assert 'get_flumbuster → {"flumb": "Cairo", "reading": 31, "unit": "metric usters"}' in done.stdout
    assert "The reading for Cairo is 31." in done.stdout
    assert "prompt + " in done.stderr


def test_a_tool_that_fails_is_reported_as_failed(workbench, tmp_path):
    path = tmp_path / "script.yaml"
    call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Atlantis"}}\n</tool_call>'
    path.write_text(json.dumps({"completions": [call, "No such city."]}))
    done = workbench("chat", "Weather?", "--tools", "weather", "--model", f"scripted:{path}", "--json")
    call = json.loads(done.stdout)["calls"][0]
    assert (call["status"], call["result"]) == ("failed", {"error": "city not found"})


CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


@pytest.mark.parametrize(
    ("completion", "options", "reason", "code"),
    [
        ("The reading is 31.", [], "answered", 0),
        (CALL, ["--tool-choice", "none"], "calls-not-run", 0),
        (CALL, ["--max-rounds", "1"], "round-limit", 1),
        ("<tool_call>\nget the reading\n</tool_call>", [], "unreadable", 1),
        ("one two three four five six seven", ["--max-tokens", "2"], "length", 1),
        ({"text": "The rea", "error": "the server is gone"}, [], "", 3),
    ],
)
def test_the_exit_code_says_whether_the_turn_ended_with_an_answer(
    workbench, tmp_path, completion, options, reason, code
):
    path = tmp_path / "script.yaml"
    path.write_text(json.dumps({"completions": [completion]}))
    done = workbench(
        "chat", QUESTION, "--tools", "nonsense", "--model", f"scripted:{path}", *options, "--json"
    )
    assert done.returncode == code, done.stderr
    if reason:
        report = json.loads(done.stdout)
        assert report["end"]["reason"] == reason
        assert (report["answer"] is None) == (reason != "answered")


@pytest.mark.slow
def test_ctrl_c_stops_a_turn_stores_it_and_gives_130(variables, workbench, tmp_path):
    path = tmp_path / "slow.yaml"
    path.write_text(json.dumps({"completions": [{"text": "word " * 2000, "seconds_per_token": 0.05}]}))
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", "chat", "hi", "--model", f"scripted:{path}"],
        cwd=CHECKOUT,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.read(20)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "turn ended: cancelled" in errors
    assert "word" in workbench("search", "word").stdout


def test_the_table_of_exit_codes_is_that_of_the_code():
    page = (CHECKOUT / "docs/reference/cli.md").read_text(encoding="utf-8")
    codes = re.findall(r"^\| (\d+) \|", page, re.MULTILINE)
    assert [int(code) for code in codes[: len(ExitCode)]] == [*ExitCode]


def test_export_writes_the_session_and_it_reads_back(workbench, script, tmp_path):
    report = json.loads(workbench("chat", QUESTION, "--model", script, "--json").stdout)
    out = tmp_path / "rows.jsonl"
    done = workbench("export", "--format", "sharegpt", "--out", out)
    assert done.returncode == 0
    assert "1 row from 1 session written" in done.stderr
    (row,) = [json.loads(line) for line in out.read_text().splitlines()]
    values = [entry["value"] for entry in row["conversations"]]
    assert values[:3] == [message["content"] for message in report["messages"][:3]]
    assert [tool["function"]["name"] for tool in json.loads(row["tools"])] == [
        "get_flumbuster",
        "calculate_zorbix",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["--tools", "nonsens"], 2, "JSON file 'nonsens'"),
        (["--tool-choice", "get_wether"], 2, "no tool 'get_wether'"),
        (
            ["--contract", "tiny"],
            2,
            "contract 'tiny': no such contract (use one of desk, full, hermes-3, minimal, shop, travel)",
        ),
        (["--session", "nowhere"], 2, "no such session"),
        (["--model", "/no/model.gguf"], 3, "'/no/model.gguf' not found"),
        (["--model", "scripted:/no/script.yaml"], 3, "'scripted:/no/script.yaml' not found"),
    ],
)
def test_bad_usage_is_reported_in_one_line_and_writes_nothing(workbench, tmp_path, arguments, code, line):
    done = workbench("chat", "hi", *arguments)
    assert done.returncode == code
    assert line in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    with sqlite3.connect(tmp_path / "data" / "workbench.sqlite3") as database:
        assert database.execute("select count(*) from session").fetchone() == (0,)
    database.close()


def test_a_tool_that_cannot_be_used_is_named_and_the_chat_goes_on(workbench, script, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('[\n {"name": "f",\n  "parameters": {"type": "objekt"}}\n]')
    done = workbench("chat", "hi", "--model", script, "--tools", path)
    assert done.returncode == 0
    assert all(part in done.stderr for part in ("spec-unsound", "'f'", "line 3", "objekt")), done.stderr


def test_a_prompt_that_is_too_long_is_reported_and_the_question_is_stored(workbench, tmp_path):
    path = tmp_path / "script.yaml"
    path.write_text("completions: [x]\ncontext_tokens: 100\n")
    done = workbench("chat", QUESTION, "--model", f"scripted:{path}")
    assert done.returncode == 3
    assert "tokens too long" in done.stderr
    with sqlite3.connect(tmp_path / "data" / "workbench.sqlite3") as database:
        texts = [row[0] for row in database.execute("select text from message where role = 'user'")]
    database.close()
    assert texts == [QUESTION]


def test_a_database_that_cannot_be_opened_is_reported_in_one_line(workbench, script):
    done = workbench("chat", "hi", "--model", script, WORKBENCH_DATABASE_URL="sqlite:////proc/none/x.sqlite3")
    assert done.returncode == 2
    assert "/proc/none" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_version_is_printed(workbench):
    assert workbench("--version").stdout == f"workbench {__version__}\n"

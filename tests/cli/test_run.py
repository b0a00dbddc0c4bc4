"""`workbench run` and `workbench compare`: suites played, reported, stopped, gone on with, compared."""

import json
import os
import signal
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import CHECKOUT

pytestmark = pytest.mark.slow

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
SUITE = """
suite: own
defaults: {tools: [nonsense], max_rounds: 1}
cases:
  - id: a
    prompt: Reading for cairo?
    expect: [{calls: [{name: get_flumbuster}]}]
  - id: b
    prompt: Hello
    expect: [{no_call: true}]
  - id: c
    prompt: Reading for lima?
    mocks: {get_flumbuster: [{error: out of order}]}
    expect: [{calls: [{name: get_flumbuster, arguments: {flumb: lima}}]}]
"""


@pytest.fixture
def own(tmp_path):
    """A suite of three cases, and a model that calls, greets, calls…"""
    (tmp_path / "own.yaml").write_text(SUITE)
    (tmp_path / "model.yaml").write_text(json.dumps({"completions": [CALL, "Hello!", CALL]}))
    return tmp_path / "own.yaml", f"scripted:{tmp_path / 'model.yaml'}"


def test_a_run_is_told_reported_and_held_to_its_bar(workbench, own, tmp_path):
    suite, model = own
    files = {name: tmp_path / f"report.{name}" for name in ("json", "xml", "html", "md")}
    options = [
        "--json-out", files["json"], "--junit", files["xml"], "--html", files["html"], "--markdown", files["md"],
    ]  # fmt: skip
    done = workbench("run", suite, "--contract", "minimal", "--model", model, "--fail-under", "0.6", *options)
    assert done.returncode == 0, done.stderr
    assert "| minimal | 2/3    | 67 %" in done.stdout
    assert 'own/c · minimal: get_flumbuster: flumb is "cairo", wanted "lima"' in done.stdout
    report = json.loads(files["json"].read_text())
    assert (report["state"], report["pass_rate"], report["front"]) == ("done", 2 / 3, ["minimal"])
    assert [one["status"] for one in report["results"]] == ["passed", "passed", "failed"]
    tree = ElementTree.fromstring(files["xml"].read_text())
    assert [case.get("name") for case in tree.iter("testcase")] == ["a", "b", "c"]
    assert [one.get("failures") for one in tree] == ["1"]
    html = files["html"].read_text()
    rollout = report["results"][0]["rollout"]
    assert rollout.startswith("http://127.0.0.1:") and rollout.endswith(report["results"][0]["session_id"])
    assert all(rollout in files[name].read_text() for name in files)
    assert "<script" not in html and "src=" not in html
    assert "## What did not pass" in files["md"].read_text()
    again = workbench("run", suite, "--contract", "minimal", "--model", model, "--fail-under", "0.7")
    assert again.returncode == 1
    compared = workbench("compare", report["run"][:8], "last", "--json")
    assert compared.returncode == 0
    assert json.loads(compared.stdout)["compared"] == 3


def test_a_rollout_is_a_session_that_no_list_and_no_export_has(workbench, own, tmp_path):
    suite, model = own
    workbench("run", suite, "--model", model, "--json-out", tmp_path / "r.json")
    session = json.loads((tmp_path / "r.json").read_text())["results"][2]["session_id"]
    gone_on = workbench("chat", "And now?", "--session", session, "--json")
    assert "out of order" in json.dumps(json.loads(gone_on.stdout)["messages"])
    assert "0 rows of 0 sessions" in workbench("export", "--out", tmp_path / "rows.jsonl").stderr
    by_id = workbench("export", "--session", session, "--out", tmp_path / "rows.jsonl", "--raw")
    assert "of 1 sessions" in by_id.stderr


def test_arms_are_every_combination(workbench, own):
    suite, model = own
    done = workbench(
        "run", suite, "--contract", "minimal", "--contract", "full", "--model", model,
        "--tool-choice", "auto", "--tool-choice", "none", "--limit", "1", "--json-out", "-",
    )  # fmt: skip
    labels = [card["arm"] for card in json.loads(done.stdout)["cards"]]
    assert labels == ["minimal · auto", "minimal · none", "full · auto", "full · none"]


def test_a_way_of_sampling_and_a_grammar_make_arms_too(workbench, own):
    suite, model = own
    done = workbench(
        "run", suite, "--model", model, "--temperature", "0", "--temperature", "0.7", "--top-p", "0.9",
        "--top-p", "1", "--grammar", "both", "--limit", "1", "--json-out", "-",
    )  # fmt: skip
    arms = json.loads(done.stdout)["arms"]
    ways = {(arm["sampling"]["temperature"], arm["sampling"]["top_p"], arm["is_constrained"]) for arm in arms}
    assert len(arms) == len(ways) == 8


def test_a_part_of_the_contract_is_left_out_and_its_worth_is_told(workbench, own):
    suite, model = own
    done = workbench(
        "run", suite, "--contract", "minimal", "--model", model, "--limit", "1", "--ablate",
        "--vary", "renamed", "--json-out", "-",
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert [one["change"][:2] for one in report["worths"]] == ["¶2", "¶3", "¶4", "to"]
    assert all(one["of"] == "minimal" for one in report["worths"])
    assert report["worths"][0]["saved_tokens"] > 50


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run"], "no suite is named"),
        (["run", "nowhere"], "suite 'nowhere': no such suite (there are clarify,"),
        (["run", "nonsense", "--contract", "nowhere"], "contract 'nowhere': no such contract"),
        (["run", "nonsense", "--contract", "minimal", "--contract", "minimal"], "twice"),
        (["run", "nonsense", "--tag", "nowhere"], "there is no case to play"),
        (["run", "--resume", "nowhere"], "run 'nowhere': there is no such run"),
        (["run", "nonsense", "--baseline", "nowhere"], "there is no such run"),
        (["compare", "a", "b"], "run 'a': there is no such run"),
        (["suites", "export", "nonsense", "--to", "nowhere"], "no form 'nowhere'"),
    ],
)
def test_what_cannot_be_played_is_told_in_a_line(run_cli, monkeypatch, tmp_path, arguments, told):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    done = run_cli(*arguments)
    assert done.code == 2
    assert told in done.err
    assert done.err.count("\n") == 1


def test_a_model_that_is_not_there_ends_with_3(run_cli, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    done = run_cli("run", "nonsense", "--model", str(tmp_path / "no.gguf"))
    assert done.code == 3
    assert "error nonsense/flumbuster-basic" in done.out


def test_suites_of_others_are_taken_and_written(run_cli, monkeypatch, tmp_path, own):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    row = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello"}]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(row))
    assert run_cli("suites", "import", tmp_path / "gold.jsonl", "--out", tmp_path / "gold.yaml").code == 0
    assert "no_call: true" in (tmp_path / "gold.yaml").read_text()
    done = run_cli("suites", "export", tmp_path / "gold.yaml", "--to", "openai", "--out", tmp_path)
    assert done.code == 0
    assert json.loads((tmp_path / "messages.jsonl").read_text())["messages"][0]["content"] == "hi"


def comparable(report):
    """A report without what differs from run to run: ids and times."""
    results = [
        {key: value for key, value in one.items() if key not in ("session_id", "rollout", "measures")}
        | {key: value for key, value in one["measures"].items() if not key.endswith("seconds")}
        for one in report["results"]
    ]
    cards = [{key: value for key, value in one.items() if key != "seconds"} for one in report["cards"]]
    return report["title"], report["state"], cards, results


def test_a_run_that_is_killed_goes_on_and_comes_to_the_report_of_an_unbroken_one(workbench, tmp_path):
    suite = tmp_path / "many.yaml"
    cases = [{"id": str(n), "prompt": f"Case {n}", "expect": [{"no_call": True}]} for n in range(6)]
    suite.write_text(json.dumps({"suite": "many", "cases": cases}))
    script = {"completions": [{"text": "Hello there, " * 4, "seconds_per_token": 0.05}]}
    (tmp_path / "slow.yaml").write_text(json.dumps(script))
    command = ["run", str(suite), "--model", f"scripted:{tmp_path / 'slow.yaml'}"]
    environment = os.environ | {"WORKBENCH_DATA": str(tmp_path / "data"), "WORKBENCH_HOME": str(CHECKOUT)}
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", *command],
        cwd=CHECKOUT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stderr:
            if line.startswith("2/6"):
                process.send_signal(signal.SIGKILL)
                break
    listed = workbench("run", "--list").stdout
    assert "running" in listed
    resumed = workbench("run", "--resume", "last", "--json-out", "-")
    unbroken = workbench(*command, "--json-out", "-")
    assert resumed.returncode == unbroken.returncode == 0
    assert comparable(json.loads(resumed.stdout)) == comparable(json.loads(unbroken.stdout))
    assert len(json.loads(resumed.stdout)["results"]) == 6


def test_ctrl_c_keeps_what_is_done(workbench, tmp_path, own):
    _, model = own
    suite = tmp_path / "long.yaml"
    suite.write_text(
        "suite: long\ncases:\n  - {id: n, prompt: hi, repeat: 500, expect: [{call_count: {at_least: 0}}]}\n"
    )
    environment = os.environ | {"WORKBENCH_DATA": str(tmp_path / "data"), "WORKBENCH_HOME": str(CHECKOUT)}
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", "run", str(suite), "--model", model],
        cwd=CHECKOUT, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        for line in process.stderr:
            if line.startswith("1/500"):
                process.send_signal(signal.SIGINT)
                break
        process.communicate(timeout=60)
    assert process.returncode == 1
    assert "stopped" in workbench("run", "--list").stdout

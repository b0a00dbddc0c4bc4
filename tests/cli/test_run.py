"""`workbench run` and `workbench compare`: run suites, report, stop, resume and compare."""

import json
import os
import re
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
    """A suite with three cases, and a model that makes a call, greets, makes a call, and so on."""
    (tmp_path / "own.yaml").write_text(SUITE)
    (tmp_path / "model.yaml").write_text(json.dumps({"completions": [CALL, "Hello!", CALL]}))
    return tmp_path / "own.yaml", f"scripted:{tmp_path / 'model.yaml'}"


def test_a_run_is_reported_in_all_forms_and_checked_against_the_required_pass_rate(workbench, own, tmp_path):
    suite, model = own
    files = {name: tmp_path / f"report.{name}" for name in ("json", "xml", "html", "md")}
    options = [
        "--json-out", files["json"], "--junit", files["xml"], "--html", files["html"], "--markdown", files["md"],
    ]  # fmt: skip
    done = workbench("run", suite, "--contract", "minimal", "--model", model, "--fail-under", "0.6", *options)
    assert done.returncode == 0, done.stderr
    assert "| minimal | 2/3    | 67 %" in done.stdout
    assert 'own/c · minimal: get_flumbuster: flumb is "cairo", expected "lima"' in done.stdout
    report = json.loads(files["json"].read_text())
    assert (report["state"], report["pass_rate"], report["front"]) == ("done", 2 / 3, ["minimal"])
    assert [result["status"] for result in report["results"]] == ["passed", "passed", "failed"]
    tree = ElementTree.fromstring(files["xml"].read_text())
    assert [case.get("name") for case in tree.iter("testcase")] == ["a", "b", "c"]
    assert [suite.get("failures") for suite in tree] == ["1"]
    html = files["html"].read_text()
    rollout = report["results"][0]["rollout"]
    assert rollout.startswith("http://127.0.0.1:") and rollout.endswith(report["results"][0]["session_id"])
    assert all(rollout in files[name].read_text() for name in files)
    # The library of the charts is inside the file, which loads nothing.
    assert not re.search(r"<(script|img|link|iframe)[^>]*\b(src|href)=", html)
    assert "## Failures and errors" in files["md"].read_text()
    again = workbench("run", suite, "--contract", "minimal", "--model", model, "--fail-under", "0.7")
    assert again.returncode == 1
    compared = workbench("compare", report["run"][:8], "last", "--json")
    assert compared.returncode == 0
    assert json.loads(compared.stdout)["compared"] == 3


def test_a_rollout_is_a_session_that_is_neither_listed_nor_exported(workbench, own, tmp_path):
    suite, model = own
    workbench("run", suite, "--model", model, "--json-out", tmp_path / "r.json")
    session = json.loads((tmp_path / "r.json").read_text())["results"][2]["session_id"]
    continued = workbench("chat", "And now?", "--session", session, "--json")
    assert "out of order" in json.dumps(json.loads(continued.stdout)["messages"])
    assert "0 rows from 0 sessions" in workbench("export", "--out", tmp_path / "rows.jsonl").stderr
    by_id = workbench("export", "--session", session, "--out", tmp_path / "rows.jsonl", "--raw")
    assert "from 1 session" in by_id.stderr


def test_every_combination_of_contract_and_tool_choice_is_an_arm(workbench, own):
    suite, model = own
    done = workbench(
        "run", suite, "--contract", "minimal", "--contract", "full", "--model", model,
        "--tool-choice", "auto", "--tool-choice", "none", "--limit", "1", "--json-out", "-",
    )  # fmt: skip
    labels = [card["arm"] for card in json.loads(done.stdout)["cards"]]
    assert labels == ["minimal · auto", "minimal · none", "full · auto", "full · none"]


def test_every_combination_of_sampling_and_grammar_is_an_arm(workbench, own):
    suite, model = own
    done = workbench(
        "run", suite, "--model", model, "--temperature", "0", "--temperature", "0.7", "--top-p", "0.9",
        "--top-p", "1", "--grammar", "both", "--limit", "1", "--json-out", "-",
    )  # fmt: skip
    arms = json.loads(done.stdout)["arms"]
    settings = {
        (arm["sampling"]["temperature"], arm["sampling"]["top_p"], arm["is_constrained"]) for arm in arms
    }
    assert len(arms) == len(settings) == 8


def test_an_ablation_reports_the_effect_of_each_part_of_the_contract(workbench, own):
    suite, model = own
    done = workbench(
        "run", suite, "--contract", "minimal", "--model", model, "--limit", "1", "--ablate",
        "--vary", "renamed", "--json-out", "-",
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert [worth["change"][:2] for worth in report["worths"]] == ["¶2", "¶3", "¶4", "to"]
    assert all(worth["of"] == "minimal" for worth in report["worths"])
    assert report["worths"][0]["saved_tokens"] > 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "no suite given"),
        (["run", "nowhere"], "suite 'nowhere': no such suite (known suites: clarify,"),
        (["run", "nonsense", "--contract", "nowhere"], "contract 'nowhere': no such contract"),
        (["run", "nonsense", "--contract", "minimal", "--contract", "minimal"], "more than once"),
        (["run", "nonsense", "--tag", "nowhere"], "there are no cases to run"),
        (["run", "--resume", "nowhere"], "run 'nowhere': there is no such run"),
        (["run", "nonsense", "--baseline", "nowhere"], "there is no such run"),
        (["compare", "a", "b"], "run 'a': there is no such run"),
        (["suites", "export", "nonsense", "--to", "nowhere"], "unknown format 'nowhere'"),
    ],
)
def test_a_run_that_cannot_start_is_reported_in_one_line(workbench, arguments, message):
    done = workbench(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_missing_model_gives_exit_code_3(workbench, tmp_path):
    done = workbench("run", "nonsense", "--model", tmp_path / "no.gguf")
    assert done.returncode == 3
    assert "error nonsense/flumbuster-basic" in done.stdout


def test_suites_are_imported_from_and_exported_to_other_formats(workbench, tmp_path):
    row = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello"}]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(row))
    made = workbench("suites", "import", tmp_path / "gold.jsonl", "--out", tmp_path / "gold.yaml")
    assert made.returncode == 0
    assert "no_call: true" in (tmp_path / "gold.yaml").read_text()
    done = workbench("suites", "export", tmp_path / "gold.yaml", "--to", "openai", "--out", tmp_path)
    assert done.returncode == 0
    assert json.loads((tmp_path / "messages.jsonl").read_text())["messages"][0]["content"] == "hi"


def comparable(report):
    """Return a report without what differs from run to run: IDs and times."""
    results = [
        {
            key: value
            for key, value in result.items()
            if key not in ("session_id", "message_id", "rollout", "measures")
        }
        | {key: value for key, value in result["measures"].items() if not key.endswith("seconds")}
        for result in report["results"]
    ]
    cards = [{key: value for key, value in card.items() if key != "seconds"} for card in report["cards"]]
    return report["title"], report["state"], cards, results


def test_a_killed_run_is_resumed_and_gives_the_same_report_as_an_uninterrupted_one(workbench, tmp_path):
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
                second = workbench("run", "--resume", "last")
                assert (second.returncode, "in progress already" in second.stderr) == (2, True)
                process.send_signal(signal.SIGKILL)
                break
    for words in (
        ["run", "--list"],
        ["runs", "list"],
        ["runs", "list", "--json"],
        ["runs", "report", "last", "--json"],
    ):
        listed = workbench(*words).stdout
        assert "interrupted" in listed
        assert "running" not in listed
    script["completions"][0]["seconds_per_token"] = 0
    (tmp_path / "slow.yaml").write_text(json.dumps(script))
    resumed = workbench("run", "--resume", "last", "--json-out", "-")
    unbroken = workbench(*command, "--json-out", "-")
    assert resumed.returncode == unbroken.returncode == 0
    assert comparable(json.loads(resumed.stdout)) == comparable(json.loads(unbroken.stdout))
    assert len(json.loads(resumed.stdout)["results"]) == 6


def test_a_killed_run_of_conversations_is_resumed_and_gives_the_same_report(workbench, tmp_path):
    command = ["run", "shop", "travel", "--limit", "24", "--model", "solution"]
    environment = os.environ | {"WORKBENCH_DATA": str(tmp_path / "data"), "WORKBENCH_HOME": str(CHECKOUT)}
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", *command],
        cwd=CHECKOUT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stderr:
            if line.startswith("9/24"):
                process.send_signal(signal.SIGKILL)
                break
    resumed = workbench("run", "--resume", "last", "--json")
    unbroken = workbench(*command, "--json")
    assert resumed.returncode == unbroken.returncode == 0, resumed.stderr
    assert comparable(json.loads(resumed.stdout)) == comparable(json.loads(unbroken.stdout))
    assert json.loads(resumed.stdout)["cards"][0]["passed"] == 24


def test_ctrl_c_stops_a_run_and_keeps_its_results(workbench, tmp_path, own):
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
    assert process.returncode == 130
    assert "stopped" in workbench("run", "--list").stdout


def test_the_newest_run_is_asked_for_where_there_is_none(workbench):
    done = workbench("run", "--resume", "last")
    assert done.returncode == 2
    assert (
        done.stderr == "workbench: run 'last': there are no runs yet (start one with `workbench run SUITE`)\n"
    )

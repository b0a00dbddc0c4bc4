"""`workbench run` and `workbench synth` with `--engine ray`: the same results, and nothing lost if a worker ends."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.cli.conftest import CHECKOUT
from tests.cli.test_run import comparable
from tests.ray import on_ray
from workbench.records.versions import NewVersion, VersionKind
from workbench.settings import read_settings
from workbench.wiring import open_services

ANSWER = (
    '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>\n'
    '{"reason": "It says so.", "holds": true}'
)
"""One completion for all cases: the script gives completions in the order of requests, which workers change."""
SUITE = """
suite: own
defaults: {tools: [nonsense], max_rounds: 1}
cases:
  - id: call
    prompt: Reading for cairo?
    expect: [{calls: [{name: get_flumbuster}]}, {judge: It names the city.}]
  - id: chat
    prompt: Hello
    expect: [{no_call: true}]
  - id: other
    repeat: 2
    messages: [{role: user, content: Hi}, {role: assistant, content: Hello}, {role: user, content: And lima?}]
    mocks: {get_flumbuster: [{error: out of order}]}
    expect: [{calls: [{name: get_flumbuster, arguments: {flumb: lima}}]}]
"""
TOOLSET = """
toolset: nonsense
tools:
- function:
    name: get_flumbuster
    description: D.
    parameters: {type: object, properties: {flumb: {type: string}}}
  mocks: [{result: {saved: 1}}]
"""


@pytest.fixture
def on_cluster(cluster):
    """Options of a run on two workers of the shared cluster."""
    return ["--engine", "ray", "--address", cluster, "--workers", "2"]


@pytest.fixture
def own(tmp_path, variables):
    """The arguments of a run with two arms, a judge, a history and mock rules, over a toolset that is only saved."""
    (tmp_path / "own.yaml").write_text(SUITE)
    (tmp_path / "model.yaml").write_text(json.dumps({"completions": [ANSWER]}))
    with open_services(read_settings(variables)) as services:
        services.versions.save(NewVersion(kind=VersionKind.TOOLS, name="nonsense", text=TOOLSET))
    model = f"scripted:{tmp_path / 'model.yaml'}"
    return ["run", tmp_path / "own.yaml", "--contract", "minimal", "--model", model, "--vary", "renamed"]


def messages_of(variables, report):
    """Return the stored messages of each result, without what differs from run to run: IDs and times."""
    with open_services(read_settings(variables)) as services:
        sessions = [services.sessions.find_session(result["session_id"]) for result in report["results"]]
        return [
            (
                session.title,
                session.setup,
                [
                    (
                        stored.message,
                        stored.origin,
                        stored.generation and replace(stored.generation, timing=None),
                        stored.tool_run and replace(stored.tool_run, milliseconds=0),
                    )
                    for stored in services.sessions.path(session.id)
                ],
            )
            for session in sessions
        ]


@on_ray
def test_two_workers_give_the_same_report_and_sessions_as_this_process(workbench, own, variables, on_cluster):
    local = workbench(*own, "--json")
    spread = workbench(*own, "--json", *on_cluster)
    assert local.returncode == spread.returncode == 0, spread.stderr
    here, there = json.loads(local.stdout), json.loads(spread.stdout)
    assert comparable(there) == comparable(here)
    assert {result["status"] for result in there["results"]} == {"passed", "failed"}
    messages = messages_of(variables, there)
    assert messages == messages_of(variables, here)
    assert '{"saved": 1}' in str(messages) and "out of order" in str(messages)
    assert "0 rows from 0 sessions" in workbench("export", "--out", os.devnull).stderr


@on_ray
def test_conversations_are_the_same_on_ray(workbench, variables, on_cluster):
    # Those of the shop, and some of the travel agency.
    command = ["run", "shop", "travel", "--limit", 24, "--model", "solution", "--json"]
    local, spread = workbench(*command), workbench(*command, *on_cluster)
    assert local.returncode == spread.returncode == 0, spread.stderr
    here, there = json.loads(local.stdout), json.loads(spread.stdout)
    assert len(there["results"]) == 24
    assert comparable(there) == comparable(here)
    assert messages_of(variables, there) == messages_of(variables, here)


def write_answer(folder, seconds_per_token):
    """Write the script of the model of `slow_run`: one answer, of 12 tokens or so."""
    script = {"completions": [{"text": "Hello there, " * 4, "seconds_per_token": seconds_per_token}]}
    (folder / "script.yaml").write_text(json.dumps(script))


def slow_run(folder, *, count):
    """Return the arguments of a run whose cases take a second each."""
    cases = [{"id": str(n), "prompt": f"Case {n}", "expect": [{"no_call": True}]} for n in range(count)]
    (folder / "slow.yaml").write_text(json.dumps({"suite": "slow", "cases": cases}))
    write_answer(folder, 0.08)
    return ["run", str(folder / "slow.yaml"), "--model", f"scripted:{folder / 'script.yaml'}"]


def run_until(line_start, act, arguments, variables):
    """Run a command, call `act` with its process once it prints a line that starts so, and return code and lines."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", *arguments],
        cwd=CHECKOUT,
        env=environment | variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        lines = []
        for line in process.stderr:
            if line.startswith(line_start):
                act(process)
            lines.append(line)
    return process.returncode, "".join(lines)


@on_ray
def test_an_interrupted_run_is_continued_on_ray_and_gives_the_report_of_an_uninterrupted_one(
    workbench, variables, tmp_path, on_cluster
):
    arguments = slow_run(tmp_path, count=6)
    code, _ = run_until(
        "2/6", lambda run: run.send_signal(signal.SIGINT), [*arguments, *on_cluster], variables
    )
    assert code == 130
    listed = workbench("run", "--list").stdout
    assert "stopped" in listed and "6 of 6 done" not in listed
    write_answer(tmp_path, 0)
    resumed = workbench("run", "--resume", "last", *on_cluster, "--json")
    unbroken = workbench(*arguments, "--json")
    assert resumed.returncode == unbroken.returncode == 0, resumed.stderr
    assert comparable(json.loads(resumed.stdout)) == comparable(json.loads(unbroken.stdout))


@on_ray
def test_the_case_of_a_worker_that_ends_is_run_again_and_the_worker_starts_again(
    workbench, variables, tmp_path, on_cluster
):
    killed = []

    def kill_a_worker(run):
        # Ray names its processes after what they do: `ray::CaseWorker` or `ray::CaseWorker.run`. The processes of the
        # cluster are children of this one.
        workers = [
            child
            for child in psutil.Process().children(recursive=True)
            if "ray::CaseWorker" in " ".join(child.cmdline())
        ]
        assert len(workers) == 2
        workers[0].kill()
        killed.append(workers[0].pid)

    arguments = [*slow_run(tmp_path, count=8), *on_cluster]
    code, printed = run_until("1/8", kill_a_worker, arguments, variables)
    assert killed
    assert "a worker of Ray ended before its work was done" in printed
    assert "its case is run again" in printed
    assert code == 0, printed
    assert "8 passed, 0 errors, 8 of 8 done" in workbench("run", "--list").stdout


DEADLY = """
import os
import signal


def register_tools(registry):
    registry.register(
        "end_worker", "deadly", {"description": "D.", "parameters": {"type": "object", "properties": {}}},
        lambda arguments: os.kill(os.getpid(), signal.SIGKILL),
    )
"""


@on_ray
def test_a_case_that_ends_every_worker_is_an_error_and_the_others_have_results(process, tmp_path):
    """Ray is started for this run only, and its workers have the settings of the run."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "prompts").symlink_to(CHECKOUT / "prompts")
    (home / "tools_catalog").mkdir()
    (home / "tools_catalog" / "deadly.py").write_text(DEADLY)
    call = '<tool_call>\n{"name": "end_worker", "arguments": {}}\n</tool_call>'
    (tmp_path / "model.yaml").write_text(json.dumps({"completions": [call]}))
    cases = [
        {"id": "deadly", "prompt": "End.", "tools": ["end_worker"], "expect": [{"call_count": 1}]},
        {"id": "other", "prompt": "End.", "expect": [{"no_call": True}]},
    ]
    (tmp_path / "own.yaml").write_text(
        json.dumps({"suite": "own", "defaults": {"max_rounds": 1}, "cases": cases})
    )
    done = process(
        "run", tmp_path / "own.yaml", "--model", f"scripted:{tmp_path / 'model.yaml'}", "--json", "--timeout", 60,
        "--engine", "ray", "--workers", 1, WORKBENCH_HOME=str(home), WORKBENCH_LOCAL_CODE=str(home),
    )  # fmt: skip
    results = {result["case_id"]: result for result in json.loads(done.stdout)["results"]}
    assert "a worker of Ray ended" in results["deadly"]["error"]
    assert results["other"]["status"] != "error"


@on_ray
def test_workers_with_another_version_are_refused_before_the_run_is_stored(
    workbench, own, monkeypatch, on_cluster
):
    from workbench.app.runs import ray_cases

    monkeypatch.setattr(ray_cases, "__version__", "0.0.1")
    done = workbench(*own, *on_cluster)
    assert done.returncode == 2
    assert "and this is version 0.0.1 (install the same version on every machine)" in done.stderr
    assert "own:" not in workbench("run", "--list").stdout


@pytest.mark.parametrize(
    ("generator", "more"), [("formal", ("--together", 3)), ("everyday", ("--split", "validation"))]
)
@on_ray
def test_rows_that_are_drawn_on_workers_are_the_same_file(workbench, tmp_path, generator, more, cluster):
    command = ("synth", "--generator", generator, "--count", 600, "--seed", 5, *more, "--out")
    assert workbench(*command, tmp_path / "local.jsonl").returncode == 0
    spread = workbench(*command, tmp_path / "ray.jsonl", "--engine", "ray", "--address", cluster)
    assert spread.returncode == 0, spread.stderr
    assert (tmp_path / "ray.jsonl").read_bytes() == (tmp_path / "local.jsonl").read_bytes()


@pytest.mark.parametrize("command", [["run", "nonsense"], ["synth", "--count", "1", "--out", "rows.jsonl"]])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--address", "ray://a:1"], "--address ray://a:1: only Ray uses an address (add --engine ray)"),
        (["--engine", "ray"], "--engine ray: Ray is not installed (run pip install"),
    ],
)
def test_options_that_cannot_work_are_refused(workbench, monkeypatch, tmp_path, command, options, message):
    monkeypatch.setitem(sys.modules, "ray", None)
    script = tmp_path / "model.yaml"
    script.write_text(json.dumps({"completions": ["Hi."]}))
    done = workbench(*command, *options, WORKBENCH_MODEL=f"scripted:{script}")
    assert done.returncode == 2
    assert message in done.stderr
    assert not Path(CHECKOUT / "rows.jsonl").exists()


def test_workers_without_ray_are_refused(workbench):
    done = workbench("run", "nonsense", "--workers", 2)
    assert (done.returncode, done.stderr) == (
        2,
        "workbench: --workers 2: only Ray has workers (add --engine ray)\n",
    )


def test_without_ray_no_run_is_stored(workbench, monkeypatch, own):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert workbench(*own, "--engine", "ray").returncode == 2
    assert "own:" not in workbench("run", "--list").stdout

"""Exported environments give the same scores as a run, in the trainers' own environments."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.peers.clients import ENVIRONMENTS
from tests.services import services_for
from tests.suite.environments import COMPLETIONS, exported, scored_by_a_run
from tests.toolbox.mcp.peers import python_folder, python_package

CHECKOUT = Path(__file__).parents[2]
OURS = (
    "pyyaml",
    "jsonschema",
    "jsonschema-rs",
    "orjson",
    "jiter",
    "google-re2",
    "jinja2",
    "jsonpatch",
    "numpy",
    "pydantic",
)
"""What the scorer imports. The whole workbench would bring packages in other versions than the trainers'."""
VERIFIERS = """
import asyncio, json, sys
from types import SimpleNamespace
import verifiers.v1 as vf
from s_env import SuiteTaskset

tasks = {task.data.id: task for task in SuiteTaskset(vf.TasksetConfig())}

async def score(key, completion):
    [reward] = tasks[key].hooks("reward")
    return await reward(SimpleNamespace(last_reply=completion.strip()))

async def main():
    return [await score(*pair) for pair in json.load(sys.stdin)]

print(json.dumps(asyncio.run(main())))
"""
ATROPOS = """
import json, sys
from s_env import SuiteScore, items

rows = {row["id"]: row for row in items()}
score = SuiteScore()
print(json.dumps([score([text], row=rows[key])[0] for key, text in json.load(sys.stdin)]))
"""
TRL = """
import json, sys
from s_env import dataset, suite_score

rows = {json.loads(row["row"])["id"]: row["row"] for row in dataset()}
pairs = json.load(sys.stdin)
messages = [[{"role": "assistant", "content": text}] for _, text in pairs]
print(json.dumps(suite_score(messages, row=[rows[key] for key, _ in pairs])))
"""


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """The scores of 200 recorded completions by a run."""
    with services_for(tmp_path_factory.mktemp("run"), *COMPLETIONS) as (services, _):
        return scored_by_a_run(services)


def scores_in(python, script, target, folder, scored, *, packages=""):
    """Return the scores that a script in another environment gives to the completions."""
    for name, text in exported(target, {"arguments": 1}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    pairs = json.dumps([(key, completion) for key, completion, _, _ in scored])
    done = subprocess.run(
        [str(python), "-c", script],
        input=pairs,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": f"{folder}:{CHECKOUT}:{packages}"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(600)
def test_verifiers_scores_200_completions_as_a_run_does(tmp_path, scored):
    python = ENVIRONMENTS / "verifiers" / "bin" / "python"
    if not python.exists():
        python = python_package(ENVIRONMENTS / "verifiers", "verifiers==0.4.0", *OURS)
    found = scores_in(python, VERIFIERS, "verifiers", tmp_path, scored)
    assert found == [share for _, _, share, _ in scored]


@pytest.mark.slow
@pytest.mark.long
def test_atropos_scores_200_completions_as_a_run_does(tmp_path, scored):
    # Its reward functions need none of the packages that its servers need.
    packages = python_folder(tmp_path / "packages", "--no-deps", "atroposlib==0.4.0")
    found = scores_in(sys.executable, ATROPOS, "atropos", tmp_path, scored, packages=packages)
    assert found == [share for _, _, share, _ in scored]


@pytest.mark.train
def test_trl_scores_200_completions_as_a_run_does(tmp_path, scored):
    pytest.importorskip("trl")
    found = scores_in(sys.executable, TRL, "trl", tmp_path, scored)
    assert found == [share for _, _, share, _ in scored]

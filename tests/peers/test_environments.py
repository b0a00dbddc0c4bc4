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
from workbench.app.runs.conversations import solution_completions
from workbench.app.runs.environments import export_suite
from workbench.app.runs.suites import load_suite
from workbench.suite.case import Suite

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
    "tree-sitter",
    "tree-sitter-bash",
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
    return await reward(SimpleNamespace(assistant_messages=[SimpleNamespace(content=completion)]))

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
VERIFIERS_TALK = """
import asyncio, json, sys
from types import SimpleNamespace
import verifiers.v1 as vf
from verifiers.v1.dialects import parse_message
from shop_env import SuiteEnv, SuiteTaskset

SOLUTION = json.load(sys.stdin)
[task] = SuiteTaskset(vf.TasksetConfig())
said = []


class Talk:
    def __init__(self):
        self.left = list(SOLUTION)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass

    async def turn(self, news=None):
        # What verifiers itself does with messages in the form of its wire.
        [parse_message(message) for message in news or []]
        said.append(SimpleNamespace(content=self.left.pop(0)))
        return SimpleNamespace(last_reply=said[-1].content, terminated=False)


async def main():
    agents = SimpleNamespace(agent=SimpleNamespace(interaction=lambda task: Talk()))
    await SuiteEnv.run(None, task, agents)
    [reward] = task.hooks("reward")
    return [len(said), await reward(SimpleNamespace(assistant_messages=said))]


print(json.dumps(asyncio.run(main())))
"""
ATROPOS_TALK = """
import asyncio, json, sys
from types import SimpleNamespace
from shop_env.environment import SuiteEnv

SOLUTION = json.load(sys.stdin)


class Managed:
    async def __aenter__(self):
        self.left = list(SOLUTION)
        return self

    async def __aexit__(self, *_):
        pass

    async def chat_completion(self, *, messages, n, max_tokens):
        message = SimpleNamespace(content=self.left.pop(0))
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])

    def get_state(self):
        return {"nodes": [SimpleNamespace(tokens=[1], masked_tokens=[1], logprobs=[0.0])]}


async def main():
    env = SuiteEnv.__new__(SuiteEnv)
    env.server = SimpleNamespace(managed_server=lambda tokenizer: Managed())
    env.tokenizer, env.config = None, SimpleNamespace(max_token_length=64)
    await env.setup()
    scored, _ = await env.collect_trajectory(await env.get_next_item())
    return [len(SOLUTION), scored["scores"]]


print(json.dumps(asyncio.run(main())))
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
    pairs = [(key, completion) for key, completion, _, _ in scored]
    return printed_by(python, script, exported(target, {"arguments": 1}), folder, pairs, packages=packages)


def printed_by(python, script, files, folder, value, *, packages=""):
    """Return what a script prints with the files of a package, for a value."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [str(python), "-c", script],
        input=json.dumps(value),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": f"{folder}:{CHECKOUT}:{packages}"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def environment_for(package):
    """Return the interpreter of an environment with a trainer, which is made once."""
    python = ENVIRONMENTS / package.partition("==")[0] / "bin" / "python"
    return python if python.exists() else python_package(python.parents[1], package, *OURS)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("package", "target", "script"),
    [
        pytest.param("verifiers==0.4.0", "verifiers", VERIFIERS_TALK, id="verifiers"),
        pytest.param("atroposlib==0.4.0", "atropos", ATROPOS_TALK, id="atropos"),
    ],
)
def test_a_conversation_with_a_person_runs_as_an_environment_of_a_peer(tmp_path, package, target, script):
    with services_for(tmp_path) as (services, _):
        [case, *_] = load_suite(services, "shop").cases
        made = export_suite(services, Suite(name="shop", cases=(case,)), target, weights={"result": 1})
    solution = solution_completions(case.solution)
    found = printed_by(environment_for(package), script, made.files, tmp_path / "made", solution)
    assert found == [len(solution), 1]


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(600)
def test_verifiers_scores_200_completions_as_a_run_does(tmp_path, scored):
    found = scores_in(environment_for("verifiers==0.4.0"), VERIFIERS, "verifiers", tmp_path, scored)
    assert found == [share for _, _, share, _ in scored]


@pytest.mark.slow
@pytest.mark.long
def test_atropos_scores_200_completions_as_a_run_does(tmp_path, scored):
    # Its reward functions need none of the packages that its servers need.
    packages = python_folder(tmp_path / "packages", "--no-deps", "atroposlib==0.4.0")
    found = scores_in(sys.executable, ATROPOS, "atropos", tmp_path, scored, packages=packages)
    assert found == [share for _, _, share, _ in scored]


@pytest.mark.train
@pytest.mark.slow
def test_trl_scores_200_completions_as_a_run_does(tmp_path, scored):
    pytest.importorskip("trl")
    found = scores_in(sys.executable, TRL, "trl", tmp_path, scored)
    assert found == [share for _, _, share, _ in scored]

"""Export a suite as an environment for reinforcement learning: a small package that a trainer installs."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.suite.case import Case, Suite
from workbench.suite.exchange.bfcl import ExportedSuite
from workbench.suite.reward import is_single_turn, left_out
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import render_tools

_PYPROJECT: Final = """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{package}"
version = "0.1.0"
description = "The suite {suite} of Hermes Workbench as an environment for {target}"
requires-python = ">=3.11"
dependencies = ["hermes-workbench", "{requirement}"]

[tool.hatch.build.targets.wheel]
packages = ["{module}"]
"""
_CASES: Final = '''"""The cases of the suite {suite}, and the reward of completions. Made by `workbench env export`."""

from pathlib import Path

from workbench.toolbox.suite_environment import SuiteEnvironment

SUITE = SuiteEnvironment(Path(__file__).parent)
"""Its `rows` are the cases. The weights of its reward are in reward.json, where you can change them."""
'''
_VERIFIERS: Final = '''"""The suite {suite} as a taskset and an environment of verifiers v1."""

import verifiers.v1 as vf

from {module}.cases import SUITE


class SuiteData(vf.TaskData):
    row: dict


class SuiteTask(vf.Task[SuiteData]):
    @vf.reward
    async def suite_score(self, trace) -> float:
        return SUITE.reward(self.data.row, [message.content or "" for message in trace.assistant_messages])


class SuiteTaskset(vf.Taskset[SuiteTask]):
    def load(self):
        for row in SUITE.rows:
            system, *messages = row["prompt"]
            data = SuiteData(id=row["id"], prompt=messages, system_prompt=system["content"], row=row)
            yield SuiteTask(data, self.config.task)


class SuiteEnvConfig(vf.EnvConfig):
    agent: vf.AgentConfig = vf.AgentConfig(harness={{"id": "null"}})


class SuiteEnv(vf.Env[SuiteEnvConfig]):
    """Answers the model with the results of its calls and with the messages of the person."""

    async def run(self, task, agents) -> None:
        replies = []
        async with agents.agent.interaction(task) as talk:
            reply = await talk.turn()
            while not reply.terminated:
                replies.append(reply.last_reply)
                news = SUITE.news(task.data.row, replies)
                if not news:
                    return
                reply = await talk.turn(news)


__all__ = ["SuiteEnv", "SuiteTaskset"]
'''
_TRL: Final = '''"""The suite {suite} for TRL.

`GRPOTrainer(reward_funcs=suite_score, train_dataset=dataset(), …)` for cases that one completion decides;
with `environment_factory=environment_factory()` and `train_dataset=dataset(worlds=True)` also for results of tools;
with `rollout_func=rollout` and `train_dataset=episodes()` for all cases, also conversations with a person.
`hermes_tokenizer(tokenizer)` sets a Hermes chat template, for models without one for tools.
With it, TRL trains what the model writes and nothing else; the tests of Hermes Workbench prove it.
"""

from workbench.training.hermes_template import hermes_tokenizer
from workbench.training.suite_episodes import SuiteEpisodes

from {module}.cases import SUITE

_EPISODES = SuiteEpisodes(SUITE)
dataset = _EPISODES.dataset
episodes = _EPISODES.episodes
environment_factory = _EPISODES.environment_factory
rollout = _EPISODES.rollout
suite_score = _EPISODES.suite_score

__all__ = ["dataset", "environment_factory", "episodes", "hermes_tokenizer", "rollout", "suite_score"]
'''
_ATROPOS: Final = '''"""The suite {suite} for Atropos: a reward function for single completions.

The module `environment` has the environment.
"""

from atroposlib.envs.reward_fns.registry import registry
from atroposlib.envs.reward_fns.reward_function import RewardFunction

from {module}.cases import SUITE


def items():
    """Return the items that `get_next_item` of an environment returns in turn."""
    return SUITE.rows


@registry.register
class SuiteScore(RewardFunction):
    def compute(self, completions, row=None, **_):
        """Return the reward of each completion of one item."""
        texts = [text if isinstance(text, str) else text[-1]["content"] for text in completions]
        return [SUITE.reward(row, text) for text in texts]
'''
_ATROPOS_ENVIRONMENT: Final = '''"""The suite {suite} for Atropos: `python -m {module}.environment serve`."""

from atroposlib.envs.base import BaseEnv

from {module}.cases import SUITE


class SuiteEnv(BaseEnv):
    """Answers the model with the results of its calls and with the messages of the person."""

    name = "{package}"

    async def setup(self):
        self.next_row = 0

    async def get_next_item(self):
        self.next_row += 1
        return SUITE.rows[(self.next_row - 1) % len(SUITE.rows)]

    async def collect_trajectory(self, item):
        messages, replies = list(item["prompt"]), []
        async with self.server.managed_server(tokenizer=self.tokenizer) as managed:
            while True:
                answer = await managed.chat_completion(
                    messages=messages, n=1, max_tokens=self.config.max_token_length
                )
                replies.append(answer.choices[0].message.content or "")
                news = SUITE.news(item, replies)
                if not news:
                    break
                messages += [{{"role": "assistant", "content": replies[-1]}}, *news]
            node = managed.get_state()["nodes"][-1]
        scored = {{
            "tokens": node.tokens,
            "masks": node.masked_tokens,
            "inference_logprobs": node.logprobs,
            "scores": SUITE.reward(item, replies),
        }}
        return scored, []

    async def evaluate(self, *_, **__):
        """Run each case once, and log the mean reward."""
        scores = [(await self.collect_trajectory(row))[0]["scores"] for row in SUITE.rows]
        await self.evaluate_log({{"eval/reward": sum(scores) / len(scores)}})


if __name__ == "__main__":
    SuiteEnv.cli()
'''
TARGETS: Final[Mapping[str, tuple[str, str]]] = {
    "verifiers": (_VERIFIERS, "verifiers>=0.4"),
    "trl": (_TRL, "trl>=1.16"),
    "atropos": (_ATROPOS, "atroposlib>=0.4"),
}
"""Each target with its module and the package that it needs."""


def export_environment(
    suite: Suite,
    target: str,
    *,
    prompt_of: Callable[[Case], list[JsonObject]],
    tools_of: Callable[[Case], OfferedTools],
    toolsets_of: Callable[[Case], Mapping[str, str] | None],
    family: str,
    shape: Mapping[str, float],
    most_rounds: int,
) -> ExportedSuite:
    """Return the files of a package. Cases that cannot run there are left out.

    Args:
        target: A key of `TARGETS`.
        prompt_of: Returns the messages of a case, the system message first.
        tools_of: Returns the offered tools of a case.
        toolsets_of: Returns the texts of the toolsets of a case by name, or None if a tool has no mock.
        family: Template family in which the model writes calls.
        shape: Weights of the parts of the reward; see `RewardShape`.
        most_rounds: Maximum number of completions of a turn, for cases that do not say it.
    """
    text, requirement = TARGETS[target]
    module = re.sub(r"\W", "_", f"{suite.name}_env").lower()
    # The name may come from the name of a file, and the texts are Python and TOML.
    shown = json.dumps(suite.name, ensure_ascii=False)[1:-1]
    values = {
        "suite": shown, "module": module, "package": module.replace("_", "-"),
        "target": target, "requirement": requirement,
    }  # fmt: skip
    toolsets: dict[str, str] = {}
    lines: list[str] = []
    skipped: list[str] = []
    for case in suite.cases:
        needed = dict[str, str]() if is_single_turn(case) else toolsets_of(case)
        reason = left_out(case) or ("it needs tools without a mock" if needed is None else "")
        if reason:
            skipped.append(f"{case.id}: {reason}")
            continue
        toolsets |= needed or {}
        lines.append(_row(case, prompt_of(case), tools_of(case), family, most_rounds))
    return ExportedSuite(
        files={
            "pyproject.toml": _PYPROJECT.format(**values),
            f"{module}/__init__.py": text.format(**values),
            f"{module}/cases.py": _CASES.format(**values),
            f"{module}/cases.jsonl": "".join(line + "\n" for line in lines),
            f"{module}/reward.json": json.dumps(dict(shape)) + "\n",
            **(
                {f"{module}/environment.py": _ATROPOS_ENVIRONMENT.format(**values)}
                if target == "atropos"
                else {}
            ),
            **{f"{module}/tools/{name}.yaml": toolset for name, toolset in toolsets.items()},
        },
        left_out=tuple(skipped),
    )


def _row(case: Case, prompt: list[JsonObject], tools: OfferedTools, family: str, most_rounds: int) -> str:
    row: dict[str, JsonValue] = {
        "id": case.key,
        "prompt": prompt,
        "suite": case.suite,
        "case": case.document,
        "tools": render_tools(tools),
        "family": family,
        # One completion is enough.
        "max_rounds": None if is_single_turn(case) else case.max_rounds or most_rounds,
    }
    return json.dumps(row, ensure_ascii=False)

"""Export a suite as an environment for reinforcement learning: a small package that a trainer installs."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.suite.case import Case, Suite
from workbench.suite.exchange.bfcl import ExportedSuite
from workbench.suite.reward import is_single_turn

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
_ROWS: Final = '''"""The cases of the suite {suite}, and the reward of a completion. Made by `workbench env export`."""

import json
from functools import cache
from importlib.resources import files

from workbench.suite.reward import reward, shape_of

SHAPE = shape_of(json.loads((files(__package__) / "reward.json").read_text(encoding="utf-8")))
"""The weights of the parts of the reward. Change them in reward.json."""


@cache
def rows():
    """Return the rows. Each has an id, the prompt as messages, and what the reward needs."""
    text = (files(__package__) / "cases.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def reward_of(row, completion):
    """Return the reward of a completion of a row, from 0 to 1."""
    return reward(row, completion, SHAPE)
'''
_VERIFIERS: Final = '''"""The suite {suite} as a taskset of verifiers v1."""

import verifiers.v1 as vf

from {module}.rows import reward_of, rows


class SuiteData(vf.TaskData):
    row: dict


class SuiteTask(vf.Task[SuiteData]):
    @vf.reward
    async def suite_score(self, trace) -> float:
        return reward_of(self.data.row, trace.last_reply)


class SuiteTaskset(vf.Taskset[SuiteTask]):
    def load(self):
        for row in rows():
            system, *messages = row["prompt"]
            data = SuiteData(id=row["id"], prompt=messages, system_prompt=system["content"], row=row)
            yield SuiteTask(data, self.config.task)


__all__ = ["SuiteTaskset"]
'''
_TRL: Final = '''"""The suite {suite} for TRL: `GRPOTrainer(reward_funcs=suite_score, train_dataset=dataset(), …)`."""

import json

from datasets import Dataset

from {module}.rows import reward_of, rows


def dataset():
    """Return the prompts as messages. The column `row` is what the reward needs, as JSON."""
    return Dataset.from_list([{{"prompt": row["prompt"], "row": json.dumps(row)}} for row in rows()])


def suite_score(completions, row, **_):
    """Return the reward of each completion, as text or as messages."""
    texts = [text if isinstance(text, str) else text[-1]["content"] for text in completions]
    return [reward_of(json.loads(each), text) for each, text in zip(row, texts, strict=True)]
'''
_ATROPOS: Final = '''"""The suite {suite} for Atropos: its items, and a reward function for atroposlib."""

from atroposlib.envs.reward_fns.registry import registry
from atroposlib.envs.reward_fns.reward_function import RewardFunction

from {module}.rows import reward_of, rows


def items():
    """Return the items that `get_next_item` of an environment returns in turn."""
    return rows()


@registry.register
class SuiteScore(RewardFunction):
    def compute(self, completions, row=None, **_):
        """Return the reward of each completion of one item."""
        texts = [text if isinstance(text, str) else text[-1]["content"] for text in completions]
        return [reward_of(row, text) for text in texts]
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
    tools_of: Callable[[Case], str],
    family: str,
    shape: Mapping[str, float],
) -> ExportedSuite:
    """Return the files of a package. Cases that one completion cannot decide are left out.

    Args:
        target: A key of `TARGETS`.
        prompt_of: Returns the messages of a case, the system message first.
        tools_of: Returns the offered tools of a case as JSON text.
        family: Template family in which the model writes calls.
        shape: Weights of the parts of the reward; see `RewardShape`.
    """
    text, requirement = TARGETS[target]
    module = re.sub(r"\W", "_", f"{suite.name}_env").lower()
    # The name may come from the name of a file, and the texts are Python and TOML.
    shown = json.dumps(suite.name, ensure_ascii=False)[1:-1]
    values = {
        "suite": shown, "module": module, "package": module.replace("_", "-"),
        "target": target, "requirement": requirement,
    }  # fmt: skip
    kept = [case for case in suite.cases if is_single_turn(case)]
    lines = [_row(case, prompt_of(case), tools_of(case), family) for case in kept]
    left_out = tuple(
        f"{case.id}: one completion does not decide it" for case in suite.cases if not is_single_turn(case)
    )
    return ExportedSuite(
        files={
            "pyproject.toml": _PYPROJECT.format(**values),
            f"{module}/__init__.py": text.format(**values),
            f"{module}/rows.py": _ROWS.format(**values),
            f"{module}/cases.jsonl": "".join(line + "\n" for line in lines),
            f"{module}/reward.json": json.dumps(dict(shape)) + "\n",
        },
        left_out=left_out,
    )


def _row(case: Case, prompt: list[JsonObject], tools: str, family: str) -> str:
    row: dict[str, JsonValue] = {
        "id": case.key,
        "prompt": prompt,
        "suite": case.suite,
        "case": case.document,
        "tools": tools,
        "family": family,
    }
    return json.dumps(row, ensure_ascii=False)

"""The cases of an exported suite as an environment: what a trainer's model sees next, and its reward.

`workbench env export` writes the folder: `cases.jsonl`, `reward.json`, and `tools/` with the toolsets of the cases.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Conversation, Role
from workbench.hermes.openai_messages import to_messages
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.ports import Toolbox
from workbench.rollout.sampling import Sampling
from workbench.suite.case import Case
from workbench.suite.episode import Episode, NoTools, play
from workbench.suite.read_suite import parse_case
from workbench.suite.reward import RewardShape, reward_of, shape_of
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.entry import Staging, ToolTask
from workbench.toolspec.tools_text import parse_tools


class SuiteEnvironment:
    """The cases of an exported suite. It keeps nothing between calls, so episodes may take turns.

    Args:
        folder: A folder that `workbench env export` wrote.
    """

    def __init__(self, folder: Path) -> None:
        self._catalog = Catalog(folder / "tools", packages=())
        lines = (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
        """The cases. Each has an `id`, the `prompt` as messages, and what `play` needs."""
        self.shape: RewardShape = shape_of(json.loads((folder / "reward.json").read_text(encoding="utf-8")))
        """The weights of the parts of the reward."""

    def play(self, row: Mapping[str, Any], completions: Sequence[str]) -> Episode:
        """Return the episode of a case with the completions so far.

        Args:
            row: One of `rows`.
            completions: What the model wrote, byte for byte.
        """
        case = parse_case(row["case"], suite=row["suite"])
        tools = parse_tools(row["tools"])
        system = row["prompt"][0]["content"]
        if row.get("max_rounds") is None:
            setup = TurnSetup(tools=tools, family=row["family"], max_rounds=1)
            return play(case, setup, system, completions, toolbox=NoTools())
        return play(
            case,
            TurnSetup(tools=tools, family=row["family"], max_rounds=row["max_rounds"]),
            system,
            completions,
            toolbox=self.toolbox(row),
            world_start=self._catalog.world_start(tools.names, _staging(case)),
        )

    def toolbox(self, row: Mapping[str, Any]) -> Toolbox:
        """Return what runs the calls of a case, with its world as it begins."""
        case = parse_case(row["case"], suite=row["suite"])
        return self._catalog.toolbox(ToolTask(seed=Sampling().seed, staging=_staging(case)))

    def reward(self, row: Mapping[str, Any], completions: str | Sequence[str]) -> float:
        """Return the reward of the completions of a case, from 0 to 1. It is 0 if the episode is not over."""
        texts = [completions] if isinstance(completions, str) else completions
        case = parse_case(row["case"], suite=row["suite"])
        return reward_of(case, self.play(row, texts), self.shape)

    def news(self, row: Mapping[str, Any], completions: Sequence[str]) -> list[JsonObject]:
        """Return the messages for a chat API that follow the last completion. Empty if the episode is over."""
        messages = self.play(row, completions).news
        return [
            # Chat APIs require an ID for a result. The calls have none: they are part of the text.
            {**message, "tool_call_id": f"call_{number}"} if message["role"] == Role.TOOL.value else message
            for number, message in enumerate(to_messages(Conversation(messages=messages)))
        ]


def _staging(case: Case) -> Staging:
    return Staging(mocks=case.mocks, world=case.world)

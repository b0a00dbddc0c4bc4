"""Episodes of an exported suite for TRL's `GRPOTrainer`, in the three ways in which it takes them.

| what decides a case | `train_dataset` | and | prompts are written by |
|---|---|---|---|
| one completion | `dataset()` | | the chat template |
| results of tools, too | `dataset(worlds=True)` | `environment_factory` | the chat template |
| a person, too | `episodes()` | `rollout_func` | the template family, as in a run |

*Source:* https://huggingface.co/docs/trl/grpo_trainer; TRL 1.16, `GRPOTrainer._tool_call_loop`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Protocol, cast

from datasets import Dataset

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Message, Role, ToolCall
from workbench.hermes.marks import TURN_CLOSE
from workbench.hermes.openai_messages import parse_messages
from workbench.hermes.written_out import read_message, written_out
from workbench.rollout.loop import refusal_text
from workbench.rollout.ports import Toolbox
from workbench.suite.episode import Episode
from workbench.toolspec.tools_text import parse_tools


class SuiteCases(Protocol):
    """The cases of an exported suite; see `workbench.toolbox.suite_environment.SuiteEnvironment`."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]:
        """The cases."""
        ...

    def play(self, row: Mapping[str, Any], completions: Sequence[str]) -> Episode:
        """Return the episode of a case with the completions so far."""
        ...

    def toolbox(self, row: Mapping[str, Any]) -> Toolbox:
        """Return what runs the calls of a case."""
        ...

    def reward(self, row: Mapping[str, Any], completions: str | Sequence[str]) -> float:
        """Return the reward of the completions of a case."""
        ...


class SuiteEpisodes:
    """The cases of a suite, as TRL takes them.

    Args:
        suite: The exported suite.
    """

    def __init__(self, suite: SuiteCases) -> None:
        self._suite = suite

    def dataset(self, *, worlds: bool = False) -> Dataset:
        """Return the cases with their prompts as messages. The column `row` is what the reward needs, as JSON.

        Args:
            worlds: True also returns cases in which calls have results. They need `environment_factory`.
        """
        return Dataset.from_list(
            [
                {
                    "prompt": row["prompt"],
                    "row": json.dumps(row),
                    **({"environment": _world_name(row)} if worlds else {}),
                }
                for row in self._suite.rows
                if row["max_rounds"] is None or (worlds and not row["case"].get("user"))
            ]
        )

    def episodes(self) -> Dataset:
        """Return all cases. A prompt is the ID of the case; `rollout` writes the real one."""
        return Dataset.from_list([{"prompt": row["id"]} for row in self._suite.rows])

    def environment_factory(self) -> dict[str, Callable[[], object]]:
        """Return what creates the environments, by the column `environment` of `dataset(worlds=True)`.

        An environment has the tools of a case as methods. It has no person: a person's message is not a tool's result.
        """
        rows = {_world_name(row): row for row in self._suite.rows if not row["case"].get("user")}
        return {name: partial(_world_class(row), self._suite) for name, row in rows.items()}

    def suite_score(
        self,
        completions: Sequence[str | Sequence[Mapping[str, Any]]],
        prompts: Sequence[object] = (),
        row: Sequence[str] | None = None,
        replies: Sequence[Sequence[str]] | None = None,
        **_: object,
    ) -> list[float]:
        """Return the reward of each episode. A `reward_func` of TRL.

        Args:
            completions: Texts, or the messages of the model and the results that it got.
            prompts: IDs of cases if `rollout` wrote the completions.
            row: Rows of the dataset otherwise.
            replies: What the model wrote, of each episode of `rollout`.
        """
        if replies is not None:
            rows = {each["id"]: each for each in self._suite.rows}
            asked = [rows[str(prompt)] for prompt in prompts]
            return [self._suite.reward(each, texts) for each, texts in zip(asked, replies, strict=True)]
        return [
            self._suite.reward(json.loads(each), _texts(completion))
            for each, completion in zip(row or (), completions, strict=True)
        ]

    def rollout(self, prompts: Sequence[str], trainer: Any) -> dict[str, Any]:
        """Run one episode for each prompt. A `rollout_func` of TRL.

        Only the tokens of the model are trained: `env_mask` is 0 for results and for the person's messages. An episode
        ends without a reward if a completion is cut off at the limit of tokens, or if the template family writes
        earlier messages differently than before, as some do with thoughts.

        Args:
            prompts: IDs of cases.
            trainer: The `GRPOTrainer`.
        """
        rows = {row["id"]: row for row in self._suite.rows}
        episodes = [_Episode(self._suite, rows[prompt], trainer.processing_class) for prompt in prompts]
        while pending := [episode for episode in episodes if episode.goes_on(trainer.max_completion_length)]:
            ids, logprobs = trainer._generate_single_turn(
                [episode.prompt_ids + episode.completion_ids for episode in pending], None, {}, 1
            )
            for number, episode in enumerate(pending):
                episode.take(ids[number], logprobs[number] if logprobs else None)
        has_logprobs = any(episode.logprobs for episode in episodes)
        return {
            "prompt_ids": [episode.prompt_ids for episode in episodes],
            "completion_ids": [episode.completion_ids for episode in episodes],
            "logprobs": [episode.logprobs for episode in episodes] if has_logprobs else None,
            "env_mask": [episode.mask for episode in episodes],
            "replies": [episode.replies for episode in episodes],
        }


class _Episode:
    """An episode as tokens. Those of a completion are kept as the model wrote them, and never tokenized again."""

    def __init__(self, suite: SuiteCases, row: Mapping[str, Any], tokenizer: Any) -> None:
        self._suite = suite
        self._row = row
        self._tokenizer = tokenizer
        self._text = suite.play(row, []).prompt
        self._is_over = False
        self.prompt_ids: list[int] = tokenizer(self._text, add_special_tokens=True)["input_ids"]
        self.completion_ids: list[int] = []
        self.mask: list[int] = []
        self.logprobs: list[float] = []
        self.replies: list[str] = []

    def goes_on(self, most_tokens: int) -> bool:
        """Whether the model writes again. Not if all completions and what is between them are too long."""
        return not self._is_over and len(self.completion_ids) < most_tokens

    def take(self, ids: list[int], logprobs: list[float] | None) -> None:
        """Add a completion, and what follows it."""
        self._add(ids, 1, logprobs)
        text = self._tokenizer.decode(ids, skip_special_tokens=False)
        self._is_over = not text.endswith(TURN_CLOSE)
        if self._is_over:
            return
        self.replies.append(text.removesuffix(TURN_CLOSE))
        prompt, seen = self._suite.play(self._row, self.replies).prompt, self._text + text
        self._is_over = not prompt.startswith(seen)
        if not self._is_over:
            self._add(self._tokenizer(prompt[len(seen) :], add_special_tokens=False)["input_ids"], 0, None)
            self._text = prompt

    def _add(self, ids: list[int], mask: int, logprobs: list[float] | None) -> None:
        self.completion_ids += ids
        self.mask += [mask] * len(ids)
        self.logprobs += logprobs or ([0.0] * len(ids) if self.logprobs else [])


class _WorldBase:
    """The tools of a case, of which TRL runs the methods that a model calls."""

    def __init__(self, suite: SuiteCases) -> None:
        self.suite = suite

    def reset(self, row: str, **_: object) -> None:
        """Begin an episode of a case."""
        self.tools = parse_tools(json.loads(row)["tools"])
        self.toolbox = self.suite.toolbox(json.loads(row))


def _run_call(world: _WorldBase, name: str, arguments: Mapping[str, Any]) -> str:
    message = Message(role=Role.ASSISTANT, text="", calls=(ToolCall(name=name, arguments=arguments),))
    [call] = read_message(message, tools=world.tools).calls
    checked = ToolCall(name=call.name, arguments=call.arguments)
    return refusal_text(call, world.tools) or world.toolbox.run(checked).result.text


def _world_class(row: Mapping[str, Any]) -> type[_WorldBase]:
    """Return a class with a method for each tool of a case."""
    methods = {name: _method(name) for name in parse_tools(row["tools"]).names}
    return type("SuiteWorld", (_WorldBase,), methods)


def _method(name: str) -> Callable[..., str]:
    # TRL makes a schema of it, which is not used: the system message of the prompt has the tools already.
    def call(self: _WorldBase, **arguments: Any) -> str:
        """Call the tool.

        Args:
            arguments: The arguments.

        Returns:
            The result.
        """
        return _run_call(self, name, arguments)

    call.__name__ = name
    del call.__annotations__["self"]
    return call


def _world_name(row: Mapping[str, Any]) -> str:
    """Return a name that cases with the same tools share."""
    return sha256(row["tools"].encode()).hexdigest()[:12]


def _texts(completion: str | Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what the model wrote. Calls that TRL took out of a text are written again, as Hermes does."""
    if isinstance(completion, str):
        return [completion]
    messages = parse_messages(cast(Sequence[JsonValue], completion)).conversation.messages
    return [written_out(message) for message in messages if message.role is Role.ASSISTANT]

"""The reward of one completion of a case: the suite's own score, or a mixture of parts that a trainer learns from."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Conversation, Message, Role, ToolCall, ToolResult
from workbench.hermes.reading import CallStatus
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.loop import Turn, run_rollout
from workbench.rollout.ports import Capabilities, Delta, FinishReason, GenerationRequest, ToolRun, Usage
from workbench.suite.case import Case
from workbench.suite.case_rollout import CaseRollout, rollout_of
from workbench.suite.expectation import expected_tools, expects_call
from workbench.suite.read_suite import parse_case
from workbench.suite.score import Score, score
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardShape:
    """The weights of the parts of a reward. Each part is from 0 to 1, and so is the reward."""

    format: float = 0.0
    """Every call can be read without a fix and matches its schema."""
    name: float = 0.0
    """The calls are of the expected tools."""
    arguments: float = 0.0
    """Share of the expectations' weight that holds."""
    result: float = 1.0
    """The case passes."""
    no_needless_call: float = 0.0
    """No call if none is expected, and at least one call if one is."""


def shape_of(weights: Mapping[str, Any]) -> RewardShape:
    """Return a shape with these weights, and 0 for the others.

    Raises:
        ValueError: A part is unknown, or no weight is positive.
    """
    names = [part.name for part in fields(RewardShape)]
    unknown = [name for name in weights if name not in names]
    if unknown or not weights or sum(weights.values()) <= 0 or min(weights.values()) < 0:
        raise ValueError(f"a reward has the parts {', '.join(names)}, and a positive weight")
    return RewardShape(**{**dict.fromkeys(names, 0.0), **weights})


def reward(row: Mapping[str, Any], completion: str, shape: RewardShape) -> float:
    """Return the reward of a completion, from 0 to 1.

    Args:
        row: A row of an exported environment, with `suite`, `case`, `tools` and `family`.
        completion: What the model wrote, byte for byte.
    """
    case = parse_case(row["case"], suite=row["suite"])
    tools = parse_tools(row["tools"])
    rollout = rollout_of_text(case, tools, row["family"], completion)
    scored = score(case, rollout)
    parts = _parts(case, rollout, scored)
    weights = {part.name: getattr(shape, part.name) for part in fields(RewardShape)}
    return sum(weight * parts[name] for name, weight in weights.items()) / sum(weights.values())


def _parts(case: Case, rollout: CaseRollout, scored: Score) -> dict[str, float]:
    calls, named = rollout.first_calls, expected_tools(case.expectations)
    is_expected = expects_call(case.expectations)
    is_readable = not rollout.dropped and not rollout.fixes
    return {
        "format": float(is_readable and all(call.status is CallStatus.READY for call in calls)),
        "name": float(named is None or (bool(calls) and all(call.name in named for call in calls))),
        "arguments": scored.share,
        "result": float(scored.is_passed),
        "no_needless_call": float(is_expected is None or is_expected == bool(calls)),
    }


def rollout_of_text(case: Case, tools: OfferedTools, family: str, completion: str) -> CaseRollout:
    """Return the rollout of a model that writes this completion as its only one. No tool is run."""
    turn = Turn(
        setup=TurnSetup(tools=tools, family=family, max_rounds=1),
        engine=_OneCompletion(completion),
        toolbox=_NoTools(),
        clock=_Monotonic(),
        is_cancelled=lambda: False,
    )
    system = Message(role=Role.SYSTEM, text=case.system)
    return rollout_of(run_rollout(turn, Conversation(messages=(system, *case.messages))))


class _OneCompletion:
    """An engine that has written its completion already."""

    name = "recorded"
    fingerprint = "recorded"
    context_tokens = 0
    capabilities = Capabilities(has_exact_prompt=True, has_grammar=False)

    def __init__(self, text: str) -> None:
        self._text = text

    def count_tokens(self, text: str) -> int:
        return len(text)

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        yield Delta(text=self._text)
        yield Delta(finish_reason=FinishReason.STOP, usage=Usage())


class _NoTools:
    def run(self, call: ToolCall) -> ToolRun:
        return ToolRun(result=ToolResult(text="{}"), milliseconds=0)

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        return map(self.run, calls)


class _Monotonic:
    def seconds(self) -> float:
        return 0.0


def is_single_turn(case: Case) -> bool:
    """Whether one completion decides the case: no result of a tool, judge, count of rounds, time or price matters."""
    return all(_is_about_first(expectation.document()) for expectation in case.expectations)


_FIRST: Sequence[str] = ("calls", "no_call", "asks", "call_count", "valid_calls", "bfcl")


def _is_about_first(document: Mapping[str, JsonValue]) -> bool:
    inner = [document["not"]] if "not" in document else document.get("any_of") or document.get("all_of")
    if isinstance(inner, list):
        return all(_is_about_first(part) for part in inner if isinstance(part, Mapping))
    return any(kind in document for kind in _FIRST) and document.get("within", "first") == "first"

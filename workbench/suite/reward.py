"""The reward of an episode of a case: the suite's own score, or a mixture of parts that a trainer learns from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from workbench.chat.json_value import JsonValue
from workbench.hermes.reading import CallStatus
from workbench.rollout.constraint import TurnSetup
from workbench.suite.case import Case
from workbench.suite.case_rollout import CaseRollout
from workbench.suite.conversation_score import needless_calls
from workbench.suite.episode import Episode, NoTools, play
from workbench.suite.expectation import Expectation, expected_tools, expects_call
from workbench.suite.read_suite import parse_case
from workbench.suite.score import Score, score
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
    """No call if none is expected, at least one call if one is, and none that asks again for the same result."""


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
    """Return the reward of the only completion of a case, from 0 to 1.

    Args:
        row: A row of an exported environment, with `suite`, `case`, `tools` and `family`.
        completion: What the model wrote, byte for byte.
    """
    case = parse_case(row["case"], suite=row["suite"])
    setup = TurnSetup(tools=parse_tools(row["tools"]), family=row["family"], max_rounds=1)
    return reward_of(case, play(case, setup, "", [completion], toolbox=NoTools()), shape)


def reward_of(case: Case, episode: Episode, shape: RewardShape) -> float:
    """Return the reward of an episode, from 0 to 1.

    It is 0 for an episode that is not over, such as one at the trainer's limit of tokens: a conversation that stops
    early may look like one that did nothing wrong. It is 0, too, if the person made a mistake.
    """
    if not episode.is_over or episode.rollout.void:
        return 0.0
    parts = _parts(case, episode.rollout, score(case, episode.rollout))
    weights = {part.name: getattr(shape, part.name) for part in fields(RewardShape)}
    return sum(weight * parts[name] for name, weight in weights.items()) / sum(weights.values())


def _parts(case: Case, rollout: CaseRollout, scored: Score) -> dict[str, float]:
    calls, named = rollout.calls, expected_tools(case.expectations)
    called = {call.name for call in calls}
    # In a conversation, other calls may be needed to find out what to do.
    are_expected = named is None or (called >= named if case.user else bool(calls) and called <= named)
    is_expected = expects_call(case.expectations)
    is_readable = not rollout.dropped and not rollout.fixes
    return {
        "format": float(is_readable and all(call.status is CallStatus.READY for call in calls)),
        "name": float(are_expected),
        "arguments": scored.share,
        "result": float(scored.is_passed),
        "no_needless_call": float(is_expected in (None, bool(calls)) and not needless_calls(rollout)),
    }


def is_single_turn(case: Case) -> bool:
    """Whether one completion decides the case: no result of a tool, judge, count of rounds, time or price matters."""
    return case.user is None and all(
        _is_about_first(expectation.document()) for expectation in case.expectations
    )


def left_out(case: Case) -> str:
    """Return why a case cannot be an environment. Empty if it can."""
    if any(True for expectation in case.expectations for _ in expectation.rubrics()):
        return "a judge decides it"
    if any(_MEASURED.intersection(_kinds(expectation)) for expectation in case.expectations):
        return "time, tokens or price decide it"
    if case.user and not case.user.is_scripted:
        return "a model acts as the person"
    return ""


_FIRST: Final[Sequence[str]] = ("calls", "no_call", "asks", "call_count", "valid_calls", "bfcl")
_MEASURED: Final = frozenset({"seconds_at_most", "tokens_at_most", "prompt_tokens_at_most", "cost_at_most"})
"""Kinds of expectations about what a trainer does not measure."""


def _kinds(expectation: Expectation) -> set[str]:
    return {expectation.kind}.union(*map(_kinds, expectation.inner()))


def _is_about_first(document: Mapping[str, JsonValue]) -> bool:
    inner = [document["not"]] if "not" in document else document.get("any_of") or document.get("all_of")
    if isinstance(inner, list):
        return all(_is_about_first(part) for part in inner if isinstance(part, Mapping))
    return any(kind in document for kind in _FIRST) and document.get("within", "first") == "first"

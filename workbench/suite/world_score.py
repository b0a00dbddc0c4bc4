"""Score the final world of a rollout: what should have changed, and that nothing else did."""

from collections.abc import Sequence
from typing import NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.suite.case_rollout import CaseRollout
from workbench.toolspec.conditions import describe_condition, meets
from workbench.toolspec.world.patches import find_in_world, world_changes


class TurnAnswer(NamedTuple):
    """Whether an expectation holds, why, and in which turn it broke."""

    holds: bool
    reason: str
    turn: int | None = None
    """From 1. None if it holds, or if no turn is to blame."""


def score_world(
    expected: JsonObject, rollout: CaseRollout, turns: Sequence[int], *, allows_others: bool
) -> TurnAnswer:
    """Score `world` and, with nothing expected, `world_unchanged`.

    Args:
        expected: Values or conditions by JSON Pointer. The null of JSON also expects that nothing is there.
        turns: The turn of each tool run.
        allows_others: Whether something else may have changed.
    """
    world = rollout.world
    if not world:
        return TurnAnswer(False, "the offered tools have no world")
    for place, condition in expected.items():
        try:
            value, shown = find_in_world(world, place), ""
        except BadInput as error:
            value, shown = None, f"nothing ({error.remedy})"
        if not meets(value, condition):
            shown = shown or describe_condition({"equals": value})
            reason = f"{place} is {shown}, expected {describe_condition(condition)}"
            return TurnAnswer(False, reason, _last_change(place, rollout, turns))
    if not allows_others:
        for change in world_changes(rollout.world_start, world):
            if not any(_is_within(change.place, allowed) for allowed in expected):
                reason = f"{change.place} was {change.kind}, which was not expected"
                return TurnAnswer(False, reason, _last_change(change.place, rollout, turns))
    return TurnAnswer(True, "the world is as expected" if expected else "the world did not change")


def _last_change(place: str, rollout: CaseRollout, turns: Sequence[int]) -> int | None:
    """Return the turn of the last call that changed the value at a place, or a value around or inside it."""
    changed = [
        turn
        for turn, finished in zip(turns, rollout.tool_runs, strict=False)
        if any(
            _is_within(path, place) or _is_within(place, path)
            for path in (str(operation.get("path", "")) for operation in finished.run.world_patch)
            # The world of a toolset as it begins does not count.
            if path.count("/") > 1
        )
    ]
    return changed[-1] if changed else None


def _is_within(place: str, around: str) -> bool:
    return place == around or place.startswith(f"{around}/")

"""Expectations of what a rollout may take."""

from collections.abc import Callable, Mapping
from typing import Final, cast

from workbench.suite.expectation import Expectation
from workbench.suite.played import Played
from workbench.suite.scoring.calls import Answer

_Measured = tuple[Callable[[Played], float | None], str]
LIMITS: Final[Mapping[str, _Measured]] = {
    "fixes_at_most": (lambda played: len(played.fixes), "fixes"),
    "rounds_at_most": (lambda played: len(played.completions), "rounds"),
    "seconds_at_most": (lambda played: played.seconds, "seconds"),
    "tokens_at_most": (lambda played: played.completion_tokens, "tokens written"),
    "prompt_tokens_at_most": (lambda played: played.prompt_tokens, "prompt tokens"),
    "cost_at_most": (lambda played: played.cost, "US dollars"),
}
"""Kind of expectation to what is measured, and its unit."""


def score_limit(one: Expectation, played: Played) -> Answer:
    """Whether what was measured is within the bound; a cost that is not known is not."""
    measure, unit = LIMITS[one.kind]
    most = cast(float, getattr(one, one.kind))
    value = measure(played)
    if value is None:
        return False, f"the {unit} are not known: the model has no price"
    return value <= most, f"{value:g} {unit}, at most {most:g}"

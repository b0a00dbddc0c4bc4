"""What came of one expectation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One expectation, held against a rollout."""

    kind: str
    """One of `workbench.suite.expectation.KINDS`."""
    holds: bool
    """Yes or no."""
    reason: str
    """Why, for a person."""
    weight: float = 1.0
    """How much it counts."""

"""What a stranger who comes to a Space may ask of a model that is there for all."""

from typing import Final

from workbench.desk.services import Services
from workbench.desk.setup import Setup
from workbench.errors import BadInput
from workbench.suite.plan import Plan

MOST_TOKENS: Final = 2048
"""Longest completion."""
MOST_TEXT_CHARS: Final = 200_000
"""Longest text that is said, or handed over to be read."""
MOST_PLAYS: Final = 200
"""Plays of one run of suites."""


def check_visitor_turn(services: Services, setup: Setup, text: str) -> None:
    """Whether a turn may be played; everything may where nobody but its owner comes.

    Raises:
        BadInput: On a Space, where the turn asks for too much.
    """
    settings = services.settings
    if not settings.is_on_space:
        return
    check_visitor_text(services, text)
    if setup.sampling.max_tokens > MOST_TOKENS:
        raise BadInput("max tokens", f"a Space writes {MOST_TOKENS} at most", "ask for fewer")
    if setup.max_rounds > settings.max_rounds:
        raise BadInput("max rounds", f"a turn has {settings.max_rounds} here at most", "ask for fewer")


def check_visitor_text(services: Services, text: str) -> None:
    """Whether a text may be as long as it is.

    Raises:
        BadInput: On a Space, where it is too long.
    """
    if services.settings.is_on_space and len(text) > MOST_TEXT_CHARS:
        raise BadInput("text", f"a Space takes {MOST_TEXT_CHARS:,} characters at most", "send less at a time")


def check_visitor_plan(services: Services, plan: Plan) -> None:
    """Whether a run may be played.

    Raises:
        BadInput: On a Space, where it has too many plays.
    """
    if services.settings.is_on_space and len(plan.jobs()) > MOST_PLAYS:
        raise BadInput(
            "run", f"a Space plays {MOST_PLAYS} times at most", "choose fewer cases or repetitions"
        )

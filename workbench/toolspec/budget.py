"""Limit the work that one untrusted text may cause, whatever kind of work it is.

Patterns, templates and schemas are small programs: a few lines of them can ask for hours. Whatever runs one counts
its work in steps with `spend`. A step stands for about a microsecond, so that steps of different kinds add up.
Steps are counted, and not seconds, so that the same text has the same findings on a slow machine.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from workbench.errors import BadInput

CHECK_STEPS: Final = 300_000
"""Work for one thing: a value checked against a schema, a template rendered, a pattern searched. Honest ones take
less than a hundredth of it."""
REQUEST_STEPS: Final = 700_000
"""Work for all things together that one request asks for: under a second, for others wait meanwhile."""


class BudgetExceeded(BadInput):
    """A text asks for more work than it may."""

    def __init__(self, where: str = "the text") -> None:
        super().__init__(
            where, "checking it takes too much work", "make its schema, pattern or template simpler"
        )


class _Budget:
    """What is left to spend."""

    __slots__ = ("left", "outer")

    def __init__(self, steps: int, outer: "_Budget | None") -> None:
        self.left = steps
        self.outer = outer


_OPEN: Final[ContextVar[_Budget | None]] = ContextVar("open_budget", default=None)
"""The innermost budget of this thread or task; None where nobody bounds the work."""


@contextmanager
def budget(steps: int = CHECK_STEPS) -> Generator[None]:
    """Bound the work that is done inside. A budget around this one pays for it too.

    Args:
        steps: Microseconds of work, roughly.
    """
    token = _OPEN.set(_Budget(steps, _OPEN.get()))
    try:
        yield
    finally:
        _OPEN.reset(token)


def is_bounded() -> bool:
    """Whether somebody bounds the work that is done now."""
    return _OPEN.get() is not None


def spend(steps: int) -> None:
    """Count work that is about to be done.

    Raises:
        BudgetExceeded: A budget is used up; from then on every further step raises.
    """
    open_budget = _OPEN.get()
    while open_budget is not None:
        open_budget.left -= steps
        if open_budget.left < 0:
            raise BudgetExceeded
        open_budget = open_budget.outer

"""Limit the work that an untrusted text may cause.

Patterns, templates and schemas are small programs, and a few lines of them can take hours. Code that runs them counts
its work with `spend`, in steps of about a microsecond, so that different kinds of work add up. Steps are counted
instead of seconds so that the same text gives the same findings on a slow machine.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from workbench.errors import BadInput

CHECK_STEPS: Final = 300_000
"""Limit for one check of a value against a schema, one rendering of a template, or one search for a pattern. Ordinary
ones need less than a hundredth of it."""
REQUEST_STEPS: Final = 700_000
"""Limit for everything that one request asks for. It is less than a second, because other requests wait meanwhile."""


TOO_MUCH_WORK: Final = "checking it takes too much work"


class BudgetExceeded(BadInput):
    """A text takes more work than the budget allows."""

    def __init__(self, where: str = "the text") -> None:
        super().__init__(where, TOO_MUCH_WORK, "simplify its schema, pattern or template")


class Budget:
    """The steps that are left, and the surrounding budget."""

    __slots__ = ("left", "outer")

    def __init__(self, steps: int, outer: "Budget | None") -> None:
        self.left = steps
        self.outer = outer

    @property
    def is_used_up(self) -> bool:
        """Whether this budget, without the surrounding ones, is used up."""
        return self.left < 0


_OPEN: Final[ContextVar[Budget | None]] = ContextVar("open_budget", default=None)
"""The innermost budget of this thread or task, or None if the work is not limited."""


@contextmanager
def budget(steps: int = CHECK_STEPS) -> Generator[Budget]:
    """Limit the work inside a `with` block. It also counts against surrounding budgets.

    Args:
        steps: The limit, roughly in microseconds.
    """
    own = Budget(steps, _OPEN.get())
    token = _OPEN.set(own)
    try:
        yield own
    finally:
        _OPEN.reset(token)


def is_bounded() -> bool:
    """Return whether the current work is limited by a budget."""
    return _OPEN.get() is not None


def spend(steps: int) -> None:
    """Count work that is about to be done.

    Raises:
        BudgetExceeded: A budget is used up. From then on, every further call raises.
    """
    open_budget = _OPEN.get()
    while open_budget is not None:
        open_budget.left -= steps
        if open_budget.left < 0:
            raise BudgetExceeded
        open_budget = open_budget.outer

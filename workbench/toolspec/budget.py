"""Limit the work that an untrusted text may cause.

Patterns, templates and schemas are small programs, and a few lines of them can take hours. Code that runs them counts
its work with `spend`, in steps of about a microsecond, so that different kinds of work add up. Steps are counted
instead of seconds so that the same text gives the same findings on a slow machine.

Work that cannot be interrupted, such as compiling a pattern, is counted before it starts, and takes at most a tenth of
a second, because Python runs no other thread meanwhile.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Final

from workbench.errors import BadInput

STEPS_PER_SECOND: Final = 1_000_000
CHECK_STEPS: Final = 300_000
"""Limit for one check of a value against a schema, one rendering of a template, or one search for a pattern. Ordinary
ones need less than a hundredth of it."""
REQUEST_STEPS: Final = 700_000
"""Limit for everything that one request asks for. It is less than a second, because other requests wait meanwhile."""


TOO_MUCH_WORK: Final = "checking it takes too much work"
_MINUTE_USED: Final = "your network's checks took too much work in this minute"


class BudgetExceeded(BadInput):
    """A text takes more work than the budget allows."""

    def __init__(self, where: str = "the text", problem: str = TOO_MUCH_WORK) -> None:
        super().__init__(where, problem, "simplify its schema, pattern or template")


class Budget:
    """The steps that are left, the surrounding budget, and what an error says once they are used up."""

    __slots__ = ("left", "outer", "problem")

    def __init__(self, steps: int, outer: "Budget | None" = None, problem: str = TOO_MUCH_WORK) -> None:
        self.left = steps
        self.outer = outer
        self.problem = problem

    @property
    def is_used_up(self) -> bool:
        """Whether this budget, without the surrounding ones, is used up."""
        return self.left < 0


_OPEN: Final[ContextVar[Budget | None]] = ContextVar("open_budget", default=None)
"""The innermost budget of this thread or task, or None if the work is not limited."""


def budget(steps: int = CHECK_STEPS) -> AbstractContextManager[Budget]:
    """Limit the work inside a `with` block. It also counts against surrounding budgets.

    Args:
        steps: The limit, roughly in microseconds.
    """
    return opened(Budget(steps, _OPEN.get()))


@contextmanager
def opened(own: Budget) -> Generator[Budget]:
    """Count the work inside a `with` block against a budget, also that of other threads of the same request."""
    token = _OPEN.set(own)
    try:
        yield own
    finally:
        _OPEN.reset(token)


class MinuteBudgets:
    """Budgets of people for the current minute. Thread-safe.

    Args:
        steps: What one person may use in a minute.
        now_s: Returns the time of a clock that only goes forward, in seconds.
    """

    def __init__(self, steps: int, now_s: Callable[[], float]) -> None:
        self._steps = steps
        self._now_s = now_s
        self._minute = -1
        self._budgets: dict[str, Budget] = {}
        self._lock = Lock()

    def of(self, person: str) -> Budget:
        """Return what a person has left in the current minute."""
        minute = int(self._now_s() // 60)
        with self._lock:
            if minute != self._minute:
                self._minute = minute
                self._budgets.clear()
            return self._budgets.setdefault(person, Budget(self._steps, problem=_MINUTE_USED))


def spend(steps: int) -> None:
    """Count work that is about to be done.

    Raises:
        BudgetExceeded: A budget is used up. From then on, every further call raises.
    """
    open_budget = _OPEN.get()
    while open_budget is not None:
        open_budget.left -= steps
        if open_budget.left < 0:
            raise BudgetExceeded(problem=open_budget.problem)
        open_budget = open_budget.outer

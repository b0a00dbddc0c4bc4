"""Stop work that runs in another thread, and record why it was stopped."""

from collections.abc import Callable
from threading import Event
from typing import Final

from workbench.rollout.events import EndReason
from workbench.rollout.ports import FinishReason

STOP_PROBLEMS: Final = {
    FinishReason.CANCELLED: "",
    FinishReason.TIMEOUT: "the time limit was reached",
    FinishReason.INTERRUPTED: "the server was shut down",
}
"""What each reason means, as a text for people. A person who stops an answer needs no explanation."""
END_REASONS: Final = {
    FinishReason.CANCELLED: EndReason.CANCELLED,
    FinishReason.TIMEOUT: EndReason.TIMEOUT,
    FinishReason.INTERRUPTED: EndReason.INTERRUPTED,
}
"""How a turn ends after a completion that ended for this reason."""


class StopSignal:
    """Asks work to stop. It is an `is_cancelled` function that knows the reason. Thread-safe.

    >>> stop = StopSignal()
    >>> stop()
    False
    >>> stop.set(FinishReason.TIMEOUT)
    >>> stop.set()
    >>> stop(), stop.reason.value
    (True, 'timeout')
    """

    def __init__(self) -> None:
        self._event = Event()
        self._reason = FinishReason.CANCELLED
        self._problem = ""

    def __call__(self) -> bool:
        """Whether the work should stop."""
        return self._event.is_set()

    @property
    def reason(self) -> FinishReason:
        """Why the work should stop: `cancelled`, `timeout` or `interrupted`."""
        return self._reason

    @property
    def problem(self) -> str:
        """The reason as a text for people. Empty if a person stopped the work."""
        return self._problem or STOP_PROBLEMS[self._reason]

    def set(self, reason: FinishReason = FinishReason.CANCELLED, problem: str = "") -> None:
        """Ask the work to stop. Only the first reason counts.

        Args:
            reason: `cancelled` if a person stops it, `timeout` at a time limit, `interrupted` if the server ends.
            problem: The reason as a text for people, if it is not the usual one.
        """
        if not self._event.is_set():
            self._reason, self._problem = reason, problem
            self._event.set()


class LinkedStop(StopSignal):
    """Stops when other work stops, or once a condition holds.

    Args:
        is_cancelled: Whether the other work was stopped.
        condition: For example, whether a point in time has passed.
        reason: Why the condition stops the work.
        problem: The same as a text for people, if it is not the usual one.
    """

    def __init__(
        self,
        is_cancelled: Callable[[], bool],
        condition: Callable[[], bool],
        reason: FinishReason = FinishReason.TIMEOUT,
        problem: str = "",
    ) -> None:
        super().__init__()
        self._is_cancelled = is_cancelled
        self._condition = condition
        self._other = (reason, problem)

    def __call__(self) -> bool:
        """Whether the work should stop."""
        if self._is_cancelled():
            first = signal_of(self._is_cancelled)
            self.set(first.reason, first.problem)
        elif self._condition():
            self.set(*self._other)
        return super().__call__()


def signal_of(is_cancelled: Callable[[], bool]) -> StopSignal:
    """Return the signal that this function is. For any other function, a person stops the work."""
    return is_cancelled if isinstance(is_cancelled, StopSignal) else StopSignal()

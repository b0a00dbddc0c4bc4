"""Ask the person: approval of risky commands, and each call in step mode."""

from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Lock
from time import monotonic
from typing import Final

from workbench.chat.message import ToolCall
from workbench.rollout.ports import Approval, ApprovalQuestion
from workbench.rollout.steps import Step, StepKind

_LOOK_S: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAwaited:
    """The turn waits for the person."""

    call: ToolCall
    """For which call."""
    reasons: tuple[str, ...] = ()
    """What speaks against it; empty in step mode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAnswered:
    """The person answered, or the time was over."""


class Person:
    """Answers a turn's questions from the buttons of the page, one at a time.

    Args:
        tell: Is told when the turn waits, and when it goes on.
        is_stopped: True once the turn was stopped; all answers are a no from then on.
        timeout_s: How long an approval is waited for; a step waits until the turn is stopped.
    """

    def __init__(
        self,
        tell: Callable[[PersonAwaited | PersonAnswered], None],
        *,
        is_stopped: Callable[[], bool],
        timeout_s: float,
    ) -> None:
        self._tell = tell
        self._is_stopped = is_stopped
        self._timeout_s = timeout_s
        self._answers: Queue[Approval | Step] = Queue()
        self._asking = Lock()

    def ask(self, question: ApprovalQuestion) -> Approval:
        """See `workbench.rollout.ports.Approver`."""
        waiting = PersonAwaited(call=question.call, reasons=question.reasons)
        answer = self._answered(waiting, timeout_s=self._timeout_s)
        return answer if isinstance(answer, Approval) else Approval.DENY

    def step(self, call: ToolCall) -> Step:
        """See `workbench.rollout.steps.Stepper`."""
        answer = self._answered(PersonAwaited(call=call), timeout_s=None)
        return answer if isinstance(answer, Step) else Step(kind=StepKind.FAIL, text="stopped by the user")

    def answer(self, answer: Approval | Step) -> None:
        """What a button said."""
        self._answers.put(answer)

    def _answered(self, waiting: PersonAwaited, *, timeout_s: float | None) -> Approval | Step | None:
        with self._asking:
            while not self._answers.empty():
                # Pressed twice for the question before this one.
                self._answers.get_nowait()
            self._tell(waiting)
            try:
                return self._next(None if timeout_s is None else monotonic() + timeout_s)
            finally:
                self._tell(PersonAnswered())

    def _next(self, deadline_s: float | None) -> Approval | Step | None:
        while not self._is_stopped() and (deadline_s is None or monotonic() < deadline_s):
            try:
                return self._answers.get(timeout=_LOOK_S)
            except Empty:
                continue
        return None

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

_POLL_S: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAwaited:
    """The turn is waiting for the person."""

    call: ToolCall
    """The call to decide on."""
    reasons: tuple[str, ...] = ()
    """Why the call is risky. Empty in step mode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAnswered:
    """The person answered, or the time ran out."""


class Person:
    """Answers a turn's questions with the buttons of the page, one at a time.

    Args:
        report: Called when the turn starts waiting and when it continues.
        is_stopped: Returns True once the turn is stopped; every question is then answered with a refusal.
        timeout_s: How long to wait for an approval. A step waits until the turn is stopped.
    """

    def __init__(
        self,
        report: Callable[[PersonAwaited | PersonAnswered], None],
        *,
        is_stopped: Callable[[], bool],
        timeout_s: float,
    ) -> None:
        self._report = report
        self._is_stopped = is_stopped
        self._timeout_s = timeout_s
        self._answers: Queue[Approval | Step] = Queue()
        self._asking = Lock()

    def ask(self, question: ApprovalQuestion) -> Approval:
        """Ask the person to approve a risky command; see `workbench.rollout.ports.Approver`."""
        waiting = PersonAwaited(call=question.call, reasons=question.reasons)
        answer = self._answered(waiting, timeout_s=self._timeout_s)
        return answer if isinstance(answer, Approval) else Approval.DENY

    def step(self, call: ToolCall) -> Step:
        """Ask the person what to do with a call; see `workbench.rollout.steps.Stepper`."""
        answer = self._answered(PersonAwaited(call=call), timeout_s=None)
        return answer if isinstance(answer, Step) else Step(kind=StepKind.FAIL, text="stopped by the user")

    def answer(self, answer: Approval | Step) -> None:
        """Pass on the answer of a button."""
        self._answers.put(answer)

    def _answered(self, waiting: PersonAwaited, *, timeout_s: float | None) -> Approval | Step | None:
        with self._asking:
            while not self._answers.empty():
                # Drop a second press of a button for the previous question.
                self._answers.get_nowait()
            self._report(waiting)
            try:
                return self._next(None if timeout_s is None else monotonic() + timeout_s)
            finally:
                self._report(PersonAnswered())

    def _next(self, deadline_s: float | None) -> Approval | Step | None:
        while not self._is_stopped() and (deadline_s is None or monotonic() < deadline_s):
            try:
                return self._answers.get(timeout=_POLL_S)
            except Empty:
                continue
        return None

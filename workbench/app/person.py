"""Ask the person: approval of risky commands, and each call in step mode."""

from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Lock
from time import monotonic
from typing import Final

from workbench.chat.message import ToolCall
from workbench.rollout.ports import Approval, ApprovalQuestion, FinishReason
from workbench.rollout.steps import Step, StepKind
from workbench.rollout.stopping import StopSignal

_POLL_S: Final = 0.1
ABANDONED_S: Final = 3600.0
"""How long a turn waits for a decision about a call while no page shows it, before it ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAwaited:
    """The turn is waiting for the person."""

    call: ToolCall
    reasons: tuple[str, ...] = ()
    """Why the call is risky. Empty in step mode."""
    question: int = 0
    """Number of the question in this turn, from 1. An answer names it, because several pages may show the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAnswered:
    """The person answered, or the time ran out."""


class Person:
    """Answers a turn's questions with the buttons of any page that shows the turn, one question at a time.

    Args:
        report: Called when the turn starts waiting and when it continues.
        stop: Stops the turn. Every question is then answered with a refusal.
        timeout_s: How long to wait for an approval.
        unwatched_s: Returns for how many seconds no page has shown the turn. In step mode the turn waits as long as a
            page shows it, and ends after `ABANDONED_S` without one.
    """

    def __init__(
        self,
        report: Callable[[PersonAwaited | PersonAnswered], None],
        *,
        stop: StopSignal,
        timeout_s: float,
        unwatched_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._report = report
        self._stop = stop
        self._timeout_s = timeout_s
        self._unwatched_s = unwatched_s
        self._answers: Queue[Approval | Step] = Queue()
        self._asking = Lock()
        self._question = 0
        self._awaited = 0
        """Number of the question that has no answer yet. 0 if there is none."""
        self._open = Lock()

    def ask(self, question: ApprovalQuestion) -> Approval:
        """Ask the person to approve a risky command; see `workbench.rollout.ports.Approver`."""
        answer = self._answered(question.call, question.reasons, timeout_s=self._timeout_s)
        return answer if isinstance(answer, Approval) else Approval.DENY

    def step(self, call: ToolCall) -> Step:
        """Ask the person what to do with a call; see `workbench.rollout.steps.Stepper`."""
        answer = self._answered(call, (), timeout_s=None)
        if isinstance(answer, Step):
            return answer
        is_stopped = self._stop() and self._stop.reason is FinishReason.CANCELLED
        return Step(
            kind=StepKind.FAIL, text="stopped by the user" if is_stopped else "nobody answered in time"
        )

    def answer(self, question: int, answer: Approval | Step) -> bool:
        """Pass on the answer of a button; return False if the turn no longer waits for that question."""
        with self._open:
            if not question or question != self._awaited:
                return False
            self._awaited = 0
            self._answers.put(answer)
            return True

    def _answered(
        self, call: ToolCall, reasons: tuple[str, ...], *, timeout_s: float | None
    ) -> Approval | Step | None:
        with self._asking:
            self._question += 1
            with self._open:
                self._awaited = self._question
            self._report(PersonAwaited(call=call, reasons=reasons, question=self._question))
            try:
                return self._next(None if timeout_s is None else monotonic() + timeout_s)
            finally:
                self._report(PersonAnswered())

    def _next(self, deadline_s: float | None) -> Approval | Step | None:
        while not self._stop() and (deadline_s is None or monotonic() < deadline_s):
            if deadline_s is None and self._unwatched_s() > ABANDONED_S:
                self._stop.set(FinishReason.TIMEOUT)
                break
            try:
                return self._answers.get(timeout=_POLL_S)
            except Empty:
                continue
        with self._open:
            self._awaited = 0
            # An answer that came at the last moment counts, but not against a stop.
            answer = None if self._answers.empty() else self._answers.get_nowait()
        return None if self._stop() else answer

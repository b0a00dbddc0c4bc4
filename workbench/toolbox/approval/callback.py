"""A person asked through a function, with a limit."""

from collections.abc import Callable

from workbench.rollout.ports import Approval, ApprovalQuestion
from workbench.toolbox.async_bridge import AsyncBridge, HandlerTimeout


class CallbackApprover:
    """Asks through `callback`; an answer that does not come in time, or is none, is a no.

    Args:
        callback: Takes the question, gives the answer; may be asynchronous.
        timeout_s: How long it is waited for.
    """

    def __init__(self, callback: Callable[[ApprovalQuestion], object], *, timeout_s: float = 120.0) -> None:
        self._callback = callback
        self._timeout_s = timeout_s
        self._bridge = AsyncBridge()

    def ask(self, question: ApprovalQuestion) -> Approval:
        """See `workbench.rollout.ports.Approver`."""
        try:
            answer = self._bridge.call(lambda: self._callback(question), timeout_s=self._timeout_s)
        except HandlerTimeout:
            return Approval.DENY
        except Exception:  # noqa: BLE001  whoever cannot answer has not said yes
            return Approval.DENY
        return Approval(answer) if isinstance(answer, str) and answer in tuple(Approval) else Approval.DENY

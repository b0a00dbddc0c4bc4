"""Stop cleanly at Ctrl+C, and ask for approval of commands in the terminal."""

import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from select import select
from threading import Event as Flag
from typing import Final

from workbench.cli.terminal.visible import shown
from workbench.rollout.ports import Approval, ApprovalQuestion

_ANSWERS: Final = {"o": Approval.ONCE, "s": Approval.SESSION, "a": Approval.ALWAYS, "d": Approval.DENY}


class TerminalApprover:
    """Asks on standard error and reads one line from standard input.

    Denies the command if standard input is not a terminal, if there is no answer in time, or if the answer is not
    one of those offered.

    Args:
        timeout_s: Time to answer, in seconds.
    """

    def __init__(self, *, timeout_s: float = 120.0) -> None:
        self._timeout_s = timeout_s

    def ask(self, question: ApprovalQuestion) -> Approval:
        """Return the user's decision; see `workbench.rollout.ports.Approver`."""
        if not sys.stdin.isatty():
            return Approval.DENY
        arguments = ", ".join(f"{name}={value!r}" for name, value in question.call.arguments.items())
        print(f"\n{question.call.name}({shown(arguments)})", file=sys.stderr)
        print(f"flagged: {', '.join(question.reasons)}", file=sys.stderr)
        print("allow [o]nce, for this [s]ession, [a]lways, or [d]eny? ", end="", file=sys.stderr, flush=True)
        is_ready, _, _ = select([sys.stdin], [], [], self._timeout_s)
        answer = sys.stdin.readline().strip().lower() if is_ready else ""
        return _ANSWERS.get(answer[:1], Approval.DENY)


@contextmanager
def stop_at_interrupt() -> Generator[Flag]:
    """Yield a flag that Ctrl+C sets, so that the work can stop cleanly. A second Ctrl+C ends the process."""
    stop = Flag()
    previous_handler = signal.getsignal(signal.SIGINT)

    def on_interrupt(_number: int, _frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, previous_handler)

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, previous_handler)

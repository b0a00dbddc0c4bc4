"""Stop cleanly at Ctrl+C, and ask for approval of commands in the terminal."""

import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from select import select
from threading import Event as Flag
from typing import Final

from workbench.cli.terminal.paint import shown
from workbench.rollout.ports import Approval, ApprovalQuestion

_ANSWERS: Final = {"o": Approval.ONCE, "s": Approval.SESSION, "a": Approval.ALWAYS, "d": Approval.DENY}


class TerminalApprover:
    """Asks on standard error, reads one line; no terminal, no answer in time or another word is a no.

    Args:
        timeout_s: How long an answer is waited for.
    """

    def __init__(self, *, timeout_s: float = 120.0) -> None:
        self._timeout_s = timeout_s

    def ask(self, question: ApprovalQuestion) -> Approval:
        """See `workbench.rollout.ports.Approver`."""
        if not sys.stdin.isatty():
            return Approval.DENY
        arguments = ", ".join(f"{name}={value!r}" for name, value in question.call.arguments.items())
        print(f"\n{question.call.name}({shown(arguments)})", file=sys.stderr)
        print(f"flagged: {', '.join(question.reasons)}", file=sys.stderr)
        print("o: allow now, s: for this session, a: always, d: deny? ", end="", file=sys.stderr, flush=True)
        is_ready, _, _ = select([sys.stdin], [], [], self._timeout_s)
        said = sys.stdin.readline().strip().lower() if is_ready else ""
        return _ANSWERS.get(said[:1], Approval.DENY)


@contextmanager
def stop_at_interrupt() -> Generator[Flag]:
    """Ctrl+C once sets the flag, so that the work ends in order and keeps what came; twice ends the process."""
    stop = Flag()
    before = signal.getsignal(signal.SIGINT)

    def on_interrupt(_number: int, _frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)

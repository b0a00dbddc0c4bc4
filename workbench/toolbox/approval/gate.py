"""Commands held up until someone allows them."""

from collections.abc import Mapping
from threading import Lock
from typing import Final, Protocol

from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.rollout.ports import Approval, ApprovalQuestion, Approver
from workbench.toolbox.approval.allowlist import Allowlist
from workbench.toolbox.approval.detect import detect
from workbench.toolbox.registering.entry import CallContext

GUARDED: Final[Mapping[str, str]] = {"terminal": "command"}
"""Tools that run commands, each with the argument that holds the command."""
MOST_DOUBTS: Final = 3
"""From this doubt of the judge on, in one session, the person is asked instead."""


class Judge(Protocol):
    """Someone who may allow what is of low risk, so that the person is not asked for every trifle."""

    def is_low_risk(self, command: str, reasons: tuple[str, ...]) -> bool:
        """True only where it is sure; whatever goes wrong is a doubt."""
        ...


class Approvals:
    """What was allowed, and how often a judge doubted, by session; shared by the toolboxes of all turns."""

    def __init__(self, most_sessions: int = 1_000) -> None:
        self._most_sessions = most_sessions
        self._allowed: dict[str, set[str]] = {}
        self._doubts: dict[str, int] = {}
        self._lock = Lock()

    def allowed(self, session_id: str) -> frozenset[str]:
        """What the session allows."""
        with self._lock:
            return frozenset(self._allowed.get(session_id, ()))

    def allow(self, session_id: str, reasons: tuple[str, ...]) -> None:
        """Allows these for the session; one without an id is no session."""
        with self._lock:
            if session_id:
                self._allowed.setdefault(session_id, set()).update(reasons)
                while len(self._allowed) > self._most_sessions:
                    del self._allowed[next(iter(self._allowed))]

    def doubts(self, session_id: str) -> int:
        """How often the judge doubted in this session."""
        with self._lock:
            return self._doubts.get(session_id, 0)

    def doubt(self, session_id: str) -> int:
        """Counts one doubt more, and tells how many there are."""
        with self._lock:
            self._doubts[session_id] = number = self._doubts.get(session_id, 0) + 1
            while len(self._doubts) > self._most_sessions:
                del self._doubts[next(iter(self._doubts))]
            return number


class ApprovalGate:
    """Lets pass what is harmless or allowed; asks about the rest; the hardline list passes never.

    Args:
        approvals: What sessions allow.
        allowlist: What is allowed always; None where nothing is kept.
        approver: The person; None where nobody can be asked, and then the answer is no.
        judge: Looks at a command first; None asks the person at once.
        guarded: Tools that run commands; see `GUARDED`.
    """

    def __init__(
        self,
        approvals: Approvals,
        *,
        allowlist: Allowlist | None = None,
        approver: Approver | None = None,
        judge: Judge | None = None,
        guarded: Mapping[str, str] = GUARDED,
    ) -> None:
        self._approvals = approvals
        self._allowlist = allowlist
        self._approver = approver
        self._judge = judge
        self._guarded = guarded

    def refusal(self, call: ToolCall, context: CallContext, questions: tuple[str, ...]) -> str:
        """See `workbench.toolbox.gate.Gate`."""
        command = str(call.arguments.get(self._guarded.get(call.name, ""), ""))
        danger = detect(command)
        if danger.hardline:
            return f"Blocked, and no approval can change it: {danger.hardline}"
        known = self._approvals.allowed(context.session_id) | self._always()
        reasons = tuple(name for name in (*danger.categories, *questions) if name not in known)
        if not reasons:
            return ""
        if not questions and self._judge and self._approvals.doubts(context.session_id) < MOST_DOUBTS:
            if self._judge.is_low_risk(command, reasons):
                return ""
            if self._approvals.doubt(context.session_id) < MOST_DOUBTS:
                return f"Denied by the judge: {', '.join(reasons)}. Find a safer way"
        return self._asked(ApprovalQuestion(call=call, reasons=reasons), context)

    def _asked(self, question: ApprovalQuestion, context: CallContext) -> str:
        reasons = ", ".join(question.reasons)
        if self._approver is None:
            return f"Needs approval and nobody can be asked: {reasons}"
        answer = self._approver.ask(question)
        if answer is Approval.DENY:
            return f"Denied by the user: {reasons}. Do not try it another way"
        if answer in (Approval.SESSION, Approval.ALWAYS):
            self._approvals.allow(context.session_id, question.reasons)
        if answer is Approval.ALWAYS and self._allowlist is not None:
            for reason in question.reasons:
                self._allowlist.add(reason)
        return ""

    def _always(self) -> frozenset[str]:
        """What is allowed always; a file that cannot be read allows nothing."""
        try:
            return self._allowlist.categories() if self._allowlist else frozenset()
        except BadInput:
            return frozenset()

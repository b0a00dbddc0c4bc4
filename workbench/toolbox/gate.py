"""Where a call may be held up until someone allows it."""

from typing import Protocol

from workbench.chat.message import ToolCall
from workbench.toolbox.registering.entry import CallContext


class Gate(Protocol):
    """Decides whether a call may run."""

    def refusal(self, call: ToolCall, context: CallContext, questions: tuple[str, ...]) -> str:
        """Why the call may not run, for the model; empty where it may.

        Args:
            call: With arguments that fit.
            context: Whose call it is.
            questions: Why hooks want a person to decide.
        """
        ...


class OpenGate:
    """Lets all calls pass but those that a hook wants asked: there is nobody to ask."""

    def refusal(self, call: ToolCall, context: CallContext, questions: tuple[str, ...]) -> str:
        """See `Gate`."""
        return f"Needs approval and nobody can be asked: {questions[0]}" if questions else ""

"""What is shown while a turn waits for the person."""

import json
from dataclasses import dataclass

from workbench.chat.message import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingView:
    """One call that waits."""

    title: str
    """What is asked."""
    name: str
    """The tool."""
    arguments: str
    """JSON of its arguments."""
    reasons: str
    """What speaks against it; empty in step mode."""


def show_waiting(call: ToolCall, reasons: tuple[str, ...]) -> WaitingView:
    """A call as the page asks about it."""
    return WaitingView(
        title="This call needs your approval" if reasons else "The turn waits at this call",
        name=call.name,
        arguments=json.dumps(call.arguments, indent=2, ensure_ascii=False),
        reasons=", ".join(reasons),
    )

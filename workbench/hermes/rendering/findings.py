"""What to know of a rendered message: what was lost, and where the published template would fail."""

import json
from collections.abc import Iterator
from typing import Final

from workbench.chat.finding import Finding, Severity
from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.chat.span import Span
from workbench.hermes.spelling.family import Family, Needs
from workbench.hermes.spelling.thoughts import Shown

_UNREADABLE: Final = object()


def conversation_findings(family: Family, conversation: Conversation, query: int | None) -> Iterator[Finding]:
    """Where the published template refuses the conversation as a whole; `query` is `last_query`'s."""
    messages = conversation.messages
    if (family.needs is Needs.MESSAGE and not messages) or (family.needs is Needs.QUERY and query is None):
        wish = f"the published template wants {family.needs}; ours goes on"
        yield _warning("template-would-crash", wish)
    if not family.system.allows_later_system and any(m.role is Role.SYSTEM for m in messages[1:]):
        yield _warning(
            "template-would-crash", "the published template refuses a later system message; ours writes it"
        )


def assistant_findings(family: Family, message: Message, shown: Shown, span: Span) -> Iterator[Finding]:
    """What of an assistant's message the family does not write."""
    remedy = f"; {family.sane_name!r} keeps it" if family.sane_name else ""
    if message.calls and shown.text and not family.keeps_text_beside_calls:
        yield _warning("content-dropped", f"family {family.name!r} drops text beside calls{remedy}", span)
    if shown.loses_thought:
        yield _warning("thought-dropped", f"family {family.name!r} drops thoughts{remedy}", span)


def call_findings(family: Family, call: ToolCall, body: str, span: Span) -> Iterator[Finding]:
    """What is wrong with a spelled call; `body` is what stands at `span`."""
    if call.arguments_text is not None and family.refuses_text_arguments:
        yield _warning(
            "template-would-crash",
            "the published template crashes on arguments given as text; ours reads them",
            span,
        )
    if call.arguments_text is not None and family.encodes_text_arguments:
        remedy = f"; {family.sane_name!r} does not" if family.sane_name else ""
        yield _warning(
            "arguments-encoded-twice", f"family {family.name!r} encodes text arguments again{remedy}", span
        )
    if call.arguments_text is not None and not family.pastes_calls and not _is_object(call.arguments_text):
        yield _warning(
            "arguments-dropped", f"the arguments of {call.name!r} are no JSON object: none written", span
        )
    if family.pastes_calls and not _is_json(body):
        yield _warning("call-not-json", f"the call of {call.name!r} is not valid JSON once written", span)


def missing_header_finding(family: Family, span: Span) -> Finding:
    """For a result that begins the conversation, where the published template opens no turn for it."""
    return _warning(
        "missing-turn-header", f"family {family.name!r} opens no turn for a result that comes first", span
    )


def _is_json(text: str) -> bool:
    return _loaded(text) is not _UNREADABLE


def _is_object(text: str) -> bool:
    return isinstance(_loaded(text), dict)


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _UNREADABLE


def _warning(code: str, message: str, span: Span | None = None) -> Finding:
    return Finding(code=code, message=message, severity=Severity.WARNING, span=span)

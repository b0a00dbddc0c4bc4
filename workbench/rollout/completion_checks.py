"""What is checked of a completion in addition to its reading: repeated calls, the tool choice, the answer schema."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Message, Role, ToolCall
from workbench.chat.short_text import shortened
from workbench.hermes.json_mode import check_answer
from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading
from workbench.hermes.written_out import read_message
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.ports import ChoiceKind, FinishReason, ToolChoice
from workbench.toolspec.spec import OfferedTools, canonical_json

_SHOWN_CHARS = 40


def without_repeated_calls(message: Message, tools: OfferedTools) -> tuple[Message, tuple[Finding, ...]]:
    """Return the message without structured calls that its text contains as well, and a finding for each of them.

    Some servers parse a call and leave it in the content, too. It is one call, so it must run once. The text stays as
    the model wrote it. A call that the model wrote twice in its text is two calls.
    """
    if not message.calls or not message.text:
        return message, ()
    in_text = Counter(call_key(call.name, call.arguments) for call in parse(message.text, tools=tools).calls)
    kept: list[ToolCall] = []
    findings: list[Finding] = []
    for call in message.calls:
        key = structured_call_key(call, tools)
        if in_text[key] > 0:
            in_text[key] -= 1
            findings.append(_repeated(call))
        else:
            kept.append(call)
    return replace(message, calls=tuple(kept)), tuple(findings)


def structured_call_key(call: ToolCall, tools: OfferedTools) -> str:
    """Return the key of a structured call, read like a call in a text, fixes included. Empty if it cannot be read."""
    alone = read_message(Message(role=Role.ASSISTANT, text="", calls=(call,)), tools=tools).calls
    return call_key(alone[0].name, alone[0].arguments) if alone else ""


def call_key(name: str, arguments: JsonObject) -> str:
    """Return a text that is the same for equal calls."""
    return canonical_json([name, arguments])


def _repeated(call: ToolCall) -> Finding:
    name = call.name[:_SHOWN_CHARS]
    message = f"the server sent the call of {name!r} in the text and as a tool call; it runs once"
    return Finding(code="call-repeated", message=shortened(message), severity=Severity.WARNING)


def find_problems(
    setup: TurnSetup, choice: ToolChoice, reading: Reading, finish_reason: FinishReason
) -> Iterator[Finding]:
    """Yield findings about a completion that are not part of its reading.

    Args:
        choice: The tool choice that was applied to this completion.
    """
    if choice.kind is ChoiceKind.NONE and reading.calls:
        names = ", ".join(repr(call.name[:_SHOWN_CHARS]) for call in reading.calls[:2])
        message = shortened(f"tool choice is 'none', but the model called {names}; the call was not run")
        yield Finding(code="call-not-run", message=message, severity=Severity.WARNING)
    if choice.is_forced and finish_reason is FinishReason.STOP and not reading.dropped:
        yield from _disobeyed(choice, reading)
    if setup.answer_schema is not None:
        yield from check_answer(reading, setup.answer_schema)


def _disobeyed(choice: ToolChoice, reading: Reading) -> Iterator[Finding]:
    """Yield a finding if the completion does not do what a forced choice requires."""
    others = [call.name for call in reading.calls if choice.tool not in (None, call.name)]
    if reading.calls and not others:
        return
    done = f"called {others[0][:_SHOWN_CHARS]!r}" if others else "called no tool"
    message = f"tool choice is {str(choice)[:_SHOWN_CHARS]!r}, but the model {done}"
    yield Finding(code="choice-not-obeyed", message=shortened(message), severity=Severity.WARNING)

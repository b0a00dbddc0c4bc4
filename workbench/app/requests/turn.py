"""Report the outcome of one turn, as text for a person and as JSON."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

from workbench.app.turns import MessageStored
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message
from workbench.hermes.reading import ReadCall
from workbench.hermes.written_out import written_out
from workbench.rollout.events import CompletionEnded, EndReason, Event, Timing, ToolFinished, TurnEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedCall:
    """A call, and what came of it."""

    name: str
    """The tool's name."""
    arguments: JsonObject = field(hash=False)
    status: str
    """The reader's status, or `failed` where the tool ran and failed."""
    result: JsonValue = field(hash=False)
    """The result's JSON value, or its text where it is none; None where the call was not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReport:
    """One turn."""

    session_id: str
    calls: tuple[ReportedCall, ...]
    """In the order made, over all rounds."""
    answer: str | None
    """Prose of the last completion; None where the turn did not end with an answer."""
    timings: tuple[Timing, ...]
    messages: tuple[Message, ...] = ()
    """The whole session, the system text first."""

    def to_json(self) -> JsonObject:
        """As `workbench chat --json` prints it; see `docs/reference/cli.md`."""
        return {
            "session": self.session_id,
            "messages": [{"role": one.role.value, "content": written_out(one)} for one in self.messages],
            "calls": [
                {"name": call.name, "arguments": call.arguments, "status": call.status, "result": call.result}
                for call in self.calls
            ],
            "answer": self.answer,
            "timing": {
                "prompt_tokens": sum(one.prompt_tokens for one in self.timings),
                "completion_tokens": sum(one.completion_tokens for one in self.timings),
                "time_to_first_token_s": round(self.timings[0].time_to_first_token_s, 4)
                if self.timings
                else 0.0,
                "tokens_per_second": round(self._tokens_per_second(), 2),
            },
        }

    def timing_line(self) -> str:
        """The same figures for a person."""
        timing = cast(dict[str, float], self.to_json()["timing"])
        return (
            f"{timing['prompt_tokens']} prompt + {timing['completion_tokens']} completion tokens, "
            f"first after {timing['time_to_first_token_s']:.2f} s, {timing['tokens_per_second']:.0f} tokens/s"
        )

    def _tokens_per_second(self) -> float:
        """Decoding speed over all rounds, behind each round's first token."""
        tokens = sum(max(one.completion_tokens - 1, 0) for one in self.timings)
        seconds = sum(one.seconds - one.time_to_first_token_s for one in self.timings)
        return tokens / seconds if seconds > 0 else 0.0


def report_turn(session_id: str, events: Iterable[Event | MessageStored]) -> ChatReport:
    """Plays the events to their end and sums them up; the messages are the caller's to add."""
    calls: list[ReportedCall] = []
    completions: list[CompletionEnded] = []
    reason: EndReason | None = None
    for event in events:
        if isinstance(event, CompletionEnded):
            completions.append(event)
        elif isinstance(event, ToolFinished):
            calls.append(_reported(event))
        elif isinstance(event, TurnEnded):
            reason = event.reason
    if reason is EndReason.CALLS_NOT_RUN:
        calls.extend(_unrun(call) for call in completions[-1].reading.calls)
    answered = reason is EndReason.ANSWERED and completions
    return ChatReport(
        session_id=session_id,
        calls=tuple(calls),
        answer=_prose(completions[-1].reading.prose) if answered else None,
        timings=tuple(one.generation.timing for one in completions),
    )


def _reported(event: ToolFinished) -> ReportedCall:
    try:
        result = cast(JsonValue, json.loads(event.run.result.text))
    except ValueError:
        result = event.run.result.text
    has_failed = event.run.result.is_error and event.call.status == "ready"
    status = "failed" if has_failed else event.call.status.value
    return ReportedCall(name=event.call.name, arguments=event.call.arguments, status=status, result=result)


def _unrun(call: ReadCall) -> ReportedCall:
    return ReportedCall(name=call.name, arguments=call.arguments, status=call.status.value, result=None)


def _prose(segments: Sequence[str]) -> str:
    return "\n".join(text.strip() for text in segments if text.strip())

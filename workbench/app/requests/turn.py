"""Report the result of a turn, as text and as JSON."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from workbench.chat.figures import figure, known_sum
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message
from workbench.hermes.reading import ReadCall
from workbench.hermes.written_out import written_out
from workbench.rollout.events import (
    CompletionEnded,
    EndReason,
    Timing,
    ToolFinished,
    TurnEnded,
    decoding_speed,
    speed_text,
)

_REASONS: Final = {EndReason.CALLS_NOT_RUN: "calls-not-run"}
"""What JSON calls the reasons that are stored under an older name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedCall:
    """A call and its result."""

    name: str
    arguments: JsonObject = field(hash=False)
    status: str
    """The reader's status of the call, or `failed` if the tool ran and failed."""
    result: JsonValue = field(hash=False)
    """The result as a JSON value, or its text if it is not JSON. None if the call did not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReport:
    """The result of one turn."""

    session_id: str
    calls: tuple[ReportedCall, ...]
    """The calls of all rounds, first to last."""
    answer: str | None
    """The prose of the last completion. None if the turn did not end with an answer."""
    timings: tuple[Timing, ...]
    """One for each completion."""
    ended: TurnEnded
    messages: tuple[Message, ...] = ()
    """All messages of the session's open path, the system message first."""

    def to_json(self) -> JsonObject:
        """Return the JSON that `workbench chat --json` prints. See `docs/reference/cli.md`."""
        return {
            "session": self.session_id,
            "messages": [
                {"role": message.role.value, "content": written_out(message)} for message in self.messages
            ],
            "calls": [
                {"name": call.name, "arguments": call.arguments, "status": call.status, "result": call.result}
                for call in self.calls
            ],
            "answer": self.answer,
            "end": {
                "reason": _REASONS.get(self.ended.reason, self.ended.reason.value),
                "rounds": self.ended.rounds,
                "problem": self.ended.problem,
            },
            "timing": {
                "prompt_tokens": known_sum(timing.prompt_tokens for timing in self.timings),
                "completion_tokens": known_sum(timing.completion_tokens for timing in self.timings),
                "time_to_first_token_s": _rounded(self._first_token_s, 4),
                "tokens_per_second": _rounded(decoding_speed(self.timings), 2),
            },
        }

    def timing_line(self) -> str:
        """Return the timing as one line of text."""
        prompt = known_sum(timing.prompt_tokens for timing in self.timings)
        written = known_sum(timing.completion_tokens for timing in self.timings)
        return (
            f"{figure(prompt, '')} prompt + {figure(written, '')} completion tokens, "
            f"first token after {figure(self._first_token_s, '.2f')} s, "
            f"{speed_text(decoding_speed(self.timings))} tokens/s"
        )

    @property
    def _first_token_s(self) -> float | None:
        return self.timings[0].time_to_first_token_s if self.timings else None


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def report_turn(session_id: str, events: Iterable[object]) -> ChatReport:
    """Consume the events of a turn and return a report. It has no messages; the caller adds them.

    Raises:
        ValueError: The turn did not end.
    """
    calls: list[ReportedCall] = []
    completions: list[CompletionEnded] = []
    ended: TurnEnded | None = None
    for event in events:
        if isinstance(event, CompletionEnded):
            completions.append(event)
        elif isinstance(event, ToolFinished):
            calls.append(_reported(event))
        elif isinstance(event, TurnEnded):
            ended = event
    if ended is None:
        raise ValueError("the turn did not end")
    if ended.reason is EndReason.CALLS_NOT_RUN:
        calls.extend(_unrun(call) for call in completions[-1].reading.calls)
    answered = ended.reason is EndReason.ANSWERED and completions
    return ChatReport(
        session_id=session_id,
        calls=tuple(calls),
        answer=_prose(completions[-1].reading.prose) if answered else None,
        ended=ended,
        timings=tuple(completion.generation.timing for completion in completions),
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

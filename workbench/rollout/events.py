"""The events of a turn, in order, for the page, the command line and recordings."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from typing import cast

from workbench.chat.figures import NONE
from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message
from workbench.hermes.prompt_writer import Prompt
from workbench.hermes.reading import ReadCall, Reading
from workbench.rollout.ports import EmittedToken, FinishReason, ToolRun
from workbench.rollout.sampling import Sampling
from workbench.toolspec.spec import canonical_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Token counts and times of one completion. A count is None if the engine does not report it."""

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    """Prompt tokens that a previous prompt had already evaluated."""
    completion_tokens: int | None = None
    """Length of the completion without the prefill."""
    time_to_first_token_s: float | None = None
    """Time from the request to the first token. None if there was no token."""
    seconds: float
    """Time from the request to the end of the completion."""
    evaluated_tokens: int | None = None
    """Prompt tokens that had to be evaluated."""

    @property
    def tokens_per_second(self) -> float | None:
        """Decoding speed after the first token. None if it is not known, or there are fewer than two tokens."""
        return decoding_speed([self])


def decoding_speed(timings: Iterable[Timing]) -> float | None:
    """Return tokens per second over all completions, measured after the first token of each.

    Returns None if a count is not known, or if no completion has two tokens.
    """
    tokens, seconds = 0, 0.0
    for timing in timings:
        if timing.completion_tokens is None or timing.time_to_first_token_s is None:
            return None
        tokens += max(timing.completion_tokens - 1, 0)
        seconds += timing.seconds - timing.time_to_first_token_s
    return tokens / seconds if tokens and seconds > 0 else None


def speed_text(tokens_per_second: float | None) -> str:
    """Write a speed with as many digits as it needs.

    >>> [speed_text(speed) for speed in (61.4, 9.96, 1.25, 0.04, None)]
    ['61', '10', '1.2', '0.04', '–']
    """
    if tokens_per_second is None:
        return NONE
    if tokens_per_second >= 9.95:
        return f"{tokens_per_second:.0f}"
    return f"{tokens_per_second:.1f}" if tokens_per_second >= 0.095 else f"{tokens_per_second:.1g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """Everything that produced a completion: the prompt, the settings and the engine."""

    prompt_text: str
    """The prompt, without the prefill."""
    is_exact: bool
    """True if the model received this text; False if a server rendered its own prompt."""
    prefill: str
    """The beginning of the completion that we wrote; part of the message's text. Empty if there was none."""
    sampling: Sampling
    tool_choice: str
    """The tool choice of this round: `none`, `auto`, `required` or the name of a tool."""
    finish_reason: FinishReason
    timing: Timing
    engine_name: str
    engine_fingerprint: str
    tools_fingerprint: str
    contract_fingerprint: str | None = None
    """Fingerprint of the contract. None if there was no contract or it was not recorded."""
    ephemeral: str = ""
    """The part of the system text that is never exported. Empty if there was none."""
    tokens: tuple[EmittedToken, ...] | None = None
    """The tokens that the model wrote, without the prefill. None if they were not requested or not reported."""
    findings: tuple[Finding, ...] = ()
    """Findings that are not part of the reading: a call that was not run, an answer that does not match its schema, a
    replaced character."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted:
    """A prompt was rendered and is sent to the engine."""

    number: int
    """Number of the round, from 1."""
    limit: int
    """Maximum number of rounds of the turn."""
    prompt: Prompt
    is_exact: bool
    """Whether the model receives exactly this text."""
    generation: Generation
    """The completion as it starts: without tokens, with finish reason `interrupted` until `CompletionEnded`."""
    findings: tuple[Finding, ...] = ()
    """Parts of the schemas that the grammar does not enforce. Their pointers refer to the tools' specs or to the
    schema of the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePositionChanged:
    """The request waits for others to finish; sent again each time its position changes."""

    place: int
    """Position in the queue; 1 is next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceArrived:
    """The next piece of the completion.

    The pieces of a round, joined, are its message as `workbench.hermes.written_out` writes it.
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionEnded:
    """The model's message of this round is complete."""

    message: Message
    """Role assistant. The text is byte for byte, including the prefill. Calls and thought are set only if a server sent
    them as separate fields."""
    reading: Reading
    generation: Generation
    problem: str = ""
    """What interrupted the completion, as a text for people. Empty if nothing did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished:
    """A call of this round has its result."""

    index: int
    """Index of the call in the reading's `calls`, from 0."""
    call: ReadCall
    run: ToolRun
    """The result. An unknown tool or wrong arguments give an error without running anything."""
    message: Message
    """Role tool: the result as the model will see it."""


class EndReason(StrEnum):
    """Why a turn ended."""

    ANSWERED = "answered"
    """The last completion contains no call."""
    CALLS_NOT_RUN = "calls-told"
    """The last completion contains calls, but calls are not run."""
    UNREADABLE = "unreadable"
    """The last completion contains a call that cannot be parsed, and no other call."""
    LENGTH = "length"
    """The last completion reached `max_tokens` or the end of the context."""
    ROUND_LIMIT = "round-limit"
    """The model still made calls in the last round allowed."""
    CANCELLED = "cancelled"
    """A person stopped it."""
    TIMEOUT = "timeout"
    """A time limit was reached."""
    INTERRUPTED = "interrupted"
    """The connection to the model's server broke or timed out, or the workbench was shut down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """The turn has ended; this is its last event."""

    reason: EndReason
    rounds: int
    """Number of completions."""
    problem: str = ""
    """What interrupted the last completion, as a text for people. Empty if nothing did."""


Event = RoundStarted | QueuePositionChanged | PieceArrived | CompletionEnded | ToolFinished | TurnEnded


def fingerprint(prompt: str, sampling: Sampling) -> str:
    """Return the SHA-256 (hex) of a prompt, prefill included, and its sampling settings."""
    return sha256(
        canonical_json({"prompt": prompt, "sampling": sampling_document(sampling)}).encode()
    ).hexdigest()


def sampling_document(sampling: Sampling) -> JsonObject:
    """Return the sampling settings as a JSON object."""
    return cast(JsonObject, asdict(sampling))


def recording_row(generation: Generation, message: Message) -> JsonObject:
    """Return one line of a recording: `fingerprint`, the request, and the answer as it was stored.

    `prompt` includes the prefill, so `text` is the completion without it.
    """
    prompt = generation.prompt_text + generation.prefill
    calls: list[JsonValue] = [
        {
            "name": call.name,
            "arguments": call.arguments if call.arguments_text is None else call.arguments_text,
        }
        for call in message.calls
    ]
    return {
        "fingerprint": fingerprint(prompt, generation.sampling),
        "prompt": prompt,
        "is_exact": generation.is_exact,
        "sampling": sampling_document(generation.sampling),
        "text": message.text.removeprefix(generation.prefill),
        "thought": message.thought,
        "calls": calls,
        "finish_reason": generation.finish_reason.value,
        "engine": generation.engine_name,
    }

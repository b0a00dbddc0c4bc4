"""The events of a turn in order, for the page, the command line and recordings."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from typing import cast

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
    """What one completion took."""

    prompt_tokens: int
    cached_tokens: int
    """Of these, already evaluated for a former prompt."""
    completion_tokens: int
    """Length of the completion, the prefill left out."""
    time_to_first_token_s: float
    """From the request to the first token."""
    seconds: float
    """From the request to the end."""
    evaluated_tokens: int | None = None
    """Of the prompt, the ones that were evaluated for it; None where the engine does not say."""

    @property
    def tokens_per_second(self) -> float:
        """Decoding speed behind the first token; 0 where there is too little to tell."""
        decoding_s = self.seconds - self.time_to_first_token_s
        return (
            (self.completion_tokens - 1) / decoding_s
            if self.completion_tokens > 1 and decoding_s > 0
            else 0.0
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """How a completion came to be."""

    prompt_text: str
    """What the engine was asked to go on from, the prefill not included."""
    is_exact: bool
    """True: the model got this text. False: a server rendered its own."""
    prefill: str
    """What we wrote as the completion's beginning; part of the message's text. Empty where the model was free."""
    sampling: Sampling
    """How tokens were chosen."""
    tool_choice: str
    """As it was for this round."""
    finish_reason: FinishReason
    timing: Timing
    engine_name: str
    engine_fingerprint: str
    tools_fingerprint: str
    contract_fingerprint: str | None = None
    """Tells the contract; None where there was none, or where it was not noted."""
    ephemeral: str = ""
    """The part of the prompt's system text that is never exported; empty where there was none."""
    tokens: tuple[EmittedToken, ...] | None = None
    """What the model wrote, token by token, the prefill left out; None where it was not asked for or told."""
    findings: tuple[Finding, ...] = ()
    """Told beside the reading's: a call that was not run, an answer that breaks its schema, a character replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted:
    """A prompt was rendered and goes to the engine."""

    number: int
    """From 1."""
    limit: int
    prompt: Prompt
    is_exact: bool
    """Whether the model gets just this text."""
    generation: Generation
    """How the completion begins: no token yet, and interrupted, unless `CompletionEnded` says otherwise."""
    findings: tuple[Finding, ...] = ()
    """What of the schemas the model is not held to; pointers lead into the tools' specs or the answer's schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePositionChanged:
    """The model serves others first; told again when the place changes."""

    place: int
    """1 is next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceArrived:
    """More of the completion; the pieces of a round join to its message, written out as one text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionEnded:
    """The model's message of this round is whole."""

    message: Message
    """Role assistant; the text byte for byte, prefill included; calls and thought where a server gave them apart."""
    reading: Reading
    generation: Generation
    problem: str = ""
    """What interrupted it, for a person; empty where nothing did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished:
    """A call of this round has its result."""

    index: int
    """Place of the call in the reading's `calls`, from 0."""
    call: ReadCall
    run: ToolRun
    """What came of it; an unknown tool or wrong arguments give an error result without a run."""
    message: Message
    """Role tool; what the model will see."""


class EndReason(StrEnum):
    """Why a turn ended."""

    ANSWERED = "answered"
    """The last completion calls nothing."""
    CALLS_NOT_RUN = "calls-told"
    """The last completion calls, and calls are not to be run."""
    UNREADABLE = "unreadable"
    """The last completion holds a call that cannot be read, and none that can."""
    LENGTH = "length"
    """The last completion was cut by `max_tokens` or the context."""
    ROUND_LIMIT = "round-limit"
    """The model still calls after the last round allowed."""
    CANCELLED = "cancelled"
    """A person stopped it."""
    INTERRUPTED = "interrupted"
    """The connection to the server broke or fell silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """Nothing more will come."""

    reason: EndReason
    rounds: int
    """Completions that were made."""
    problem: str = ""
    """What interrupted the last one, for a person; empty where nothing did."""


Event = RoundStarted | QueuePositionChanged | PieceArrived | CompletionEnded | ToolFinished | TurnEnded
"""Anything that happens in a turn."""


def fingerprint(prompt: str, sampling: Sampling) -> str:
    """SHA-256 (hex) of what an engine is asked.

    Args:
        prompt: The text to go on from, a prefill included.
        sampling: How tokens are chosen.
    """
    return sha256(
        canonical_json({"prompt": prompt, "sampling": sampling_document(sampling)}).encode()
    ).hexdigest()


def sampling_document(sampling: Sampling) -> JsonObject:
    """The fields of a sampling as JSON."""
    return cast(JsonObject, asdict(sampling))


def recording_row(generation: Generation, message: Message) -> JsonObject:
    """One line of a recording: `fingerprint`, the question, and the answer as it was kept.

    `text` is what came behind the `prefill`, which the question holds already.
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

"""What the loop needs of the world: an engine, a toolbox, a clock."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject
from workbench.chat.message import ToolCall, ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the next token is chosen."""

    temperature: float = 0.0
    """0 takes the likeliest token; above it, the higher the wilder."""
    top_p: float = 0.95
    """Keep the likeliest tokens that make up this share, from 0 to 1."""
    top_k: int = 40
    """Keep this many of the likeliest tokens; 0 keeps all."""
    min_p: float = 0.05
    """Drop tokens less likely than this share of the likeliest."""
    repeat_penalty: float = 1.0
    """Above 1 makes what already stands in the text less likely."""
    seed: int = 0
    """The same seed, prompt and model give the same text."""
    max_tokens: int = 256
    """A completion ends after this many tokens at the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A completion that must be JSON of a schema, then a closing text, then the end."""

    schema: JsonObject = field(hash=False)
    """JSON Schema of the payload."""
    closing: str
    """What follows the payload, byte for byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRequest:
    """What an engine is asked."""

    prompt: str
    """The exact text to go on from, control marks and all."""
    sampling: Sampling
    """How to choose tokens."""
    stop: tuple[str, ...] = ()
    """Texts that end the completion and are not part of it; the model's own end token always does."""
    constraint: Constraint | None = None
    """None leaves the model free."""


class FinishReason(StrEnum):
    """Why a completion ended."""

    STOP = "stop"
    """The model said so, or a stop text came."""
    LENGTH = "length"
    """`max_tokens` or the context was reached."""
    CANCELLED = "cancelled"
    """A person stopped it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one generation took, in tokens."""

    prompt_tokens: int
    """Length of the prompt."""
    cached_tokens: int
    """Of these, the ones that a former prompt had already evaluated."""
    completion_tokens: int
    """Length of what was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """One piece of a stream."""

    text: str = ""
    """What was added; may be empty while a character is incomplete."""
    finish_reason: FinishReason | None = None
    """None but for the last piece."""
    usage: Usage | None = None
    """None but for the last piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an engine can do."""

    has_exact_prompt: bool
    """True: the model gets our text. False: a server renders its own, and ours is a prediction."""
    has_grammar: bool
    """True: a `Constraint` is honoured."""


class Engine(Protocol):
    """A model that goes on from a text."""

    @property
    def name(self) -> str:
        """As a person names it: `embedded`, a path, `scripted:FILE`."""
        ...

    @property
    def fingerprint(self) -> str:
        """Tells one set of weights from another."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        ...

    @property
    def context_tokens(self) -> int:
        """Room for prompt and completion together."""
        ...

    def count_tokens(self, text: str) -> int:
        """Length of `text` in tokens, control marks counted as the single tokens they are."""
        ...

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """The completion in pieces; the last one has a finish reason and usage.

        Args:
            request: What to go on from, and how.
            is_cancelled: Asked before each token; True ends the stream within one token.

        Raises:
            EngineError: The model cannot be asked (see `workbench.errors`).
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """One tool, run once."""

    result: ToolResult
    """What the model will see."""
    milliseconds: float
    """From call to result."""
    rule: str | None = None
    """Which mock rule answered, such as `mock rule 2`; None where a handler ran or none could."""
    findings: tuple[Finding, ...] = ()
    """What was changed in the arguments before it ran, and what went wrong beside it."""


class Toolbox(Protocol):
    """Runs calls. It never raises: a tool that fails gives an error result."""

    def run(self, call: ToolCall) -> ToolRun:
        """The call's result as the model will see it."""
        ...

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """The results of one round's calls, in their order; the calls may run at the same time."""
        ...


class Approval(StrEnum):
    """A person's answer to a question about a call."""

    ONCE = "once"
    """This call may run."""
    SESSION = "session"
    """Calls of this kind may run as long as the session lasts."""
    ALWAYS = "always"
    """Calls of this kind may run from now on, in every session."""
    DENY = "deny"
    """It may not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalQuestion:
    """Whether a call may run."""

    call: ToolCall
    """The call."""
    reasons: tuple[str, ...]
    """What speaks against it, such as `recursive delete`; at least one."""


class Approver(Protocol):
    """Someone who can be asked. It never raises: no answer in time is a no."""

    def ask(self, question: ApprovalQuestion) -> Approval:
        """The answer; waits for it."""
        ...


class Clock(Protocol):
    """Tells how long things take."""

    def seconds(self) -> float:
        """A reading that only goes forward; differences are seconds."""
        ...

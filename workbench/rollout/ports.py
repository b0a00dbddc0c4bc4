"""The ports of the loop: an engine, a toolbox, an approver, a clock."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Conversation, ToolCall, ToolResult
from workbench.errors import BadInput
from workbench.rollout.sampling import Sampling
from workbench.toolspec.spec import OfferedTools


class ChoiceKind(StrEnum):
    """The four ways to ask for a call."""

    NONE = "none"
    """Tools stay in the prompt; a call is told, not run."""
    AUTO = "auto"
    """The model decides."""
    REQUIRED = "required"
    """The turn's first completion is a call of any offered tool."""
    NAMED = "named"
    """The turn's first completion is a call of one tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChoice:
    """When a call is asked for."""

    kind: ChoiceKind = ChoiceKind.AUTO
    tool: str | None = None
    """The tool's name where `kind` is `named`, else None."""

    def __str__(self) -> str:
        return self.tool or self.kind.value

    @property
    def is_forced(self) -> bool:
        """True where the first completion must be a call."""
        return self.kind in (ChoiceKind.REQUIRED, ChoiceKind.NAMED)


def parse_tool_choice(text: str, tools: OfferedTools) -> ToolChoice:
    """`none`, `auto`, `required` or an offered tool's name.

    Raises:
        BadInput: It is none of these, or a call is asked for and no tool is offered.
    """
    if text in (ChoiceKind.NONE, ChoiceKind.AUTO):
        return ToolChoice(kind=ChoiceKind(text))
    offered = ", ".join(tools.names) or "no tool is switched on"
    if text == ChoiceKind.REQUIRED:
        if not tools.specs:
            raise BadInput("tool choice", "'required' needs a tool to call", "switch a tool on")
        return ToolChoice(kind=ChoiceKind.REQUIRED)
    if text in tools.by_name:
        return ToolChoice(kind=ChoiceKind.NAMED, tool=text)
    raise BadInput("tool choice", f"no tool {text!r}", f"none, auto, required, or a tool: {offered}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A completion that must be JSON of a schema, then a closing text, then the end; or of a grammar."""

    schema: JsonObject = field(hash=False)
    """JSON Schema of the payload."""
    closing: str
    """What follows the payload, byte for byte."""
    grammar: str = ""
    """GBNF, rule `root`, of all that the model writes; stands for `schema` and `closing` where it is not empty."""
    trigger: str = ""
    """The model is free until it writes this; the grammar holds from behind it. Empty: from the first token."""
    between_blocks: str = ""
    """Parts what the grammar repeats: a block that says again what an earlier one said is left out, and the
    completion ends there. Empty where blocks may be alike, or there is only one."""


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
    conversation: Conversation | None = None
    """The same as messages, for a server that renders its own prompt; None where there is only the text."""
    tools: OfferedTools = OfferedTools()
    """What is offered, for a server that renders its own prompt."""
    tool_choice: ToolChoice = ToolChoice()
    """When a call is asked for, for a server that sees to it."""
    wants_logprobs: bool = False
    """True: deltas tell their tokens with log-probabilities, where the engine can."""

    @property
    def stop_texts(self) -> tuple[str, ...]:
        """All texts that end the completion: the request's and the sampling's."""
        return tuple(dict.fromkeys((*self.stop, *self.sampling.stop)))


class FinishReason(StrEnum):
    """Why a completion ended."""

    STOP = "stop"
    """The model said so, or a stop text came."""
    LENGTH = "length"
    """`max_tokens` or the context was reached."""
    CANCELLED = "cancelled"
    """A person stopped it."""
    INTERRUPTED = "interrupted"
    """The connection broke, the process ended or the engine failed while it was written; what came is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one generation took, in tokens."""

    prompt_tokens: int
    cached_tokens: int
    """Of these, the ones that a former prompt had already evaluated."""
    completion_tokens: int
    """Length of what was written."""
    evaluated_tokens: int | None = None
    """Of the prompt, the ones that were evaluated for it; None where the engine does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmittedToken:
    """One token that a model wrote."""

    id: int
    """Its number in the vocabulary; -1 where a server does not say."""
    text: str
    """What it added to the text; empty while a character is incomplete, and of an end mark."""
    logprob: float | None = None
    """Natural logarithm of its probability, by the model's own logits, before sampling; None where not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredCallPiece:
    """A stretch of a call that a server gives as structure, while it is written."""

    index: int
    """Place of the call among the calls of the completion, from 0."""
    name: str = ""
    """The tool's name; comes whole, with the first piece of the call."""
    arguments_text: str = ""
    """What was added to the arguments' JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """One piece of a stream."""

    text: str = ""
    """What was added; may be empty while a character is incomplete."""
    finish_reason: FinishReason | None = None
    """None but for the last piece."""
    usage: Usage | None = None
    """None but for the last piece."""
    tokens: tuple[EmittedToken, ...] = ()
    """The tokens behind `text`, where they were asked for and the engine can tell them."""
    thought: str = ""
    """Reasoning that was added, where a server keeps it apart from the text."""
    call_pieces: tuple[StructuredCallPiece, ...] = ()
    """What was added to calls that a server gives as structure; they stand in no text."""
    problem: str = ""
    """Of the last piece, where the finish reason is `interrupted`: what happened, for a person."""
    queue_position: int | None = None
    """Told while others are served first: 1 is next. None once the model is at work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an engine can do."""

    has_exact_prompt: bool
    """True: the model gets our text. False: a server renders its own, and ours is a prediction."""
    has_grammar: bool
    """True: a `Constraint` is honoured."""
    is_chat_only: bool = False
    """True: it takes `conversation`, `tools` and `tool_choice`, and no text to go on from."""
    writes_tools: bool = False
    """True: the server writes the offered tools into its prompt, so that the contract must not."""
    has_tokenizer: bool = True
    """False: `count_tokens` is an estimate."""
    takes_many: bool = False
    """True: several askers at once are served at the same time, and not one after the other."""
    is_one_at_a_time: bool = False
    """True: it holds the machine while it writes, and so do all others that say so; askers wait in one line."""


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
    arguments: JsonObject | None = field(default=None, hash=False)
    """What the tool was given, coerced to its schema; None where that is what the call says, or it did not run."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalQuestion:
    """Whether a call may run."""

    call: ToolCall
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


class Calendar(Protocol):
    """Tells the time of day, and how long things take."""

    def seconds(self) -> float:
        """A reading that only goes forward."""
        ...

    def now(self) -> datetime:
        """The moment, UTC."""
        ...

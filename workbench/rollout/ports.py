"""The ports of a rollout: engine, toolbox, approver and clock."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Conversation, ToolCall, ToolResult
from workbench.errors import BadInput
from workbench.rollout.sampling import Sampling
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.world.patches import WorldPatch


class ChoiceKind(StrEnum):
    """The four tool choices."""

    NONE = "none"
    """Tools stay in the prompt. A call is reported, but not run."""
    AUTO = "auto"
    """The model decides."""
    REQUIRED = "required"
    """The turn's first completion is a call of any offered tool."""
    NAMED = "named"
    """The turn's first completion is a call of one tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChoice:
    """Whether the model must call a tool, and which one."""

    kind: ChoiceKind = ChoiceKind.AUTO
    tool: str | None = None
    """The name of the tool if `kind` is `named`, otherwise None."""

    def __str__(self) -> str:
        return self.tool or self.kind.value

    @property
    def is_forced(self) -> bool:
        """True if the first completion must be a call."""
        return self.kind in (ChoiceKind.REQUIRED, ChoiceKind.NAMED)


def parse_tool_choice(text: str, tools: OfferedTools) -> ToolChoice:
    """Parse `none`, `auto`, `required` or the name of an offered tool.

    Raises:
        BadInput: The text is something else, or a call is required and no tool is offered.
    """
    if text in (ChoiceKind.NONE, ChoiceKind.AUTO):
        return ToolChoice(kind=ChoiceKind(text))
    if text == ChoiceKind.REQUIRED:
        if not tools.specs:
            raise BadInput("tool choice", "'required' needs at least one tool", "turn a tool on")
        return ToolChoice(kind=ChoiceKind.REQUIRED)
    if text in tools.by_name:
        return ToolChoice(kind=ChoiceKind.NAMED, tool=text)
    known = ", ".join(("none", "auto", "required", *tools.names))
    raise BadInput("tool choice", f"there is no tool {text!r}", f"use one of: {known}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """What a completion must match: JSON of a schema followed by a closing text, or a grammar."""

    schema: JsonObject = field(hash=False)
    """JSON Schema of the payload."""
    closing: str
    """The text after the payload, byte for byte."""
    grammar: str = ""
    """GBNF with the rule `root` for everything that the model writes. Empty to use `schema` and `closing`."""
    trigger: str = ""
    """Text after which the grammar applies; the model is free until it writes it. Empty if it applies at once."""
    between_blocks: str = ""
    """Separator of the blocks that the grammar repeats. A block that equals an earlier one is left out, and the
    completion ends there. Empty if blocks may be equal or there is only one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRequest:
    """A request for one completion."""

    prompt: str
    """The exact text to continue, including special tokens."""
    sampling: Sampling
    stop: tuple[str, ...] = ()
    """Stop texts: they end the completion and are not part of it. The model's own end token always ends it."""
    constraint: Constraint | None = None
    """None if the model may write anything."""
    conversation: Conversation | None = None
    """The prompt as messages, for a server that renders its own prompt. None if there is only the text."""
    tools: OfferedTools = OfferedTools()
    """The offered tools, for a server that renders its own prompt."""
    tool_choice: ToolChoice = ToolChoice()
    """The tool choice, for a server that applies it."""
    wants_logprobs: bool = False
    """True if deltas should include tokens with logprobs. Not every engine can."""
    top_logprobs: int = 0
    """How many of the most likely tokens each token should come with. Only with `wants_logprobs`."""
    unset_sampling: frozenset[str] = frozenset()
    """Names of sampling fields that nobody chose. A server uses its own defaults for them."""
    response_format: JsonObject | None = field(default=None, hash=False)
    """The format of the answer as OpenAI's protocol writes it, for a server that applies it. None if it is free."""
    server_messages: tuple[JsonObject, ...] | None = field(default=None, hash=False)
    """The messages as a client wrote them, for a server that renders its own prompt. None sends `conversation`."""
    server_fields: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Further fields of the request to a server, as they are."""
    retries: int | None = None
    """How often to ask a server again after a temporary failure. None leaves it to the engine."""
    call_mark: str = ""
    """What a call begins with, if the completion answers a user and may begin with one: a call threshold applies."""

    @property
    def stop_texts(self) -> tuple[str, ...]:
        """All stop texts, those of the request first, then those of the sampling settings."""
        return tuple(dict.fromkeys((*self.stop, *self.sampling.stop)))


class FinishReason(StrEnum):
    """Why a completion ended."""

    STOP = "stop"
    """The model wrote its end token or a stop text."""
    LENGTH = "length"
    """`max_tokens` or the context was reached."""
    CANCELLED = "cancelled"
    """A person stopped it."""
    TIMEOUT = "timeout"
    """The time limit of a suite's case, or of an unanswered question, was reached."""
    INTERRUPTED = "interrupted"
    """The connection broke, the process ended or the engine failed. The text so far is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts of one completion. A count is None if the engine does not report it."""

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    """Prompt tokens that a previous prompt had already evaluated."""
    completion_tokens: int | None = None
    evaluated_tokens: int | None = None
    """Prompt tokens that had to be evaluated."""


class LikelyToken(NamedTuple):
    """A token that a model could have written."""

    text: str
    logprob: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EmittedToken:
    """One token that a model wrote."""

    id: int
    """Token id in the vocabulary; -1 if a server does not report it."""
    text: str
    """The text that it added. Empty while a character is incomplete, and for an end token."""
    logprob: float | None = None
    """Natural logarithm of its probability by the model's logits, before sampling. None if not known."""
    likely: tuple[LikelyToken, ...] = ()
    """The most likely tokens in its place, the most likely one first. Empty if they were not requested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredCallPiece:
    """A piece of a call that a server sends as a structured field while the model writes it."""

    index: int
    """Index of the call among the calls of the completion, from 0."""
    name: str = ""
    """Name of the tool. Comes complete, with the first piece of the call."""
    arguments_text: str = ""
    """JSON text to append to the arguments."""
    id: str = ""
    """The server's id of the call. Comes with the name; empty if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """One piece of a stream."""

    text: str = ""
    """Text to append. May be empty while a character is incomplete."""
    finish_reason: FinishReason | None = None
    """Set in the last piece only."""
    usage: Usage | None = None
    """Set in the last piece only. None if the engine reports no counts."""
    tokens: tuple[EmittedToken, ...] = ()
    """The tokens of `text`, if they were requested and the engine reports them."""
    thought: str = ""
    """Reasoning to append, if a server sends it separately from the text."""
    call_pieces: tuple[StructuredCallPiece, ...] = ()
    """Pieces of calls that a server sends as structured fields. They are not part of `text`."""
    problem: str = ""
    """What happened, as a text for people. Set in the last piece if the finish reason is `interrupted`."""
    queue_position: int | None = None
    """Position in the queue while others are served; 1 is next. None once the model is working."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an engine can do."""

    has_exact_prompt: bool
    """True if the model receives our text; False if a server renders its own prompt and ours is a prediction."""
    has_grammar: bool
    """True if a `Constraint` is applied."""
    is_chat_only: bool = False
    """True if it takes `conversation`, `tools` and `tool_choice` and cannot continue a text."""
    writes_tools: bool = False
    """True if the server writes the offered tools into its prompt, so that the contract must not."""
    has_tokenizer: bool = True
    """False if `count_tokens` is an estimate."""
    takes_many: bool = False
    """True if it serves several requests at the same time."""
    call_threshold: float = 0.0
    """The call threshold of the model, used if the sampling settings give none; 0 if it has none."""
    own_width: int = 0
    """How many requests a model of this machine serves at the same time. All of them wait in one queue, because they
    share the machine. 0 for other models."""

    @property
    def is_server(self) -> bool:
        """Whether the model is on a server."""
        return self.is_chat_only or (self.takes_many and not self.own_width)


class Engine(Protocol):
    """A model that completes prompts."""

    @property
    def name(self) -> str:
        """The name that `--model` takes, such as `embedded`, a path or `scripted:FILE`."""
        ...

    @property
    def fingerprint(self) -> str:
        """A text that differs between different weights."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the engine can do."""
        ...

    @property
    def context_tokens(self) -> int:
        """Size of the context, which prompt and completion share; 0 if not known."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return the length of `text` in tokens. A special token in it counts as one token."""
        ...

    def generate(self, request: GenerationRequest, *, is_cancelled: Callable[[], bool]) -> Iterator[Delta]:
        """Yield the completion in pieces. The last one has a finish reason and usage.

        Args:
            request: The prompt and how to continue it.
            is_cancelled: Called before each token. The stream ends within one token once it returns True.

        Raises:
            EngineError: The model cannot be asked; see `workbench.errors`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """The outcome of one call."""

    result: ToolResult
    """The result that the model will see."""
    milliseconds: float
    """Time from the call to the result."""
    rule: str | None = None
    """What answered, such as `mock rule 2`, or why the call did not run. None if a handler ran."""
    findings: tuple[Finding, ...] = ()
    """Changes to the arguments before the run, and problems that did not stop it."""
    arguments: JsonObject | None = field(default=None, hash=False)
    """The arguments after coercion to the schema. None if they equal those of the call, or nothing ran."""
    world_patch: WorldPatch = field(default=(), hash=False)
    """What the call changed in the world of the session. Empty if it changed nothing."""
    is_world_fault: bool = False
    """True if the tool did not answer in time, or if its failure was planted: the model did nothing wrong."""


class Toolbox(Protocol):
    """Runs calls. It never raises: a tool that fails returns an error result."""

    def run(self, call: ToolCall) -> ToolRun:
        """Run one call and return its result as the model will see it."""
        ...

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """Run the calls of one round and yield their results in order. Calls may run at the same time."""
        ...


class Approval(StrEnum):
    """A person's answer to a question about a call."""

    ONCE = "once"
    """This call may run."""
    SESSION = "session"
    """Calls of this kind may run until the session ends."""
    ALWAYS = "always"
    """Calls of this kind may run from now on, in every session."""
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalQuestion:
    """Whether a call may run."""

    call: ToolCall
    reasons: tuple[str, ...]
    """Why the call needs approval, such as `recursive delete`. At least one."""


class Approver(Protocol):
    """Someone who approves or denies calls. It never raises: no answer in time means no."""

    def ask(self, question: ApprovalQuestion) -> Approval:
        """Wait for the answer and return it."""
        ...


class Clock(Protocol):
    """Measures time."""

    def seconds(self) -> float:
        """Return a time that never goes back, in seconds. Only differences have a meaning."""
        ...


class Calendar(Protocol):
    """Knows the time of day, and measures time."""

    def seconds(self) -> float:
        """Return a time that never goes back, in seconds. Only differences have a meaning."""
        ...

    def now(self) -> datetime:
        """Return the current time, in UTC."""
        ...

"""The result of parsing one completion: its segments, calls and findings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.chat.finding import Finding, Fix, Span
from workbench.chat.json_value import JsonValue


class Dialect(StrEnum):
    """The form of a call's body."""

    AUTO = "auto"
    """Either is expected; never the dialect of a call that was read."""
    JSON = "json"
    """`{"name": …, "arguments": …}`."""
    XML = "xml"
    """`<function=…><parameter=…>…`."""


class Level(StrEnum):
    """How much the reader may repair."""

    STRICT = "strict"
    """Nothing: a block that needs a fix gives no call."""
    TOLERANT = "tolerant"
    """Every fix inside tags."""
    LENIENT = "lenient"
    """As tolerant, and untagged calls of declared tools."""


class SegmentKind(StrEnum):
    """What a stretch of the completion is."""

    PROSE = "prose"
    """Text for the user."""
    THOUGHT = "thought"
    """Reasoning, with its tags."""
    CALL = "call"
    """One call block, with its tags, whether it could be read or not."""
    RESPONSE = "response"
    """What the model wrote behind its turn: a tool result of its own making, or text behind a stop mark."""
    UNCLOSED = "unclosed"
    """A block or thought that the end of the text cut off."""


class CallStatus(StrEnum):
    """Whether a call can be run."""

    READY = "ready"
    """The tool is offered and its schema holds, or no tools were given to check against."""
    INVALID_ARGUMENTS = "invalid-arguments"
    """The tool is offered; its schema does not hold."""
    UNKNOWN_TOOL = "unknown-tool"
    """No offered tool has this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of one kind. The segments of a reading cover its text without gap or overlap, in order."""

    kind: SegmentKind
    span: Span
    text: str
    """What stands there, byte for byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCall:
    """One call that could be read."""

    name: str
    """The tool's name, after fixes."""
    arguments: Mapping[str, JsonValue] = field(hash=False)
    """By parameter name, in the order written, after fixes."""
    payload: str
    """The call's body as the model wrote it, without tags; of an array's entry the whole array."""
    span: Span
    """The whole call block with its tags; calls of one block share it."""
    dialect: Dialect
    """The form in which it was written: json or xml."""
    status: CallStatus
    fixes: tuple[Fix, ...] = ()
    """The fixes of its block; calls of one block share them."""
    findings: tuple[Finding, ...] = ()
    """What is told of it: of its block, and of its own arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignForm:
    """A stretch of the completion that is a tool call in another model family's form."""

    dialect: str
    """A key of `workbench.hermes.dialects.known.DIALECTS`, for example `mistral`."""
    span: Span
    names: tuple[str, ...]
    """The tools that it calls, in order; empty if it could not be read."""
    is_read: bool
    """Whether its calls are among the calls of the reading, as they are at the lenient level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A pure function of the text, the offered tools, dialect, level, finish reason and whether it starts
    in a thought."""

    text: str
    """The completion, byte for byte."""
    segments: tuple[Segment, ...] = ()
    """In order; together they are the text."""
    calls: tuple[ReadCall, ...] = ()
    """In the order written, those of unknown tools too."""
    fixes: tuple[Fix, ...] = ()
    """In order of place: one a code and block. Their edits never overlap."""
    findings: tuple[Finding, ...] = ()
    """In order of place."""
    foreign: tuple[ForeignForm, ...] = ()
    """Calls in the form of other model families, in order, whether they were read or not."""
    dropped: int = 0
    """Number of call blocks that gave no call; a call of an unknown tool is not dropped."""

    @property
    def own_findings(self) -> tuple[Finding, ...]:
        """The findings except those that `foreign` explains in more detail."""
        explained = {form.span for form in self.foreign}
        return tuple(
            finding
            for finding in self.findings
            if finding.code != "foreign-dialect" or finding.span not in explained
        )

    @property
    def prose(self) -> tuple[str, ...]:
        """The text of each prose segment, byte for byte, blank ones too."""
        return tuple(segment.text for segment in self.segments if segment.kind is SegmentKind.PROSE)

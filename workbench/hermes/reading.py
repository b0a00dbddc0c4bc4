"""The result of parsing one completion: its segments, calls and findings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.chat.finding import Finding, Fix, Span
from workbench.chat.frozen_json import frozen
from workbench.chat.json_value import JsonValue


class Dialect(StrEnum):
    """The form of a call's body."""

    AUTO = "auto"
    """Both are accepted. A parsed call is always `json` or `xml`."""
    JSON = "json"
    """`{"name": …, "arguments": …}`."""
    XML = "xml"
    """`<function=…><parameter=…>…`."""


class Level(StrEnum):
    """How much the reader may repair."""

    STRICT = "strict"
    """No fixes. A block that needs a fix gives no call."""
    TOLERANT = "tolerant"
    """All fixes inside tags."""
    LENIENT = "lenient"
    """All fixes, and also calls of declared tools without tags."""


class SegmentKind(StrEnum):
    """What a part of the completion is."""

    PROSE = "prose"
    """Text for the user."""
    THOUGHT = "thought"
    """Reasoning, with its tags."""
    CALL = "call"
    """A call block with its tags, whether or not it could be parsed."""
    RESPONSE = "response"
    """What the model wrote after its turn: a tool result that it made up, or text after a stop token."""
    UNCLOSED = "unclosed"
    """A block or thought that is cut off by the end of the text."""


class CallStatus(StrEnum):
    """Whether a call can be run."""

    READY = "ready"
    """The tool is offered and the arguments fit its schema, or there were no tools to check against."""
    INVALID_ARGUMENTS = "invalid-arguments"
    """The tool is offered, but the arguments do not fit its schema."""
    UNKNOWN_TOOL = "unknown-tool"
    """No offered tool has this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of the completion. The segments of a reading cover its text in order, without gaps or overlaps."""

    kind: SegmentKind
    span: Span
    text: str
    """The text at `span`, byte for byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCall:
    """One call that could be parsed."""

    name: str
    """The tool's name, after fixes."""
    arguments: Mapping[str, JsonValue] = field(hash=False)
    """By parameter name, in the order written, after fixes."""
    payload: str
    """The call's body as the model wrote it, without tags. For an entry of an array, the whole array."""
    span: Span
    """The whole call block with its tags. Calls of one block share it."""
    dialect: Dialect
    """The form of the body: json or xml."""
    status: CallStatus
    unconverted: Mapping[str, JsonValue] | None = field(default=None, hash=False)
    """The arguments before `coerced-by-schema` converted values in them. None if it converted none."""
    others: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], hash=False)
    """Members of the call beside its name and arguments that are not read, each reported as `unknown-member`."""
    fixes: tuple[Fix, ...] = ()
    """The fixes of its block. Calls of one block share them."""
    findings: tuple[Finding, ...] = ()
    """The findings of its block and of its own arguments."""

    def __post_init__(self) -> None:
        """Freeze the values, which the reader made as plain ones."""
        for name in ("arguments", "unconverted", "others"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignForm:
    """A part of the completion that is a tool call in another model family's format."""

    dialect: str
    """A key of `workbench.hermes.dialects.known.DIALECTS`, for example `mistral`."""
    span: Span
    names: tuple[str, ...]
    """The tools that it calls, in order; empty if it could not be read."""
    is_read: bool
    """Whether its calls are among the calls of the reading, as they are at the lenient level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the reader made of a completion.

    It depends only on the text, the offered tools, the dialect, the level, the finish reason and whether the completion
    starts in a thought.
    """

    text: str
    """The completion, byte for byte."""
    segments: tuple[Segment, ...] = ()
    """Sorted by position. Together they are the whole text."""
    calls: tuple[ReadCall, ...] = ()
    """In the order written, including calls of unknown tools."""
    fixes: tuple[Fix, ...] = ()
    """Sorted by position, one per code and block. Their edits never overlap."""
    findings: tuple[Finding, ...] = ()
    """Sorted by position."""
    foreign: tuple[ForeignForm, ...] = ()
    """Calls in the format of other model families, sorted by position, whether or not they were read."""
    dropped: int = 0
    """Number of call blocks that gave no call. A call of an unknown tool does not count as dropped."""

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
        """The text of each prose segment, byte for byte, including blank ones."""
        return tuple(segment.text for segment in self.segments if segment.kind is SegmentKind.PROSE)

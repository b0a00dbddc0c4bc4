"""A training row as it is in its file: every part with its position, unchanged and unjudged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from workbench.chat.finding import Severity, Span
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools, ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFinding:
    """One thing that was noticed about a row."""

    code: str
    """Stable word from `docs/reference/formats.md`."""
    message: str
    """What is wrong, where, and what to do; under 100 characters, names in `!r`."""
    severity: Severity = Severity.ERROR
    """Error: a trainer must not have the row. Warning: it may. Note: nothing is wrong."""
    entry: int | None = None
    """Place in the row's conversation, from 0; None where the whole row is meant."""
    pointer: str = ""
    """JSON pointer into the row; empty for the row itself."""

    def document(self) -> JsonObject:
        """As JSON, the way the API and `workbench check --json` print it."""
        return {
            "entry": self.entry,
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "pointer": self.pointer,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryCall:
    """A call that the row gives as structure, or in a spelling that is not Hermes'."""

    name: str
    """The tool's name; empty where the row names none."""
    arguments: JsonObject | None = field(hash=False)
    """By parameter name, in the order written; None where they are no object, or cannot be read."""
    arguments_text: str | None = None
    """Byte for byte where the row gives them as a text of JSON; None where as an object."""
    id: str | None = None
    """What ties a result to it; None where the row has none."""
    pointer: str
    """Of the call, into the row."""
    arguments_pointer: str
    """Of the arguments, into the row; that of the call where both stand in one text."""
    problem: str = ""
    """Why arguments or call cannot be read; empty where they can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryResult:
    """One result of a tool."""

    text: str
    """Byte for byte, without wrapper; JSON where the row gives a value."""
    id: str | None = None
    """Of the call that it answers; None where the row has none."""
    name: str | None = None
    """The tool's; None where the row has none."""
    pointer: str
    """Of the text in which it stands, into the row."""
    span: Span | None = None
    """Where, in that text, with its wrapper; None where it is the whole text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowEntry:
    """One entry of the row's conversation."""

    place: int
    """In the row's own list, from 0; entries of a rejected answer count on behind the others. -1 for a system
    text in a column of its own."""
    pointer: str
    role: Role | None
    """Whose; `tool` also of results that stand in a user's entry. None where the row's word is unknown."""
    speaker: str
    """The row's own word for it, such as `gpt`, `observation` or `assistant`."""
    text: str
    """Byte for byte; empty where the row has none. Of results in wrappers, with the wrappers."""
    text_pointer: str
    text_start: int = 0
    """Where it begins in the text at `text_pointer`; not 0 where one text holds several entries."""
    thought: str | None = None
    """Reasoning that the row gives apart from the text; None where there is none or the text holds it."""
    calls: tuple[EntryCall, ...] = ()
    """Calls apart from the text, in order. Those inside `text` are for `hermes.parse` to read."""
    results: tuple[EntryResult, ...] = ()
    """Of a tool's entry, in order; one entry may hold several."""
    is_trained: bool | None = None
    """Whether the row says that the loss counts it; None where it says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """Tools, where a row declares them."""

    specs: tuple[ToolSpec, ...]
    """In order, doubles too; bare functions are wrapped."""
    place: Literal["column", "system"]
    """In a column of their own, or within `<tools>` in the system text."""
    pointer: str
    """Of the column or of the system text."""
    span: Span | None = None
    """Of what stands between the tags, in the system text; None for a column."""
    is_text: bool
    """True: a text of JSON or of Python, as Arrow's users need it. False: a list."""
    is_bare: bool
    """True: functions without `{"type": "function", …}` around them."""


@dataclass(frozen=True, kw_only=True)
class TrainingRow:
    """One row of one format."""

    format: str
    fields: JsonObject = field(hash=False)
    """The whole row as it came; all pointers lead into it."""
    entries: tuple[RowEntry, ...]
    """The conversation in order; of a preference row the prompt and the chosen answer."""
    spells_calls: bool = False
    """True: calls and thoughts stand inside the texts, in Hermes' tags. False: apart, and the text is prose."""
    rejected: tuple[RowEntry, ...] = ()
    """The answer that was not chosen, behind the same prompt."""
    answer_start: int | None = None
    """Place of the answer's first entry where the format parts prompt and answer; None where it does not."""
    label: bool | None = None
    """Whether the answer was good; None where the format does not say."""
    declarations: tuple[Declaration, ...] = ()
    """Where tools are declared: the column first, then the system texts in order."""
    columns: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], hash=False)
    """What the format itself does not use (id, source, metadata, …), in the order of the row."""
    findings: tuple[RowFinding, ...] = ()
    """What kept parts of the row from being read."""

    @cached_property
    def tools(self) -> OfferedTools:
        """The tools of the first declaration; of doubles the first."""
        specs = self.declarations[0].specs if self.declarations else ()
        by_name = {spec.name: spec for spec in reversed(specs)}
        return OfferedTools(specs=tuple(spec for spec in specs if by_name.get(spec.name) is spec))

    @property
    def all_entries(self) -> tuple[RowEntry, ...]:
        """The entries, then the rejected ones, in order of place."""
        return self.entries + self.rejected

"""A training row as it is in its file: every part with its position, unchanged and not validated."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from workbench.chat.cached import lockless_cached_property
from workbench.chat.finding import Severity, Span
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.chat.value_class import value_class
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.writing.row_draft import ConversionChange


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFinding:
    """A problem or a note about a row."""

    code: str
    """Stable code; see `docs/reference/row-codes.md` and `docs/reference/formats.md`."""
    message: str
    """What is wrong, where, and what to do. Under 100 characters, with names in quotes."""
    severity: Severity = Severity.ERROR
    """Error: the row must not be trained on. Warning: check it first. Note: nothing is wrong."""
    entry: int | None = None
    """Index in the row's conversation, from 0; None if the finding is about the whole row."""
    pointer: str = ""
    """JSON pointer into the row; empty for the row itself. For `schema-…` codes, into the call's arguments."""
    call: int | None = None
    """Index of the call in its entry, from 0; None if the finding is not about one call."""
    call_pointer: str = ""
    """JSON pointer to that call, or to the text that contains it; empty if there is no such call."""

    def document(self) -> JsonObject:
        """Return the finding as JSON, as the API and `workbench check --json` print it."""
        call: JsonObject = {} if self.call is None else {"call": self.call, "call_pointer": self.call_pointer}
        return {
            "entry": self.entry,
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "pointer": self.pointer,
            **call,
        }


NO_ARGUMENTS: Final = "the call has no arguments; write {} for none"
"""The problem of a call without arguments."""
BARE: Final = "missing-arguments"
"""The reader's code for reading such a call as one with `{}`."""


def is_blank(arguments: JsonValue) -> bool:
    """Whether there are no arguments: null, or the blank text that some servers write instead of `{}`.

    Both may be written again, as JSON or Python inside a text.

    >>> is_blank(None), is_blank(" "), is_blank("null"), is_blank("{}"), is_blank({})
    (True, True, True, False, False)
    """
    return arguments is None or (isinstance(arguments, str) and arguments.strip() in _BLANKS)


_BLANKS: Final = frozenset({"", "null", "None", '""', "''"})


@value_class
class EntryCall:
    """A tool call that the row holds as a JSON value, or in a syntax other than Hermes'."""

    name: str
    """The tool's name; empty if the row gives none."""
    arguments: JsonObject | None = field(hash=False)
    """By parameter name, in the order written; None if they are not an object or cannot be parsed."""
    arguments_text: str | None = None
    """The arguments byte for byte if the row has them as JSON text; None if it has them as an object."""
    id: str | None = None
    """The call's id, which its result repeats; None if the row has none."""
    pointer: str
    """JSON pointer to the call."""
    arguments_pointer: str
    """JSON pointer to the arguments; the same as `pointer` if call and arguments are in one text."""
    problem: str = ""
    """Why the call or its arguments cannot be parsed; empty if they can."""
    is_bare: bool = False
    """Whether its only problem is that it has no arguments: they are missing, null or a blank text."""
    fixes: tuple[str, ...] = ()
    """Codes of the fixes that were needed to parse the call; empty if it is written as the format requires."""
    others: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Members beside the name, the arguments and the id that are not null."""

    @property
    def is_text(self) -> bool:
        """Whether the row has the arguments as JSON text, alone or together with the call."""
        return self.arguments_text is not None or self.arguments_pointer == self.pointer

    def needs_none(self, tools: OfferedTools) -> bool:
        """Whether it has no arguments and its tool requires none, so that `{}` is meant."""
        spec = tools.by_name.get(self.name) if self.is_bare else None
        return spec is not None and not spec.required

    @classmethod
    def in_text(
        cls,
        pointer: str,
        name: str = "",
        arguments: JsonObject | None = None,
        *,
        problem: str = "",
        is_bare: bool = False,
        fixes: tuple[str, ...] = (),
        others: JsonObject | None = None,
    ) -> "EntryCall":
        """Return a call that is in one text with its arguments; `pointer` leads to this text."""
        return cls(
            name=name,
            arguments=arguments,
            pointer=pointer,
            arguments_pointer=pointer,
            problem=problem,
            is_bare=is_bare,
            fixes=fixes,
            others=others or {},
        )


@value_class
class EntryResult:
    """One tool result."""

    text: str
    """Byte for byte, without `<tool_response>` tags; written as JSON if the row holds a JSON value."""
    envelope: str | None = None
    """The record that holds the result, its id and its name, byte for byte; None if the row has no such record."""
    id: str | None = None
    """Id of the call that it answers; None if the row has none."""
    name: str | None = None
    """The tool's name; None if the row has none."""
    pointer: str
    """JSON pointer to the text that holds the result."""
    span: Span | None = None
    """Position in that text, including the tags; None if the result is the whole text."""
    others: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Members of the result's record that no reader uses and that are not null, in order."""
    is_item: bool = False
    """Whether it is an item of a JSON list of the results of parallel calls."""


@value_class
class RowEntry:
    """One entry of the row's conversation."""

    place: int
    """Index in the row's conversation, from 0; entries of a rejected answer are numbered after the others.
    -1 for a system text in a separate column."""
    pointer: str
    role: Role | None
    """Who speaks; `tool` also for results in a user's entry. None if the row's word for it is unknown."""
    speaker: str
    """The row's own word for the role, such as `gpt`, `observation` or `assistant`."""
    text: str
    """Byte for byte, including the tags of calls and results; empty if the row has none."""
    text_pointer: str
    text_start: int = 0
    """Where the entry begins in the text at `text_pointer`; not 0 if one text holds several entries."""
    thought: str | None = None
    """Reasoning in a separate key; None if there is none or if it is inside the text."""
    calls: tuple[EntryCall, ...] = ()
    """Calls outside the text, in order. Calls inside `text` are parsed by `hermes.parse`."""
    tagged_text: str | None = None
    """The message as one text with its calls in Hermes' tags, if a call cannot be parsed as the format requires.
    Such a call is in it byte for byte. None if all calls can be parsed."""
    results: tuple[EntryResult, ...] = ()
    """Results of a tool's entry, in order; one entry may hold several."""
    is_trained: bool | None = None
    """Whether the loss counts the entry, as the row says; None if it says nothing."""
    others: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Members of the entry that no reader uses and that are not null, in order."""


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """The tools that a row declares in one place. Rows that declare them in the same words share it."""

    specs: tuple[ToolSpec, ...]
    """In order, duplicates included; bare functions are wrapped in `{"type": "function", …}`."""
    place: Literal["column", "system"]
    """`column`: in a separate column. `system`: within `<tools>` in the system text."""
    pointer: str
    """JSON pointer to the column or to the system text."""
    span: Span | None = None
    """What is between the tags, in the system text; None for a column."""
    is_text: bool
    """True: JSON or Python as text, as Arrow's users need it. False: a list."""
    is_bare: bool
    """True: functions without `{"type": "function", …}` around them."""

    @lockless_cached_property
    def tools(self) -> OfferedTools:
        """The declared tools. If a name is declared twice, the first one counts."""
        by_name = {spec.name: spec for spec in reversed(self.specs)}
        return OfferedTools(specs=tuple(spec for spec in self.specs if by_name.get(spec.name) is spec))


_NO_TOOLS: Final = OfferedTools()


@dataclass(frozen=True, kw_only=True)
class TrainingRow:
    """One row, read as one format."""

    format: str
    fields: JsonObject = field(hash=False)
    """The whole row, unchanged; all pointers refer to it."""
    entries: tuple[RowEntry, ...]
    """The conversation in order; for a preference row, the prompt and the chosen answer."""
    spells_calls: bool = False
    """True: calls and thoughts are inside the texts, in Hermes' tags. False: separate, and the text is prose."""
    fills_thoughts: bool = False
    """True: every message of the model has a thought, which is empty if there was none and then says nothing."""
    rejected: tuple[RowEntry, ...] = ()
    """The answer that was not chosen, to the same prompt."""
    answer_start: int | None = None
    """Index of the answer's first entry if the format separates prompt and answer; otherwise None."""
    label: bool | None = None
    """Whether the answer is good; None if the format does not say."""
    declarations: tuple[Declaration, ...] = ()
    """The declarations of tools: the column first, then the system texts in order."""
    columns: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], hash=False)
    """Columns that the format itself does not use (id, source, metadata, …), in the order of the row."""
    findings: tuple[RowFinding, ...] = ()
    """Problems that kept parts of the row from being read."""
    changes: tuple[ConversionChange, ...] = ()
    """What reading changed, such as schemas that were converted to JSON Schema."""

    @property
    def tools(self) -> OfferedTools:
        """The tools of the first declaration."""
        return self.declarations[0].tools if self.declarations else _NO_TOOLS

    @property
    def bad_from(self) -> int:
        """Index of the first entry of an answer that is labelled as bad, whose calls may be wrong on purpose."""
        return self.answer_start if self.label is False and self.answer_start is not None else sys.maxsize

    @property
    def all_entries(self) -> tuple[RowEntry, ...]:
        """The entries, then the rejected ones."""
        return self.entries + self.rejected

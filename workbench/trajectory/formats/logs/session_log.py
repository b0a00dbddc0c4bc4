"""A session of an agent as a log: one file whose lines are events, read as one row.

Such a row has the key `traces` with the lines of the file, like datasets of sessions on the Hugging Face Hub. The item
with index 0 is line 1, so a pointer into the row names the line. An object is an event, a text is a line that is not
JSON, and null is a line that is blank or belongs to another session of the same file.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue, loads_fast
from workbench.chat.short_text import shortened
from workbench.trajectory.formats.openai import OPENAI
from workbench.trajectory.formats.shared.message_builder import BuiltMessage, view_of
from workbench.trajectory.formats.shared.views import read_view
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.writing.row_draft import ConversionChange, Loss

TRACES: Final = "traces"
"""Key of the lines of a log."""
_EMPTY: Final[tuple[JsonValue, ...]] = (None, "", {}, [])
"""Values that say nothing: some agents always write the member."""
_MOST_LINES: Final = 4
"""Lines that a finding lists."""


def is_log(row: JsonObject, begins: Callable[[JsonObject], bool]) -> bool:
    """Whether a row is a log whose first event is of this kind."""
    lines = row.get(TRACES)
    if not isinstance(lines, list):
        return False
    first = next((event for event in map(_event, lines) if event is not None), None)
    return first is not None and begins(first)


def _event(line: JsonValue) -> JsonObject | None:
    """Return the event on a line; None if it is damaged. Parquet holds events of several kinds as JSON texts."""
    if isinstance(line, str) and line.startswith("{"):
        try:
            line = loads_fast(line)
        except (ValueError, RecursionError):
            return None
    return line if isinstance(line, Mapping) else None


class Event(NamedTuple):
    """One event of a log."""

    line: int
    """From 1."""
    fields: JsonObject

    @property
    def kind(self) -> str:
        """Its type; empty if it has none."""
        kind = self.fields.get("type")
        return kind if isinstance(kind, str) else ""

    @property
    def pointer(self) -> str:
        """JSON pointer into the row."""
        return f"/{TRACES}/{self.line - 1}"


@dataclass(slots=True)
class LogReading:
    """Reads the events of a log as chat messages, and collects what is reported about them."""

    row: JsonObject
    events: list[Event] = field(default_factory=list[Event])
    messages: list[BuiltMessage] = field(default_factory=list[BuiltMessage])
    columns: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """What the log says about the session."""
    tools: JsonValue = None
    """The tools as chat APIs declare them; None if the log does not list them."""
    unread: set[str] = field(default_factory=set[str])
    """Names of members of events that the row has no place for."""
    _lines: dict[tuple[str, str], list[int]] = field(default_factory=dict[tuple[str, str], list[int]])

    def __post_init__(self) -> None:
        """Read the lines of the row."""
        lines = self.row.get(TRACES)
        for number, line in enumerate(lines if isinstance(lines, list) else (), start=1):
            if (event := _event(line)) is not None:
                self.events.append(Event(number, event))
            elif line is not None:
                self.report("log-line", "not a JSON object, so it is not read", number)

    def report(self, code: str, message: str, line: int) -> None:
        """Report a line. Lines with the same message become one finding."""
        self._lines.setdefault((code, message), []).append(line)

    def unknown(self, event: Event, kind: str) -> None:
        """Report an event whose kind this reader does not know."""
        self.report("log-event", f"events of the unknown kind {kind!r:.40} are not read", event.line)

    def column(self, name: str, value: JsonValue) -> None:
        """Set a column to the first value that the log gives it."""
        if value not in _EMPTY:
            self.columns.setdefault(name, value)

    def add_unread(self, fields: JsonObject, read: Collection[str]) -> None:
        """Report the members that are neither read nor the value of a column. Empty ones say nothing."""
        self.unread |= {
            key
            for key, value in fields.items()
            if key not in read and value not in _EMPTY and value != self.columns.get(key)
        }

    def last_of(self, role: str) -> BuiltMessage | None:
        """Return the last message if it is of this role."""
        last = self.messages[-1] if self.messages else None
        return last if last is not None and last.fields.get("role") == role else None

    def finished(self, format_name: str) -> TrainingRow:
        """Return the row."""
        rest = {key: value for key, value in self.row.items() if key != TRACES}
        lists = {"messages": self.messages}
        view = view_of({"tools": self.tools}, lists, columns={**rest, **self.columns})
        row = read_view(self.row, format_name, view, OPENAI.read)
        findings, lost = list(row.findings), list[ConversionChange]()
        for (code, message), lines in self._lines.items():
            lost.append(ConversionChange(code=Loss.LOG_EVENTS, detail=f"{message}: {_listed(lines)}"))
            findings.append(_finding(code, lost[-1].detail, line=lines[0]))
        if self.unread:
            names = ", ".join(sorted(self.unread))
            note = f"members of events that are not read: {names}"
            findings.append(_finding("log-members", note, Severity.NOTE))
            lost += [ConversionChange(code=Loss.ENTRY_KEYS, detail=name) for name in sorted(self.unread)]
        if not row.entries:
            findings.append(_finding("missing-field", "the session has no messages", Severity.ERROR))
        elif not row.declarations:
            unlisted = "the log does not list the tools; add them to the row"
            findings.append(_finding("tools-unlisted", unlisted))
        return replace(row, findings=tuple(findings), changes=(*row.changes, *lost))


def _listed(lines: list[int]) -> str:
    """Return lines for a message, such as `lines 3, 5, 8, …, 9 (5 in all)`."""
    if len(lines) == 1:
        return f"line {lines[0]}"
    if len(lines) <= _MOST_LINES:
        return "lines " + ", ".join(map(str, lines))
    return f"lines {', '.join(map(str, lines[: _MOST_LINES - 1]))}, …, {lines[-1]} ({len(lines):,} in all)"


def _finding(code: str, message: str, severity: Severity = Severity.WARNING, line: int = 1) -> RowFinding:
    pointer = f"/{TRACES}/{line - 1}"
    return RowFinding(code=code, message=shortened(message), severity=severity, pointer=pointer)

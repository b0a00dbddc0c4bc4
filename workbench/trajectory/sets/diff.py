"""Compare two sets of rows by what they mean: match the rows, and find what changed in two rows.

Rows are compared as trajectories, so that a row and its conversion to another format are equal. What formats write in
their own way does not count: ids of calls, white space around texts, records around results, the order of keys, and a
list of the tools in the system text. Columns are compared if both rows have the same format, because each format adds
columns of its own.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.chat.sequence_match import BoundedMatcher
from workbench.hermes.spelling.tools import template_json
from workbench.toolspec.spec import canonical_json
from workbench.trajectory.mask import is_counted
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.sets.row_index import Rows
from workbench.trajectory.sets.stats import RowStats, describe_distribution
from workbench.trajectory.trajectory import RowMessage

Hashes = NDArray[np.uint64]


class ChangeKind(StrEnum):
    """What happened to a part of a row."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class PartChange(NamedTuple):
    """A change of a part of a row. Values are JSON: texts of messages, names of tools, arguments, specs."""

    kind: ChangeKind
    part: str
    """`message`, `text`, `thought`, `call`, `tool-name`, `argument`, `result`, `loss-mask`, `tool`, `label`, `column`
    or `keys`."""
    answer: str
    """`rejected` for the answer that was not chosen; otherwise empty."""
    message: int | None
    """Index of the message, from 0: in the second row, or in the first one if it was removed. None for the row."""
    call: int | None
    """Index of the call in its message, from 0; None if the change is not in a call."""
    name: str
    """The argument, tool, column or role; empty if there is none."""
    before: JsonValue
    after: JsonValue

    def document(self) -> JsonObject:
        """Return the change as JSON, without what does not apply to it."""
        fields = {key: value for key, value in self._asdict().items() if value not in (None, "")}
        return {**fields, "before": self.before, "after": self.after}


class ComparedRow(NamedTuple):
    """A row in the form that is compared."""

    format: str
    messages: tuple[JsonObject, ...]
    rejected: tuple[JsonObject, ...]
    tools: Mapping[str, JsonValue]
    """The functions by name."""
    label: bool | None
    columns: Mapping[str, JsonValue]


def compared(row: TrainingRow) -> ComparedRow:
    """Return a row in the form that is compared."""
    trajectory = read_trajectory(row).trajectory
    return ComparedRow(
        format=row.format,
        messages=tuple(_messages(trajectory.messages)),
        rejected=tuple(_messages(trajectory.rejected)),
        tools={spec.name: {**spec.function} for spec in trajectory.tools.specs},
        label=trajectory.label,
        columns=trajectory.columns,
    )


def _messages(messages: Iterable[RowMessage]) -> Iterator[JsonObject]:
    for message in messages:
        text = "\n".join(part.text.strip() for part in message.prose) if message.result is None else ""
        if message.role is Role.SYSTEM and not text:
            continue  # It held nothing but the tools.
        given: dict[str, JsonValue] = {
            "role": str(message.role),
            "text": text,
            "thought": "\n".join(part.text.strip() for part in message.thoughts),
            "calls": [
                {"name": call.name, "arguments": call.arguments, "keys": call.others}
                for call in message.calls
            ],
            "result": message.result.text.strip() if message.result else None,
            "trained": is_counted(message),
            "keys": dict(message.others),
        }
        yield given


class RowKey(NamedTuple):
    """Hashes of 64 bits by which rows are matched; 0 if a row does not have the thing."""

    id: int
    content: int
    """Of all that is compared except columns."""
    columns: int
    beginning: int
    """Of the texts up to the first user message."""
    format: int


def key_of(row: ComparedRow, row_id: str) -> RowKey:
    """Return the hashes of a row.

    Args:
        row: The row.
        row_id: Its own id; empty if it has none.
    """
    beginning: list[JsonValue] = []
    for message in row.messages:
        beginning.append(message["text"])
        if message["role"] == Role.USER:
            break
    return RowKey(
        _hash(row_id) if row_id else 0,
        _hash([[*row.messages], [*row.rejected], {**row.tools}, row.label]),
        _hash({**row.columns}),
        _hash(beginning) if beginning else 0,
        _hash(row.format),
    )


def key_of_unreadable(line: bytes) -> RowKey:
    """Return the hashes of a row that cannot be read: only equal bytes are equal."""
    return RowKey(0, _hash(line.decode("utf-8", "replace").strip()), 0, 0, 0)


def _hash(value: JsonValue) -> int:
    text = canonical_json(value).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") or 1


@dataclass(slots=True)
class RowKeys:
    """The keys of all rows of a set, 40 bytes each."""

    ids: "array[int]" = field(default_factory=lambda: array("Q"))
    contents: "array[int]" = field(default_factory=lambda: array("Q"))
    columns: "array[int]" = field(default_factory=lambda: array("Q"))
    beginnings: "array[int]" = field(default_factory=lambda: array("Q"))
    formats: "array[int]" = field(default_factory=lambda: array("Q"))

    def append(self, key: RowKey) -> None:
        """Add the key of the next row."""
        self.ids.append(key.id)
        self.contents.append(key.content)
        self.columns.append(key.columns)
        self.beginnings.append(key.beginning)
        self.formats.append(key.format)


class Matches(NamedTuple):
    """Which rows of two sets belong together, as indexes of rows from 0."""

    before: Rows
    """Rows of the first set that have a partner, in the order of the second set."""
    after: Rows
    """Their partners."""
    is_changed: NDArray[np.bool_]
    """For each pair, whether the rows are different."""
    removed: Rows
    added: Rows


def match_rows(before: RowKeys, after: RowKeys) -> Matches:
    """Match rows by their id, then by equal content, then by an equal beginning that no other remaining row has.

    Of several rows with the same id or content, the first ones belong together, then the second ones, and so on.
    """
    left, right = np.arange(len(before.ids)), np.arange(len(after.ids))
    partners = np.full(len(right), -1, dtype=np.int64)
    for name, is_unique in (("ids", False), ("contents", False), ("beginnings", True)):
        first, second = np.array(getattr(before, name))[left], np.array(getattr(after, name))[right]
        places, others = _equal_places(first, second, is_unique=is_unique)
        partners[right[others]] = left[places]
        left, right = np.delete(left, places), np.delete(right, others)
    matched = np.flatnonzero(partners >= 0)
    pairs = partners[matched], matched
    differs = {
        name: np.array(getattr(before, name))[pairs[0]] != np.array(getattr(after, name))[pairs[1]]
        for name in ("contents", "columns", "formats")
    }
    is_changed = differs["contents"] | (differs["columns"] & ~differs["formats"])
    return Matches(*pairs, is_changed, left, right)


def _equal_places(first: Hashes, second: Hashes, *, is_unique: bool) -> tuple[Rows, Rows]:
    """Return the places of equal values, each place once. The value 0 equals nothing.

    Equal values are numbered on each side, so that value and number together are different for each place.
    """
    _, groups = np.unique(np.concatenate((first, second)), return_inverse=True)
    sides = groups[: len(first)], groups[len(first) :]
    numbers = [_numbered(side) for side in sides]
    width = max((int(number.max()) + 1 for number in numbers if len(number)), default=1)
    keys = [side * width + number for side, number in zip(sides, numbers, strict=True)]
    _, places, others = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    is_taken = first[places] != 0
    if is_unique:
        for side, at in ((sides[0], places), (sides[1], others)):
            is_taken &= np.bincount(side, minlength=len(groups) + 1)[side[at]] == 1
    return places[is_taken], others[is_taken]


def _numbered(groups: Rows) -> Rows:
    """Return for each place how many earlier places have the same value.

    >>> _numbered(np.array([5, 3, 5, 5])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(groups) else order
    numbers = np.empty(len(groups), dtype=np.int64)
    numbers[order] = np.arange(len(groups)) - np.repeat(starts, np.diff(np.r_[starts, len(groups)]))
    return numbers


def changes_between(before: ComparedRow, after: ComparedRow) -> Iterator[PartChange]:
    """Yield what is different in two rows, message by message."""
    yield from _message_changes(before.messages, after.messages, "")
    yield from _message_changes(before.rejected, after.rejected, "rejected")
    yield from _named_changes("tool", before.tools, after.tools)
    if before.label is not after.label:
        yield PartChange(ChangeKind.CHANGED, "label", "", None, None, "", before.label, after.label)
    if before.format == after.format:
        yield from _named_changes("column", before.columns, after.columns)


def _message_changes(
    before: Sequence[JsonObject], after: Sequence[JsonObject], answer: str
) -> Iterator[PartChange]:
    texts = [[canonical_json(message) for message in messages] for messages in (before, after)]
    matcher = BoundedMatcher(*texts, autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        paired = 0
        # In a stretch that was replaced, messages of the same role in the same order are the same message.
        while paired < min(end - start, other_end - other_start):
            message, other = before[start + paired], after[other_start + paired]
            if message["role"] != other["role"]:
                break
            yield from _inner_changes(message, other, answer, other_start + paired)
            paired += 1
        for place in range(start + paired, end):
            yield _whole(ChangeKind.REMOVED, before[place], answer, place)
        for place in range(other_start + paired, other_end):
            yield _whole(ChangeKind.ADDED, after[place], answer, place)


def _whole(kind: ChangeKind, message: JsonObject, answer: str, place: int) -> PartChange:
    values = (message, None) if kind is ChangeKind.REMOVED else (None, message)
    return PartChange(kind, "message", answer, place, None, str(message["role"]), *values)


_PARTS: Final = {
    "text": "text",
    "thought": "thought",
    "result": "result",
    "trained": "loss-mask",
    "keys": "keys",
}
"""Members of a compared message, and how `PartChange.part` names them."""


def _inner_changes(before: JsonObject, after: JsonObject, answer: str, place: int) -> Iterator[PartChange]:
    for member, part in _PARTS.items():
        if canonical_json(before[member]) != canonical_json(after[member]):
            kind = _kind(before[member], after[member])
            yield PartChange(kind, part, answer, place, None, "", before[member], after[member])
    calls, other_calls = _calls(before), _calls(after)
    for index in range(max(len(calls), len(other_calls))):
        call = calls[index] if index < len(calls) else None
        other = other_calls[index] if index < len(other_calls) else None
        if call is None or other is None:
            name = str((call or other or {})["name"])
            kind = ChangeKind.ADDED if call is None else ChangeKind.REMOVED
            yield PartChange(kind, "call", answer, place, index, name, call, other)
            continue
        if call["name"] != other["name"]:
            values = (call["name"], other["name"])
            yield PartChange(ChangeKind.CHANGED, "tool-name", answer, place, index, "", *values)
        for part, member in (("argument", "arguments"), ("keys", "keys")):
            for change in _named_changes(part, _object(call[member]), _object(other[member])):
                yield change._replace(answer=answer, message=place, call=index)


def _kind(before: JsonValue, after: JsonValue) -> ChangeKind:
    if before in ("", None, {}):
        return ChangeKind.ADDED
    return ChangeKind.REMOVED if after in ("", None, {}) else ChangeKind.CHANGED


def _calls(message: JsonObject) -> list[JsonObject]:
    calls = message["calls"]
    return [_object(call) for call in calls] if isinstance(calls, list) else []


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _named_changes(
    part: str, before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]
) -> Iterator[PartChange]:
    for name in dict.fromkeys((*before, *after)):
        values = (before.get(name), after.get(name))
        if name not in before:
            yield PartChange(ChangeKind.ADDED, part, "", None, None, name, *values)
        elif name not in after:
            yield PartChange(ChangeKind.REMOVED, part, "", None, None, name, *values)
        elif canonical_json(values[0]) != canonical_json(values[1]):
            yield PartChange(ChangeKind.CHANGED, part, "", None, None, name, *values)


def place_of_change(change: PartChange) -> str:
    """Return where a change is, in words.

    >>> place_of_change(PartChange(ChangeKind.CHANGED, "argument", "", 2, 0, "city", "Paris", "Rome"))
    'message 3, call 1: argument city'
    """
    places = ["rejected answer"] if change.answer else []
    places += [] if change.message is None else [f"message {change.message + 1}"]
    places += [] if change.call is None else [f"call {change.call + 1}"]
    part = change.part.replace("-", " ") + (f" {change.name}" if change.name else "")
    return f"{', '.join(places)}: {part}" if places else part


def shown_values(change: PartChange, width: int = 60) -> tuple[str, str]:
    """Return both values of a change as short texts, from a little before their first difference.

    >>> change = PartChange(ChangeKind.CHANGED, "text", "", 1, None, "", "It is 18 degrees.", "It is 19 degrees.")
    >>> shown_values(change, 12)
    ('…is 18 degree…', '…is 19 degree…')
    """
    texts = ["" if value is None else template_json(value) for value in (change.before, change.after)]
    shortest = min(map(len, texts))
    start = next((place for place in range(shortest) if texts[0][place] != texts[1][place]), shortest)
    start = max(0, start - width // 3)
    return _cut(texts[0], start, width), _cut(texts[1], start, width)


def _cut(text: str, start: int, width: int) -> str:
    if len(text) <= width:
        return text
    return ("…" if start else "") + text[start : start + width] + ("…" if start + width < len(text) else "")


class Movement(NamedTuple):
    """A figure of both sets."""

    figure: str
    """What is counted, such as `calls by tool`."""
    name: str
    """The tool, code or percentile; empty if the figure has only one number."""
    before: int
    after: int


def find_movements(
    before: RowStats, after: RowStats, codes: Mapping[str, int], other_codes: Mapping[str, int]
) -> Iterator[Movement]:
    """Yield the figures that are different: rows, calls by tool, lengths, calls and turns per row, findings by code."""
    groups: tuple[tuple[str, Mapping[str, object], Mapping[str, object]], ...] = (
        ("rows", {"": before.rows}, {"": after.rows}),
        ("unreadable rows", {"": before.unreadable}, {"": after.unreadable}),
        ("calls by tool", before.calls, after.calls),
        ("tokens per row", describe_distribution(before.lengths), describe_distribution(after.lengths)),
        ("calls per row", describe_distribution(before.row_calls), describe_distribution(after.row_calls)),
        ("turns per row", describe_distribution(before.turns), describe_distribution(after.turns)),
        ("findings", codes, other_codes),
    )
    for figure, numbers, others in groups:
        for name in dict.fromkeys((*numbers, *others)):
            number, other = cast(int, numbers.get(name, 0)), cast(int, others.get(name, 0))
            if number != other:
                yield Movement(figure, name, number, other)

"""Statistics over many rows: counts that add up in any order."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.trajectory.compress import CountTokens
from workbench.trajectory.formats.raw import RAW
from workbench.trajectory.mask import MaskedText, mask_trajectory
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.validate.parsed_row import ParsedEntry, parse_texts
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions


def preview(trajectory: Trajectory, family: str = "") -> MaskedText:
    """The text of a conversation, and what of it is trained.

    Args:
        trajectory: The conversation, its tools with it.
        family: Whose chat template writes it; empty for the text of the format `raw`, in which the system
            text stands as the row has it.

    Raises:
        BadInput: There is no such family, or no text of turns can hold the conversation.
    """
    if family:
        return mask_trajectory(trajectory, family)
    written = write_row(trajectory, RAW, RowOptions())
    if written.row is None:
        raise BadInput("the row", written.problems[0].message)
    pairs = cast("list[list[int]]", written.row["loss_spans"])
    return MaskedText(text=str(written.row["text"]), trained=tuple(Span(*pair) for pair in pairs))


PERCENTILES: Final = (50, 90, 99)
"""Those that are told."""


class LongestRow(NamedTuple):
    """The row with the most tokens; of equal ones the first."""

    tokens: int
    file: str
    row: int
    """From 1."""


@dataclass(slots=True, kw_only=True)
class RowStats:
    """Counts over rows; memory grows with the number of tools and of different lengths, not of rows."""

    rows: int = 0
    """Rows that could be read."""
    unreadable: int = 0
    unmeasured: int = 0
    """Of those that could, rows that no text of turns can hold: they have no length."""
    formats: Counter[str] = field(default_factory=Counter[str])
    tools: set[str] = field(default_factory=set[str])
    entries: int = 0
    without_call: int = 0
    """Of these, without any call."""
    parallel: int = 0
    """Of these, with two calls or more."""
    calls: Counter[str] = field(default_factory=Counter[str])
    """Calls by the tool's name."""
    turns: Counter[int] = field(default_factory=Counter[int])
    """Rows by the number of a person's entries."""
    lengths: Counter[int] = field(default_factory=Counter[int])
    """Rows by the number of tokens of their text, framing and tools included."""
    characters: int = 0
    trained: int = 0
    """Of these characters, what the loss counts."""
    longest: LongestRow | None = None
    """None where no row was measured."""
    fixes: Counter[str] = field(default_factory=Counter[str])
    """What a tolerant reader needs to read the calls, by code."""

    def add(self, row: TrainingRow, count_tokens: CountTokens, file: str, number: int) -> None:
        """Count one row.

        Args:
            row: As its format read it.
        """
        parsed = parse_texts(row)
        self.rows += 1
        self.formats[row.format] += 1
        self.tools.update(parsed.tools.names)
        self.turns[sum(one.entry.role is Role.USER for one in parsed.entries)] += 1
        for one in parsed.entries:
            if one.entry.role is Role.ASSISTANT:
                self._add_entry(one)
        self._measure(row, count_tokens, file, number)

    def to_json(self) -> JsonObject:
        """All of it, for a program."""
        return {
            "rows": self.rows,
            "unreadable": self.unreadable,
            "formats": dict(sorted(self.formats.items())),
            "tools": len(self.tools),
            "assistant_entries": self.entries,
            "calls": self.calls.total(),
            "calls_by_tool": dict(self.calls.most_common()),
            "no_call_share": share(self.without_call, self.entries),
            "parallel_share": share(self.parallel, self.entries),
            "turns": {**distribution(self.turns)},
            "tokens": {
                **distribution(self.lengths),
                "total": sum(size * n for size, n in self.lengths.items()),
            },
            "trained_share": share(self.trained, self.characters),
            "longest": self.longest._asdict() if self.longest else None,
            "unmeasured": self.unmeasured,
            "fixes": dict(self.fixes.most_common()),
        }

    def _add_entry(self, one: ParsedEntry) -> None:
        self.entries += 1
        self.without_call += not one.has_calls
        self.parallel += len(one.calls) > 1
        self.calls.update(call.name for call in one.calls)
        self.fixes.update(fix.code for fix in (one.reading.fixes if one.reading else ()))
        self.fixes.update(code for call in one.calls for code in call.repairs)

    def _measure(self, row: TrainingRow, count_tokens: CountTokens, file: str, number: int) -> None:
        masked = _masked(row)
        if masked is None:
            self.unmeasured += 1
            return
        tokens = count_tokens(masked.text)
        self.lengths[tokens] += 1
        self.characters += len(masked.text)
        self.trained += sum(span.end - span.start for span in masked.trained)
        if self.longest is None or tokens > self.longest.tokens:
            self.longest = LongestRow(tokens, file, number)


def _masked(row: TrainingRow) -> MaskedText | None:
    """None where no text of turns can hold the row."""
    reading = read_trajectory(row)
    try:
        return None if reading.problems else preview(reading.trajectory)
    except BadInput:
        return None


def distribution(counts: Mapping[int, int]) -> dict[str, JsonValue]:
    """Least, percentiles and most of numbers, each with how often it came; empty where none did.

    A percentile is the least number that so many of a hundred do not exceed.

    >>> spread({1: 90, 5: 9, 100: 1})
    {'least': 1, 'p50': 1, 'p90': 1, 'p99': 5, 'most': 100}
    """
    if not counts:
        return {}
    ordered, total = sorted(counts), sum(counts.values())
    found: dict[str, JsonValue] = {"least": ordered[0]}
    below, wanted = 0, list(PERCENTILES)
    for number in ordered:
        below += counts[number]
        while wanted and below * 100 >= wanted[0] * total:
            found[f"p{wanted.pop(0)}"] = number
    return {**found, "most": ordered[-1]}


def share(count: int, of: int) -> float:
    """A share to four digits; 0 of nothing."""
    return round(count / of, 4) if of else 0.0

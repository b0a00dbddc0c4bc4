"""Collect statistics over many rows. Two sets of counts add up in any order."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast
from weakref import WeakValueDictionary

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.compress import CountTokens
from workbench.trajectory.formats.raw import RAW
from workbench.trajectory.mask import MaskedText, mask_trajectory
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.sets.enums import EnumCounts
from workbench.trajectory.sets.row_facts import RowFacts, facts_of
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions


def preview(trajectory: Trajectory, family: str = "") -> MaskedText:
    """Return the text of a conversation with its loss mask.

    Args:
        trajectory: The conversation with its tools.
        family: Family whose chat template renders it. Empty: the text of the format `raw`, with the system
            text as the row has it.

    Raises:
        BadInput: There is no such family, or the conversation cannot be written as ChatML.
    """
    if family:
        return mask_trajectory(trajectory, family)
    written = write_row(trajectory, RAW, RowOptions())
    if written.row is None:
        raise BadInput("the row", written.problems[0].message)
    pairs = cast("list[list[int]]", written.row["loss_spans"])
    return MaskedText(text=str(written.row["text"]), trained=tuple(Span(*pair) for pair in pairs))


PERCENTILES: Final = (50, 90, 99)
"""The percentiles to report."""


class LongestRow(NamedTuple):
    """The row with the most tokens; the first one if several are equally long."""

    tokens: int
    file: str
    row: int
    """From 1."""


@dataclass(slots=True, kw_only=True)
class RowStats:
    """Counts over rows. Memory grows with the number of tools and of different lengths, not of rows."""

    rows: int = 0
    """Rows that could be read."""
    unreadable: int = 0
    unmeasured: int = 0
    """Rows that could be read but not written as ChatML, and so have no length in tokens."""
    formats: Counter[str] = field(default_factory=Counter[str])
    tools: set[str] = field(default_factory=set[str])
    entries: int = 0
    without_call: int = 0
    """Entries of the model without a call."""
    parallel: int = 0
    """Entries of the model with two or more calls."""
    calls: Counter[str] = field(default_factory=Counter[str])
    """Calls by the tool's name."""
    row_calls: Counter[int] = field(default_factory=Counter[int])
    """Rows by their number of calls."""
    turns: Counter[int] = field(default_factory=Counter[int])
    """Rows by their number of user entries."""
    lengths: Counter[int] = field(default_factory=Counter[int])
    """Rows by the length of their text in tokens, including special tokens and tools."""
    characters: int = 0
    roles: Counter[Role] = field(default_factory=Counter[Role])
    """Characters of the texts of each role, without what separates the texts."""
    trained: int = 0
    """Characters that the loss counts."""
    longest: LongestRow | None = None
    """None if no row was measured."""
    fixes: Counter[str] = field(default_factory=Counter[str])
    """Fixes that the tolerant reader needed to read calls, by code."""
    enums: EnumCounts = field(default_factory=EnumCounts)
    _known: WeakValueDictionary[int, OfferedTools] = field(
        default_factory=WeakValueDictionary[int, OfferedTools], compare=False
    )
    """Tools that were counted and are in use, by the id of the object: rows of one dataset often share it."""

    def add(self, row: TrainingRow, count_tokens: CountTokens, file: str, number: int) -> None:
        """Count one row.

        Args:
            row: The row, as its format read it.
            count_tokens: Length of a text in tokens.
            file: Name of the row's file.
            number: Number of the row in the file, from 1.
        """
        self.add_facts(facts_of(parse_texts(row), count_tokens), file, number)

    def add_facts(self, facts: RowFacts, file: str, number: int) -> None:
        """Count one row that was measured; the rest as for `add`."""
        self.rows += 1
        self.formats[facts.format] += 1
        self._declare(facts.tools)
        self.turns[facts.turns] += 1
        self.entries += len(facts.answers)
        self.without_call += facts.answers.count(()) - facts.unread
        self.parallel += sum([len(names) > 1 for names in facts.answers])
        for name in facts.called:
            self.calls[name] += 1
        self.row_calls[len(facts.called)] += 1
        if facts.fixes:
            self.fixes.update(facts.fixes)
        self.enums.add(facts.values)
        self._measure(facts, file, number)

    def to_json(self) -> JsonObject:
        """Return the statistics as JSON."""
        return {
            "rows": self.rows,
            "unreadable": self.unreadable,
            "formats": dict(sorted(self.formats.items())),
            "tools": len(self.tools),
            "assistant_entries": self.entries,
            "calls": self.calls.total(),
            "calls_by_tool": dict(self.calls.most_common()),
            "calls_per_row": {**describe_distribution(self.row_calls)},
            "no_call_share": share(self.without_call, self.entries),
            "parallel_share": share(self.parallel, self.entries),
            "turns": {**describe_distribution(self.turns)},
            "tokens": {
                **describe_distribution(self.lengths),
                "total": sum(size * n for size, n in self.lengths.items()),
            },
            "trained_share": share(self.trained, self.characters),
            "text_shares": {
                str(role): share(count, self.roles.total()) for role, count in sorted(self.roles.items())
            },
            "longest": self.longest._asdict() if self.longest else None,
            "unmeasured": self.unmeasured,
            "fixes": dict(self.fixes.most_common()),
            "enums": self.enums.to_json(),
        }

    def _declare(self, tools: OfferedTools) -> None:
        if id(tools) in self._known:
            return
        self._known[id(tools)] = tools
        self.tools.update(tools.names)
        self.enums.declare(tools)

    def _measure(self, facts: RowFacts, file: str, number: int) -> None:
        if facts.tokens is None:
            self.unmeasured += 1
            return
        self.lengths[facts.tokens] += 1
        self.characters += facts.size
        for role, count in facts.characters.items():
            self.roles[role] += count
        self.trained += facts.trained
        if self.longest is None or facts.tokens > self.longest.tokens:
            self.longest = LongestRow(facts.tokens, file, number)


def rows_over(lengths: Mapping[int, int], most: int) -> int:
    """Return how many rows have more than `most` tokens, given how often each length occurs.

    >>> rows_over({4000: 7, 4096: 2, 4097: 1, 9000: 1}, 4096)
    2
    """
    return sum(rows for tokens, rows in lengths.items() if tokens > most)


def describe_distribution(counts: Mapping[int, int]) -> dict[str, JsonValue]:
    """Return the minimum, percentiles and maximum of numbers, given how often each occurs. Empty if none do.

    The 90th percentile is the smallest number that is at least as large as 90 % of the numbers.

    >>> describe_distribution({1: 90, 5: 9, 100: 1})
    {'least': 1, 'p50': 1, 'p90': 1, 'p99': 5, 'most': 100}
    """
    if not counts:
        return {}
    ordered, total = sorted(counts), sum(counts.values())
    found: dict[str, JsonValue] = {"least": ordered[0]}
    below, remaining = 0, list(PERCENTILES)
    for number in ordered:
        below += counts[number]
        while remaining and below * 100 >= remaining[0] * total:
            found[f"p{remaining.pop(0)}"] = number
    return {**found, "most": ordered[-1]}


def share(count: int, of: int) -> float:
    """Return a share, rounded to four digits; 0 if the total is 0."""
    return round(count / of, 4) if of else 0.0

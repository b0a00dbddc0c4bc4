"""What can only be said of many rows together: counts that add up, whatever the order."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.message import Role
from workbench.hermes.reading import SegmentKind
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.clean_row import CleanRow
from workbench.trajectory.validate.said import said, short
from workbench.trajectory.validate.seen import SeenEntry, SeenRow
from workbench.trajectory.validate.tool_watch import ToolWatch

FEWEST_ROWS: Final = 100
"""Of fewer rows nothing is said: shares of a handful mean nothing."""
LEAST_NO_CALL: Final = 0.05
"""Share of the model's entries that should be without a call. *Source:* seed of the project, trainer's rule."""
MOST_OF_ONE_TOOL: Final = 0.5
"""Share of all calls above which one tool dominates."""


@dataclass(slots=True, kw_only=True)
class SetFacts:
    """Counts over rows; two sets of rows add up by `extend`, whatever the order."""

    rows: int = 0
    """Rows that could be read."""
    entries: int = 0
    """Entries of the model."""
    entries_without_call: int = 0
    """Of these, without any."""
    entries_with_thought: int = 0
    """Of these, with a thought."""
    parallel_entries: int = 0
    """Of these, with two calls or more."""
    calls: Counter[str] = field(default_factory=Counter[str])
    """Calls by the tool's name."""
    tools: ToolWatch = field(default_factory=ToolWatch)
    """Tools as they are declared."""

    def add(self, seen: SeenRow) -> None:
        """Count a row."""
        self.rows += 1
        for one in seen.entries:
            if one.entry.role is Role.ASSISTANT:
                self._add_entry(one)
        self._add_tools(seen.tools)

    def add_clean(self, row: CleanRow) -> None:
        """Count a row in which nothing was found."""
        self.rows += 1
        for names in row.answers:
            self._add_answer(names, has_calls=bool(names))
        self._add_tools(row.tools)

    def extend(self, other: "SetFacts") -> None:
        """Count the rows of another set too."""
        self.rows += other.rows
        self.entries += other.entries
        self.entries_without_call += other.entries_without_call
        self.entries_with_thought += other.entries_with_thought
        self.parallel_entries += other.parallel_entries
        self.calls.update(other.calls)
        self.tools.extend(other.tools)

    def findings(self) -> Iterator[RowFinding]:
        """What is to be told of the set; nothing of fewer than a hundred rows."""
        if self.rows < FEWEST_ROWS:
            return
        yield from self._of_entries()
        total = self.calls.total()
        for name, times in self.calls.most_common(1):
            if times > total * MOST_OF_ONE_TOOL:
                message = f"{short(name)} has {times} of {total} calls; add rows of other tools"
                yield said("dominant-tool", message)
        for name in sorted(self.tools.conflicts):
            yield said("schema-conflict", f"{short(name)} is declared with different parameters")

    def _of_entries(self) -> Iterator[RowFinding]:
        if self.calls and self.entries_without_call < self.entries * LEAST_NO_CALL:
            message = f"{self.entries_without_call} of {self.entries} entries are without a call; add some"
            yield said("few-no-call", message)
        if self.calls and not self.parallel_entries:
            yield said("no-parallel", "no entry holds two calls; the model will learn to call one by one")
        if 0 < self.entries_with_thought < self.entries:
            message = f"{self.entries_with_thought} of {self.entries} entries hold a thought; choose one way"
            yield said("thinking-mixed", message)

    def _add_entry(self, one: SeenEntry) -> None:
        self._add_answer([call.name for call in one.calls], has_calls=one.has_calls)
        self.entries_with_thought += _has_thought(one)

    def _add_answer(self, names: Sequence[str], *, has_calls: bool) -> None:
        self.entries += 1
        self.entries_without_call += not has_calls
        self.parallel_entries += len(names) > 1
        for name in names:
            self.calls[name] += 1

    def _add_tools(self, tools: OfferedTools) -> None:
        for spec in tools.specs:
            self.tools.add(spec)


def _has_thought(one: SeenEntry) -> bool:
    if one.entry.thought:
        return True
    reading = one.reading
    return reading is not None and any(segment.kind is SegmentKind.THOUGHT for segment in reading.segments)

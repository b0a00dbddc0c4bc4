"""Findings about many rows together, from counts that can be added up in any order."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

import orjson

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.hermes.reading import SegmentKind
from workbench.toolspec.spec import OfferedTools, ToolSpec, cached_on
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.codes import quoted, row_finding
from workbench.trajectory.validate.declared import meaning_of
from workbench.trajectory.validate.glance import Glance
from workbench.trajectory.validate.parsed_row import ParsedEntry, ParsedRow

_MOST_TOOLS: Final = 50_000
"""Maximum number of tools to compare, so that memory does not grow with the number of rows."""
_LONGEST: Final = 4_000
"""Longer parameters, in bytes, are stored as a hash of their meaning."""
_HASH: Final = b"#"
"""Prefix of a stored hash; no JSON object begins with it."""
_END: Final = b"}"
_NULL: Final = b"null"
"""orjson also writes numbers as null that are infinite or not a number."""
_CACHE_KEY: Final = "_written"


@dataclass(slots=True, kw_only=True)
class ToolWatch:
    """Detects tools that are declared in two ways. `extend` adds the declarations of later rows."""

    first: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """First parameters of each tool, by name, as bytes. Their meaning is computed only when others differ."""
    meanings: dict[str, bytes] = field(default_factory=dict[str, bytes], compare=False)
    """Hashes of the meaning of first parameters, by name, as far as they were needed."""
    conflicts: set[str] = field(default_factory=set[str])
    """Names of tools that are declared with different parameters."""

    def add(self, tools: OfferedTools) -> None:
        """Add the declarations of a row."""
        for spec in tools.specs:
            self._add(spec.name, cached_on(spec, _CACHE_KEY, _bytes))

    def extend(self, other: "ToolWatch") -> None:
        """Add the declarations of another set."""
        self.conflicts |= other.conflicts
        if self.first.keys().isdisjoint(other.first) and len(self.first) + len(other.first) <= _MOST_TOOLS:
            self.first.update(other.first)
            return
        for name, written in other.first.items():
            self._add(name, written)

    def _add(self, name: str, written: bytes) -> None:
        known = self.first.get(name)
        if known is None:
            if len(self.first) < _MOST_TOOLS:
                self.first[name] = written
        elif known != written and name not in self.conflicts:
            if name not in self.meanings:
                self.meanings[name] = _meaning(known)
            if _meaning(written) != self.meanings[name]:
                self.conflicts.add(name)


def _bytes(spec: ToolSpec) -> bytes:
    """Return the parameters as JSON without its `_END`, or a hash of their meaning if they are long or JSON would
    change them."""
    try:
        written = orjson.dumps(spec.parameters)
    except orjson.JSONEncodeError:  # nested too deeply, a long integer, or half of a surrogate pair
        return _HASH + meaning_of(spec)
    if len(written) > _LONGEST or _NULL in written:
        return _HASH + meaning_of(spec)
    # A copy, without the last brace: what orjson returns holds 4 KB of memory for 400 bytes.
    return written.removesuffix(_END)


def _meaning(written: bytes) -> bytes:
    if written.startswith(_HASH):
        return written.removeprefix(_HASH)
    return meaning_of(ToolSpec.of_function({"parameters": cast(JsonObject, orjson.loads(written + _END))}))


FEWEST_ROWS: Final = 100
"""Sets with fewer rows get no findings, because shares of a few rows mean nothing."""
LEAST_NO_CALL: Final = 0.05
"""Minimum share of model entries without a call. A rule of thumb for function-calling datasets."""
MOST_OF_ONE_TOOL: Final = 0.5
"""Maximum share of all calls that one tool should have."""


@dataclass(slots=True, kw_only=True)
class SetFacts:
    """Counts over rows. `extend` adds the counts of another set, in any order."""

    rows: int = 0
    """Rows that could be read."""
    entries: int = 0
    entries_without_call: int = 0
    entries_with_thought: int = 0
    parallel_entries: int = 0
    """Entries of the model with two or more calls."""
    calls: Counter[str] = field(default_factory=Counter[str])
    """Calls by the tool's name."""
    tools: ToolWatch = field(default_factory=ToolWatch)
    last_tools: OfferedTools | None = field(default=None, compare=False)
    """The tools of the row before, which rows that begin alike share."""

    def add(self, parsed: ParsedRow) -> None:
        """Count a row."""
        self.rows += 1
        for parsed_entry in parsed.entries:
            if parsed_entry.entry.role is Role.ASSISTANT:
                self._add_entry(parsed_entry)
        self._add_tools(parsed.tools)

    def add_glance(self, glance: Glance) -> None:
        """Count a row that a glance was enough for."""
        self.rows += 1
        for names in glance.answers:
            self._add_answer(names, has_calls=bool(names))
        self._add_tools(glance.beginning.tools)

    def extend(self, other: "SetFacts") -> None:
        """Add the counts of another set."""
        self.rows += other.rows
        self.entries += other.entries
        self.entries_without_call += other.entries_without_call
        self.entries_with_thought += other.entries_with_thought
        self.parallel_entries += other.parallel_entries
        self.calls.update(other.calls)
        self.tools.extend(other.tools)

    def findings(self) -> Iterator[RowFinding]:
        """Yield the findings about the set; none if it has fewer than `FEWEST_ROWS` rows."""
        if self.rows < FEWEST_ROWS:
            return
        yield from self._of_entries()
        total = self.calls.total()
        for name, times in self.calls.most_common(1):
            if times > total * MOST_OF_ONE_TOOL:
                message = f"{quoted(name)} has {times} of {total} calls; add rows with other tools"
                yield row_finding("dominant-tool", message)
        for name in sorted(self.tools.conflicts):
            yield row_finding(
                "schema-conflict",
                f"{quoted(name)} is declared with different parameters; use one declaration",
            )

    def _of_entries(self) -> Iterator[RowFinding]:
        if self.calls and self.entries_without_call < self.entries * LEAST_NO_CALL:
            message = (
                f"{self.entries_without_call} of {self.entries} model entries are without a call; add some"
            )
            yield row_finding("few-no-call", message)
        if self.calls and not self.parallel_entries:
            yield row_finding(
                "no-parallel", "no entry has two calls, so the model does not learn parallel calls; add some"
            )
        if 0 < self.entries_with_thought < self.entries:
            message = f"{self.entries_with_thought} of {self.entries} entries have a thought; use all or none"
            yield row_finding("thinking-mixed", message)

    def _add_entry(self, parsed_entry: ParsedEntry) -> None:
        self._add_answer([call.name for call in parsed_entry.calls], has_calls=parsed_entry.has_calls)
        self.entries_with_thought += _has_thought(parsed_entry)

    def _add_answer(self, names: Sequence[str], *, has_calls: bool) -> None:
        self.entries += 1
        self.entries_without_call += not has_calls
        self.parallel_entries += len(names) > 1
        for name in names:
            self.calls[name] += 1

    def _add_tools(self, tools: OfferedTools) -> None:
        if tools is not self.last_tools:
            self.last_tools = tools
            self.tools.add(tools)


def _has_thought(parsed_entry: ParsedEntry) -> bool:
    if parsed_entry.entry.thought:
        return True
    reading = parsed_entry.reading
    return reading is not None and any(segment.kind is SegmentKind.THOUGHT for segment in reading.segments)

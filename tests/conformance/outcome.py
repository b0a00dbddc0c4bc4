"""What a suite says about each of its cases, and the small file that says why some do not agree."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.conformance.archives import Archive

KNOWN = Path(__file__).with_name("known.yaml")
VERDICTS = ("better", "worse")


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A text that a suite gave the reader, with what the reader was given beside it."""

    text: str
    tools: str = "[]"
    """The offered tools as a JSON text."""
    level: str = "tolerant"
    starts_in_thought: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One case of a suite."""

    id: str
    """Unique in the suite, and the same in each run."""
    agrees: bool
    details: str = ""
    """What was expected and what came, if they differ."""
    completions: tuple[Completion, ...] = ()
    """The texts of the case, to be streamed as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A test suite of somebody else, and how to run it."""

    name: str
    archive: Archive
    cases: int
    """How many cases the pinned version has. A reader of cases that silently finds fewer fails."""
    outcomes: Callable[[Path], Iterable[Outcome]]
    """Run all cases of the unpacked archive in this folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Cases that do not agree, for one reason."""

    verdict: str
    """`better` or `worse` than what the suite expects."""
    reason: str
    cases: frozenset[str]


class Row(NamedTuple):
    """A row of the table."""

    suite: str
    cases: int
    agree: int
    better: int
    worse: int


class Judged(NamedTuple):
    """A suite's outcomes, compared with what is known about it."""

    row: Row
    problems: list[str]
    """Why the run fails; empty if all is as known."""


def load_known(path: Path = KNOWN) -> dict[str, list[Known]]:
    """Read what is known, by suite.

    Raises:
        ValueError: A verdict is unknown, a reason is missing, or a case is listed twice.
    """
    loaded: dict[str, list[dict[str, Any]]] = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    known = {
        suite: [
            Known(verdict=entry["verdict"], reason=entry["reason"], cases=frozenset(map(str, entry["cases"])))
            for entry in entries
        ]
        for suite, entries in loaded.items()
    }
    for suite, entries in known.items():
        listed = sum(len(entry.cases) for entry in entries)
        if listed != len(frozenset().union(*(entry.cases for entry in entries))):
            raise ValueError(f"{suite}: a case is listed twice")
        if any(entry.verdict not in VERDICTS or not entry.reason for entry in entries):
            raise ValueError(f"{suite}: each entry needs a reason and one of these verdicts: {VERDICTS}")
    return known


def judged(suite: Suite, outcomes: Sequence[Outcome], known: Sequence[Known]) -> Judged:
    """Count the outcomes of a suite, and list what is not as known."""
    verdicts = {case: entry.verdict for entry in known for case in entry.cases}
    ids = [outcome.id for outcome in outcomes]
    failed = {outcome.id: outcome for outcome in outcomes if not outcome.agrees}
    problems = [
        f"{suite.name}, {case} does not agree, and known.yaml has no line for it.\n{outcome.details}"
        for case, outcome in failed.items()
        if case not in verdicts
    ]
    problems += [
        f"{suite.name}, {case} is listed in known.yaml but {'agrees' if case in ids else 'does not exist'}."
        for case in sorted(verdicts.keys() - failed.keys())
    ]
    if len(ids) != suite.cases:
        problems.append(f"{suite.name} has {len(ids)} cases, not {suite.cases}.")
    if len(ids) != len(set(ids)):
        problems.append(f"{suite.name} has two cases with the same id.")
    better = sum(verdicts.get(case) == "better" for case in failed)
    row = Row(suite.name, len(ids), len(ids) - len(failed), better, len(failed) - better)
    return Judged(row, problems)

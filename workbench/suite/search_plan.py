"""What a run that searches for a better contract stores: settings, parts, each proposal, and why it ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.suite.suite_split import SuiteParts


class SearchMode(StrEnum):
    """What a search looks for."""

    IMPROVE = "improve"
    """A higher pass rate, and at the same rate fewer tokens."""
    SHRINK = "shrink"
    """The shortest contract that is not worse."""
    EXAMPLES = "examples"
    """The best examples from sessions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """What a search may do and spend. Equal settings and results give the same search."""

    mode: SearchMode = SearchMode.IMPROVE
    seed: int = 0
    runs: int = 1000
    """Maximum number of case runs, those of the final test included."""
    tokens: int | None = None
    """Maximum number of prompt and completion tokens. None if there is no limit, as for the next two."""
    cost: float | None = None
    """Maximum cost in US dollars. A model without a known price costs nothing."""
    minutes: float | None = None
    """Maximum generation time over all case runs. Cases that run at the same time count each."""
    margin: float = 0.02
    """By how much the pass rate of a shorter contract may be lower and still count as not worse."""
    examples: int = 0
    """Maximum number of examples for `SearchMode.EXAMPLES`."""
    has_descriptions: bool = False
    """Whether descriptions of tools and parameters are changed too."""
    reflect: str = ""
    """Model that proposes rewritten contracts. Empty uses only changes that need no model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchStep:
    """One proposal of a search."""

    label: str
    """Label of the candidate's arm."""
    parent: str
    """Label of the arm that it was made from. Empty for the start."""
    change: str
    """What was changed, for a person."""
    problem: str = ""
    """Why it was refused without a run. Empty if it was run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search and what it did so far. The candidates are the arms of its run."""

    settings: SearchSettings
    parts: SuiteParts
    pool: tuple[str, ...] = ()
    """Examples from labelled sessions that passed, each one paragraph."""
    steps: tuple[SearchStep, ...] = ()
    """The proposals in order."""
    reflections: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Answers of the proposing model by request, so that a resumed search does not ask again."""
    chosen: str = ""
    """Label of the chosen arm. Empty before the final test."""
    looks: int = 0
    """How many searches have opened the kept part of these cases, this one included. 0 before the final test."""
    ended: str = ""
    """Why the search ended. Empty while it runs."""

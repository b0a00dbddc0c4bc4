"""Suites and their cases, as values."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message
from workbench.suite.expectation import Expectation


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Something that a user says, and what is to come of it."""

    suite: str
    """Name of its suite."""
    id: str
    """Unique in its suite."""
    messages: tuple[Message, ...]
    """What was said, the user's message last; no system text but the case's own."""
    expectations: tuple[Expectation, ...] = field(hash=False)
    """What is to hold; at least one."""
    tools: tuple[str, ...] = ()
    """Toolsets and tools that are offered; empty offers `tool_specs`."""
    tool_specs: tuple[JsonObject, ...] = field(default=(), hash=False)
    """Specs of the case's own, which stand behind those of `tools`."""
    system: str = ""
    """Said to the model behind the contract's text; empty for nothing."""
    tags: tuple[str, ...] = ()
    """Words to choose and to group by, such as BFCL's `parallel`."""
    mocks: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Tool to the mock rules that answer in this case in place of the catalog's."""
    threshold: float = 1.0
    """Share of the expectations' weight that must hold."""
    repeat: int = 1
    """How often it is played, each time with another seed."""
    tool_choice: str | None = None
    """Wins over the run's; None takes that."""
    max_rounds: int | None = None
    """Completions; None takes the run's."""
    document: JsonObject = field(default_factory=dict[str, JsonValue], hash=False, compare=False, repr=False)
    """The case as it stands in a suite, whole: template filled, the suite's defaults in it."""

    @property
    def key(self) -> str:
        """Tells it among the cases of all suites of a run."""
        return f"{self.suite}/{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Cases that belong together."""

    name: str
    """As its file is named, without the ending."""
    description: str = ""
    """What it measures, for a person."""
    cases: tuple[Case, ...] = field(hash=False)
    """In the order of the file."""


def tagged(cases: Sequence[Case], tags: Sequence[str]) -> tuple[Case, ...]:
    """The cases that have any of the tags; all where none is named."""
    wanted = frozenset(tags)
    return tuple(case for case in cases if not wanted or wanted & frozenset(case.tags))

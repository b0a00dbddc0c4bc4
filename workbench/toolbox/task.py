"""What the catalog of tools tells and is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.rollout.ports import Approver


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """Whether one tool can be used."""

    name: str
    """The tool."""
    toolset: str
    """Its toolset."""
    reason: str = ""
    """Why it cannot be used, for a person; empty where it can."""
    emoji: str = ""
    """The tool's own sign; empty for none."""

    @property
    def is_available(self) -> bool:
        """True where nothing speaks against it."""
        return not self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """What of the catalog is other than its files say, for one conversation."""

    mocks: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Tool to the list of mock rules that answer in place of whatever else does."""
    originals: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Name under which a tool is offered to its own, of those that are renamed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTask:
    """For whom calls are run."""

    session_id: str = ""
    """The conversation; working folders, approvals and mock sequences are its own. Empty for none."""
    approver: Approver | None = None
    """Asked before a risky call; None where nobody can be asked, and then the answer is no."""
    seed: int = 0
    """What mocks that choose at random begin from."""
    staging: Staging = Staging()
    """What is other than the catalog says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDraft:
    """A tool as a person edits it."""

    spec_text: str = ""
    """JSON of its spec."""
    rules_text: str = ""
    """YAML of its `returns` and `mocks`; empty where code answers."""
    arguments_text: str = "{}"
    """JSON of arguments to try it with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftFindings:
    """What is wrong with a draft."""

    spec: tuple[Finding, ...] = ()
    """Of the spec, with lines of its text."""
    rules: tuple[Finding, ...] = ()
    """Of the rules, with lines of theirs."""
    lint: tuple[Finding, ...] = ()
    """What of a sound spec makes models call it wrongly."""


NOTHING_SAVED: Final[Mapping[str, str]] = MappingProxyType({})
"""Every toolset is as its file has it."""


NO_STAGING = Staging()
"""All is as the catalog says."""
NO_TASK = ToolTask()
"""A single call that belongs to no conversation."""

"""What the catalog of tools tells and is told."""

from dataclasses import dataclass

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
class ToolTask:
    """For whom calls are run."""

    session_id: str = ""
    """The conversation; working folders, approvals and mock sequences are its own. Empty for none."""
    approver: Approver | None = None
    """Asked before a risky call; None where nobody can be asked, and then the answer is no."""
    seed: int = 0
    """What mocks that choose at random begin from."""


NO_TASK = ToolTask()
"""A single call that belongs to no conversation."""

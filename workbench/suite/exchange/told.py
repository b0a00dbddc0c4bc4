"""What an import or export could not take along."""

from dataclasses import dataclass, field

from workbench.suite.case import Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A suite out of another form."""

    suite: Suite
    """What could be read."""
    left_out: tuple[str, ...] = ()
    """A line about each thing that the suite does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A suite in another form."""

    files: dict[str, str] = field(hash=False)
    """Name to text."""
    left_out: tuple[str, ...] = ()
    """A line about each thing that the form cannot say."""

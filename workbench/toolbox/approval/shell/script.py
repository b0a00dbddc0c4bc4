"""A shell script as a value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.toolbox.approval.shell.words import RawWord


class Redirection(NamedTuple):
    """Where a command's output or input goes."""

    operator: str
    """`>`, `>>`, `<`, `&>` or `<<`."""
    target: RawWord
    """The file; of a here-document, nothing."""


class Assignment(NamedTuple):
    """A variable set for one command, or for the rest of the script."""

    name: str
    value: RawWord


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One program or builtin with its arguments."""

    words: tuple[RawWord, ...]
    """The program first; empty if there are only redirections or assignments."""
    redirections: tuple[Redirection, ...] = ()
    assignments: tuple[Assignment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """All commands of a text, those inside substitutions and loops too."""

    commands: tuple[Command, ...] = ()
    """In the order in which they begin."""
    bindings: Mapping[str, Sequence[RawWord]] = field(
        default_factory=dict[str, Sequence[RawWord]], hash=False
    )
    """All values that the script gives to each of its variables."""
    problem: str = ""
    """What could not be read for certain; empty if all of it was."""

"""The port of what a model remembers for an owner."""

from collections.abc import Sequence
from typing import Protocol

from workbench.records.owner import Owner


class Memories(Protocol):
    """Short notes, each owner's apart from the others'."""

    def notes(self, owner: Owner) -> Sequence[str]:
        """The notes, oldest first."""
        ...

    def save_notes(self, owner: Owner, notes: Sequence[str]) -> None:
        """Puts these in the place of all notes of the owner."""
        ...

"""Whose rows they are, where a row's owner is part of its key."""

from typing import Final

from workbench.records.owner import Owner

SHARED: Final = ""
"""The shared library's owner, which is the one person of an own machine: a key cannot hold NULL."""


def scope_of(owner: Owner) -> str:
    """The owner as a column that cannot be NULL has it."""
    return SHARED if owner.key is None else owner.key

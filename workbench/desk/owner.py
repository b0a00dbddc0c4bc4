"""Whose data it is."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Someone that the store keeps data for, apart from all others."""

    key: str | None
    """Tells one owner from another; None is the one person of an own machine."""
    is_admin: bool = False
    """True for someone who may see the data of all."""


LOCAL_OWNER: Final = Owner(key=None)
"""The person at their own machine, where nobody logs in."""

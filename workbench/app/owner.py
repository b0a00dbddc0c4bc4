"""Whose data it is, and what they may do."""

from dataclasses import dataclass, field
from typing import Final

from workbench.app.permissions import NotPermitted, Permission, UserRole, is_granted


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Someone that the store keeps data for, apart from all others."""

    key: str | None
    """Tells one owner from another; None is the one person of an own machine."""
    role: UserRole = UserRole.MEMBER
    """What they may do."""
    name: str = ""
    """As a page shows them; empty for someone who did not log in."""
    address: str = field(default="", compare=False)
    """Where a stranger's requests come from: all of one address share their turns at a model. Empty for others."""

    is_passing: bool = field(default=False, compare=False)
    """True of a stranger who says nothing to be known by: all of one address count as one."""

    @property
    def share(self) -> tuple[str, ...]:
        """Whose turn at a model is counted: the address and then the owner of strangers, else the owner alone."""
        own = "" if self.is_passing else self.key or ""
        return (self.address, own) if self.address else (own,)

    def may(self, permission: Permission) -> bool:
        """Whether they have a permission."""
        return is_granted(permission, self.role)

    def require(self, permission: Permission) -> None:
        """Refuses what they may not do.

        Raises:
            NotPermitted: They do not have the permission.
        """
        if not self.may(permission):
            raise NotPermitted(permission, self.role)


LOCAL_OWNER: Final = Owner(key=None, role=UserRole.LOCAL)
"""The person at their own machine, where nobody logs in."""
NOBODY: Final = Owner(key="nobody", role=UserRole.VISITOR)
"""Whose services a page on a server has until an event says who it comes from: owns nothing, may do the least."""

"""Owners of data: their role, their permissions, and the audit log's entries."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One thing that was done. Entries are never changed and never taken out."""

    number: int
    """Goes up, over all owners."""
    at: datetime
    """When, UTC."""
    who: str
    """Who did it; empty for the one person of an own machine."""
    action: str
    """What was done, such as `version.tag`."""
    subject: str
    """To what, such as `contract:minimal`, or a message's id."""
    detail: Mapping[str, JsonValue] = field(hash=False)
    """What else there is to say, such as what stood there before."""


class UserRole(StrEnum):
    """Where somebody stands towards the server that they use."""

    LOCAL = "local"
    """The person at their own machine, where nobody logs in."""
    ADMIN = "admin"
    """An account that WORKBENCH_ADMINS names, on a server with accounts."""
    MEMBER = "member"
    """Any other account of a server with accounts."""
    SPACE_ADMIN = "space-admin"
    """Somebody signed in to a Space whom WORKBENCH_ADMINS names."""
    VISITOR = "visitor"
    """Everybody else who comes to a Space, signed in or not."""


class Permission(StrEnum):
    """What an event, an API function or a value in one may need."""

    WORK = "work"
    """Read and change your own sessions, contracts, tools, suites, labels, runs and rows."""
    ASK = "ask"
    """Have a model write: chat, compare, run suites, weigh tokens."""
    MANAGE_MODELS = "manage-models"
    """Download models to the server and delete them from it."""
    OPEN_FILES = "open-files"
    """Name a file of the server's disk: a model, an adapter, a script or a recording by its path."""
    USE_SERVER_TOKEN = "use-server-token"
    """Act on the hub with the server's own token: push rows, see its private repositories."""
    ADD_SERVERS = "add-servers"
    """Add an MCP server, which may start a program on the server's machine."""
    RUN_COMMANDS = "run-commands"
    """Let the tool `terminal` run real commands, where WORKBENCH_TERMINAL allows any."""
    CHANGE_SETTINGS = "change-settings"
    """Write to the server's settings file, as "Always" does for a command that was asked about."""
    READ_ALL = "read-all"
    """Read the sessions of all accounts."""


_EVERYBODY: Final = frozenset(UserRole)
_MACHINE: Final = frozenset({UserRole.LOCAL, UserRole.ADMIN})
"""Who is trusted with the machine itself. A Space runs nothing but mocks, so nobody there is among them."""
_ADMINS: Final = frozenset({UserRole.LOCAL, UserRole.ADMIN, UserRole.SPACE_ADMIN})

GRANTED: Final[Mapping[Permission, frozenset[UserRole]]] = {
    Permission.WORK: _EVERYBODY,
    Permission.ASK: _EVERYBODY,
    Permission.MANAGE_MODELS: _ADMINS,
    Permission.OPEN_FILES: _MACHINE,
    Permission.USE_SERVER_TOKEN: _ADMINS,
    Permission.ADD_SERVERS: _MACHINE,
    Permission.RUN_COMMANDS: _MACHINE,
    Permission.CHANGE_SETTINGS: _MACHINE,
    # The person at their own machine is the only owner there, so there is nothing more to read.
    Permission.READ_ALL: frozenset({UserRole.ADMIN, UserRole.SPACE_ADMIN}),
}
"""The roles that have each permission; `docs/reference/permissions.md` shows the same table."""

_DONE: Final[Mapping[Permission, str]] = {
    Permission.WORK: "use this page",
    Permission.ASK: "ask a model",
    Permission.MANAGE_MODELS: "download or delete models",
    Permission.OPEN_FILES: "open files of the server by their path",
    Permission.USE_SERVER_TOKEN: "use the server's Hugging Face token",
    Permission.ADD_SERVERS: "add MCP servers",
    Permission.RUN_COMMANDS: "run commands",
    Permission.CHANGE_SETTINGS: "change the server's settings",
    Permission.READ_ALL: "read the sessions of others",
}
"""What a permission lets somebody do, as the end of "may not …"."""
_NAMES: Final[Mapping[UserRole, str]] = {
    UserRole.LOCAL: "The person at this machine",
    UserRole.ADMIN: "An admin",
    UserRole.MEMBER: "A member",
    UserRole.SPACE_ADMIN: "An admin of a Space",
    UserRole.VISITOR: "A visitor",
}


class NotPermitted(BadInput):
    """Somebody asked for what their role may not do."""

    def __init__(self, permission: Permission, role: UserRole) -> None:
        self.permission = permission
        self.role = role
        problem, remedy = f"{_NAMES[role]} may not {_DONE[permission]}.", _remedy(permission)
        super().__init__(f"permission {permission.value!r}", problem, remedy)
        self.args = (f"{problem} {remedy}",)


def is_granted(permission: Permission, role: UserRole) -> bool:
    """Whether a role has a permission."""
    return role in GRANTED[permission]


def _remedy(permission: Permission) -> str:
    if UserRole.SPACE_ADMIN in GRANTED[permission]:
        return "Ask an admin: WORKBENCH_ADMINS names them."
    return "Only an admin of a server with accounts may, and nobody on a Space."


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Someone that the store keeps data for, apart from all others."""

    key: str | None
    """Tells one owner from another; None is the one person of an own machine."""
    role: UserRole = UserRole.MEMBER
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


LOCAL_OWNER: Final = Owner(key=None, role=UserRole.LOCAL)
"""The person at their own machine, where nobody logs in."""
NOBODY: Final = Owner(key="nobody", role=UserRole.VISITOR)
"""Whose services a page on a server has until an event says who it comes from: owns nothing, may do the least."""

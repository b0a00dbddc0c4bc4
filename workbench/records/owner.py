"""Owners of data: their roles, their permissions, and the entries of the audit log."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """An action in the audit log. Entries are never changed or removed."""

    number: int
    """Increases over all owners."""
    at: datetime
    """When, UTC."""
    who: str
    """Who did it; empty for the only user of a local installation."""
    action: str
    """What was done, such as `version.tag`."""
    subject: str
    """What it was done to, such as `contract:minimal` or a message's id."""
    detail: Mapping[str, JsonValue] = field(hash=False)
    """Details, such as the previous value."""


class UserRole(StrEnum):
    """Role of a person on the server."""

    LOCAL = "local"
    """The only user of a local installation, without a login."""
    ADMIN = "admin"
    """An account that WORKBENCH_ADMINS names, on a server with accounts."""
    MEMBER = "member"
    """Any other account of a server with accounts."""
    SPACE_ADMIN = "space-admin"
    """A signed-in user of a Space whom WORKBENCH_ADMINS names."""
    VISITOR = "visitor"
    """Any other user of a Space, signed in or not."""


class Permission(StrEnum):
    """What an event, an API function or a value in a request may require."""

    WORK = "work"
    """Read and change your own sessions, contracts, tools, suites, labels, runs and rows."""
    ASK = "ask"
    """Use a model: chat, compare, run suites, compute token weights."""
    MANAGE_MODELS = "manage-models"
    """Download models to the server and delete them from it."""
    OPEN_FILES = "open-files"
    """Use a file on the server's disk by its path: a model, an adapter, a script or a recording."""
    OPEN_ROW_FILES = "open-row-files"
    """Open a file of rows on this machine by its path. Files of other people would be reachable on a shared server."""
    USE_SERVER_TOKEN = "use-server-token"
    """Use the hub with the server's access token: push rows, see its private repositories."""
    ADD_SERVERS = "add-servers"
    """Add an MCP server, which may start a program on the server's machine, or edit its servers with models."""
    RUN_COMMANDS = "run-commands"
    """Let the tool `terminal` run real commands, where WORKBENCH_TERMINAL allows any."""
    CHANGE_SETTINGS = "change-settings"
    """Write to the server's settings file, as "Always" does when a command needs approval."""
    READ_ALL = "read-all"
    """Read the sessions of all accounts."""


_EVERYBODY: Final = frozenset(UserRole)
_MACHINE: Final = frozenset({UserRole.LOCAL, UserRole.ADMIN})
"""Roles that are trusted with the machine itself. A Space only runs mocks, so its roles are not included."""
_ADMINS: Final = frozenset({UserRole.LOCAL, UserRole.ADMIN, UserRole.SPACE_ADMIN})

GRANTED: Final[Mapping[Permission, frozenset[UserRole]]] = {
    Permission.WORK: _EVERYBODY,
    Permission.ASK: _EVERYBODY,
    Permission.MANAGE_MODELS: _ADMINS,
    Permission.OPEN_FILES: _MACHINE,
    Permission.OPEN_ROW_FILES: frozenset({UserRole.LOCAL}),
    Permission.USE_SERVER_TOKEN: _ADMINS,
    Permission.ADD_SERVERS: _MACHINE,
    Permission.RUN_COMMANDS: _MACHINE,
    Permission.CHANGE_SETTINGS: _MACHINE,
    # A local installation has only one owner, so there are no other sessions to read.
    Permission.READ_ALL: frozenset({UserRole.ADMIN, UserRole.SPACE_ADMIN}),
}
"""The roles that have each permission; `docs/reference/permissions.md` shows the same table."""

_DONE: Final[Mapping[Permission, str]] = {
    Permission.WORK: "use this page",
    Permission.ASK: "use a model",
    Permission.MANAGE_MODELS: "download or delete models",
    Permission.OPEN_FILES: "open files on the server by their path",
    Permission.OPEN_ROW_FILES: "open files of rows by their path",
    Permission.USE_SERVER_TOKEN: "use the server's Hugging Face token",
    Permission.ADD_SERVERS: "change the servers of this machine",
    Permission.RUN_COMMANDS: "run commands",
    Permission.CHANGE_SETTINGS: "change the server's settings",
    Permission.READ_ALL: "read other people's sessions",
}
"""What each permission allows, as the end of "… may not …"."""
_NAMES: Final[Mapping[UserRole, str]] = {
    UserRole.LOCAL: "The local user",
    UserRole.ADMIN: "An admin",
    UserRole.MEMBER: "A member",
    UserRole.SPACE_ADMIN: "An admin of a Space",
    UserRole.VISITOR: "A visitor",
}


class NotPermitted(BadInput):
    """A request needs a permission that the role does not have."""

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
    if permission is Permission.OPEN_ROW_FILES:
        return "Upload the file instead."
    if UserRole.SPACE_ADMIN in GRANTED[permission]:
        return "Ask an admin: WORKBENCH_ADMINS names them."
    return "Only an admin of a server with accounts can do this; on a Space, nobody can."


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A person whose data the store keeps separate from everybody else's."""

    key: str | None
    """Identifies the owner; None is the only user of a local installation."""
    role: UserRole = UserRole.MEMBER
    name: str = ""
    """Name shown on the page; empty for someone who is not logged in."""
    address: str = field(default="", compare=False)
    """IP address of a visitor who is not logged in: visitors with one address share their turns at a model. Empty
    for others."""

    is_passing: bool = field(default=False, compare=False)
    """True for a visitor without a cookie: all of them with one address count as one."""

    @property
    def share(self) -> tuple[str, ...]:
        """Key for sharing a model fairly: address and owner for visitors, otherwise only the owner."""
        own = "" if self.is_passing else self.key or ""
        return (self.address, own) if self.address else (own,)

    def may(self, permission: Permission) -> bool:
        """Whether the owner has a permission."""
        return is_granted(permission, self.role)


_ACCOUNT: Final = "account:"


def account_key(name: str) -> str:
    """Return the owner's key of an account."""
    return f"{_ACCOUNT}{name}"


def account_name(key: str | None) -> str | None:
    """Return the name of the account with this key, or None if the key is not that of an account."""
    return key.removeprefix(_ACCOUNT) if key and key.startswith(_ACCOUNT) else None


LOCAL_OWNER: Final = Owner(key=None, role=UserRole.LOCAL)
"""The only user of a local installation, without a login."""
NOBODY: Final = Owner(key="nobody", role=UserRole.VISITOR)
"""Owner of a page on a server until an event shows who it comes from: owns nothing, has the fewest permissions."""

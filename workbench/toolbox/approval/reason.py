"""Why a command needs approval, and the environment that it runs in."""

from dataclasses import dataclass
from typing import Final, NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEnvironment:
    """An environment for commands."""

    is_contained: bool = True
    """True if a program can change nothing but the working folder and reach no network: a mock, a sandbox, a
    container. There, the project's own tools may run unasked."""
    root: str = ""
    """The working folder's absolute path; empty if it is not known."""
    folder: str = ""
    """Where the command starts: relative to the working folder, or an absolute path outside it."""
    private: tuple[str, ...] = ()
    """Absolute paths of folders that commands should not read, such as the workbench's data."""


UNKNOWN_PROGRAM: Final = "unknown program"
UNKNOWN_ARGUMENT: Final = "unknown option or argument"
SENSITIVE: Final = "sensitive file"
OUTSIDE: Final = "outside the working folder"
NETWORK: Final = "network access"
PROJECT_CODE: Final = "project code outside a sandbox"
FRESH_CODE: Final = "code that the same command writes"
SYNTAX: Final = "shell syntax that is not checked"
VARIABLE: Final = "environment variable set"

NAMES: Final = (
    UNKNOWN_PROGRAM, UNKNOWN_ARGUMENT, SENSITIVE, OUTSIDE, NETWORK, PROJECT_CODE, FRESH_CODE, SYNTAX, VARIABLE,
)  # fmt: skip


class ApprovalReason(NamedTuple):
    """One reason to ask."""

    reason: str
    """One of `NAMES` or of the categories' names."""
    detail: str = ""
    """What it is about, such as an option; empty if the reason says it all."""
    key: str = ""
    """What an answer for longer than once is remembered by, such as `rm: recursive delete`.

    Empty if the doubt is about anything that could be written there; then the whole command is remembered.
    """

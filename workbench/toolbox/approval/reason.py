"""Reasons why a command needs approval, and the environment that it runs in."""

from dataclasses import dataclass
from typing import Final, NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEnvironment:
    """Where a command runs, as far as approval depends on it."""

    is_contained: bool = True
    """True if a program can change only the working folder and has no network, as in a mock, a sandbox or a container.
    There, changes to files and the project's own tools run without approval. Elsewhere, only pure readers do."""
    root: str = ""
    """Absolute path of the working folder. Empty if it is not known."""
    folder: str = ""
    """Folder where the command starts: relative to the working folder, or an absolute path outside of it."""
    shares_folder: bool = False
    """True if the working folder is a person's own, and a sandbox protects its repository."""
    private: tuple[str, ...] = ()
    """Absolute paths of folders that commands should not read, such as the workbench's data."""


ASKED: Final = "You are asked before everything that is not on a short list of pure readers"
"""What holds where commands are not contained. `workbench doctor` and the page show it."""

UNKNOWN_PROGRAM: Final = "unknown program"
UNKNOWN_ARGUMENT: Final = "unknown option or argument"
SENSITIVE: Final = "sensitive file"
PATTERN: Final = "pattern that counts as every file"
OUTSIDE: Final = "outside the working folder"
NETWORK: Final = "network access"
UNSANDBOXED: Final = "not a pure reader, outside a sandbox"
PROJECT_CODE: Final = "project code outside a sandbox"
FRESH_CODE: Final = "code that the same command writes"
SYNTAX: Final = "shell syntax that is not checked"
VARIABLE: Final = "environment variable set"

NAMES: Final = (
    UNKNOWN_PROGRAM, UNKNOWN_ARGUMENT, SENSITIVE, PATTERN, OUTSIDE, NETWORK, UNSANDBOXED, PROJECT_CODE, FRESH_CODE,
    SYNTAX, VARIABLE,
)  # fmt: skip


class ApprovalReason(NamedTuple):
    """A reason why a command needs approval."""

    reason: str
    """One of `NAMES`, or of the names in `categories.NAMES`."""
    detail: str = ""
    """What it is about, such as an option; may be empty."""
    key: str = ""
    """Key under which "Allow for this session" and "Always allow" are stored, such as `rm: recursive delete`.

    Empty if no short key describes all commands with this reason. Then the answer is stored for the exact command.
    """

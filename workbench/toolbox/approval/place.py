"""Where commands run, as far as the rules need to know it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
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

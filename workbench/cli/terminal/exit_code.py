"""What the exit code of a command means."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of all commands, as `docs/reference/cli.md` lists them."""

    DONE = 0
    FOUND = 1
    """The command did its work, and it found problems, or something that it ran failed or was cut off."""
    BAD_INPUT = 2
    """Wrong usage, bad input, a database that cannot be used, or a full disk."""
    UNREACHABLE = 3
    """A model cannot be loaded or does not answer, or a server cannot be reached or refuses."""
    INTERRUPTED = 130
    """Ctrl+C stopped the command: 128 and the number of the signal, as shells count."""
    CLOSED_PIPE = 141
    """The program that read standard output closed it: 128 and the number of SIGPIPE, as shells count."""

"""Which process writes, and whether it is still there."""

import socket
from functools import cache

import psutil


@cache
def this_writer() -> str:
    """Names this process, and no other one before or after it: machine, number, moment of its start."""
    process = psutil.Process()
    return f"{socket.gethostname()} {process.pid} {process.create_time():.2f}"


def has_ended(writer: str, *, is_silent: bool) -> bool:
    """Whether the process that `this_writer` named so is gone.

    Args:
        writer: The name.
        is_silent: What counts of a process on another machine, which cannot be looked for.
    """
    host, _, process_name = writer.partition(" ")
    pid, _, started = process_name.partition(" ")
    if host != socket.gethostname() or not pid.isdecimal():
        return is_silent
    try:
        process = psutil.Process(int(pid))
        # One that was killed keeps its number until its parent has asked how it ended.
        is_over = process.status() == psutil.STATUS_ZOMBIE
        return is_over or f"{process.create_time():.2f}" != started
    except psutil.NoSuchProcess:
        return True

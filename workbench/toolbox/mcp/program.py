"""Start an MCP server as a local program, exchange messages with it, and end it.

The SDK has a transport for this, but it keeps a line of any length in memory, logs a traceback for each line that it
cannot parse, and does not end a server whose connection failed.

*Source:* https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
"""

import os
import re
import signal
import subprocess
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from time import monotonic, sleep
from typing import Any, Final

import anyio
import psutil
from anyio.abc import Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from workbench.toolbox.mcp.bounds import (
    MOST_MESSAGE_BYTES,
    MOST_WINDOW_BYTES,
    WINDOW_S,
    InvalidLineCounter,
    McpServerRefused,
    RateLimit,
)
from workbench.toolbox.mcp.config import McpServerConfig
from workbench.toolbox.mcp.sdk import message_text, parse_message

ENDING_S: Final = 1.0
"""Time that a program has to end after its input is closed, and again after SIGTERM."""
_MOST_LINES: Final = 40
"""Lines of standard error that are kept, from the end."""
_MOST_LINE_CHARS: Final = 500
_EXIT_S: Final = 1.0
"""Time from the end of the output of a program to its exit status and the end of its standard error."""
Source = MemoryObjectReceiveStream[SessionMessage | Exception]
Sink = MemoryObjectSendStream[SessionMessage]


class ProgramLog:
    """The end of what a program wrote to standard error, and how the program ended. Several threads may read it."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=_MOST_LINES)
        self._rest = ""
        self.exit_code: int | None = None
        """Set if the program ended on its own. A negative number is the signal that ended it."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines, without terminal codes."""
        lines = (*self._lines.copy(), self._rest)
        return tuple(line for line in map(_plain, lines) if line)

    def add(self, data: bytes) -> None:
        """Add output, which may end in the middle of a line."""
        *lines, rest = (self._rest + data.decode(errors="replace")).split("\n")
        self._lines.extend(line[:_MOST_LINE_CHARS] for line in lines[-_MOST_LINES:])
        self._rest = rest[:_MOST_LINE_CHARS]

    def said(self) -> str:
        """Return the line that probably names a problem: the last one about an error, or else the last one."""
        lines = self.lines
        errors = (line for line in reversed(lines) if re.search("error|exception", line, re.IGNORECASE))
        line = next(errors, lines[-1] if lines else "")
        return line.strip()[:200]

    def cause(self) -> str:
        """Return how the program ended. Empty if it did not end on its own."""
        if self.exit_code is None:
            return ""
        if self.exit_code < 0:
            return f"its program was ended by signal {-self.exit_code}"
        return f"its program ended with exit code {self.exit_code}"


_CONTROL: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


def _plain(line: str) -> str:
    return _CONTROL.sub("", line).rstrip()


@asynccontextmanager
async def program_streams(
    server: McpServerConfig, started: Callable[[int], None], log: ProgramLog
) -> AsyncGenerator[tuple[Source, Sink]]:
    """Run the program while the context is open. Afterwards it and all its child processes have ended.

    Args:
        started: Called with the process id, which is also the id of its process group.
        log: Gets the standard error of the program, and its exit code.

    Raises:
        OSError: The program cannot be started.
        McpServerRefused: The program broke a limit.
        ConnectionError: The program ended.
    """
    to_session, source = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sink, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    async with source, sink, to_session, from_session:
        process = await anyio.open_process(
            [server.command, *server.args],
            env={**get_default_environment(), **server.env},
            stderr=subprocess.PIPE,
            cwd=server.cwd or None,
            start_new_session=True,
        )
        started(process.pid)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_read, process, to_session, log)
                tasks.start_soon(_write, process, from_session)
                yield source, sink
                tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process, log)


def end_group(pid: int) -> None:
    """End a program and all its child processes, first with SIGTERM, then with SIGKILL.

    Args:
        pid: Process id of the program, which is also the id of its process group. It may have ended already.
    """
    members = _members(pid)
    _signal_group(pid, members, is_kill=False)
    until = monotonic() + ENDING_S
    while any(map(_is_running, members)) and monotonic() < until:
        sleep(0.02)
    # Processes that did not end may have started others in the meantime.
    _signal_group(pid, [*members, *_members(pid)], is_kill=True)


def _is_running(process: psutil.Process) -> bool:
    """Whether a process still runs.

    This must not wait for the process: asyncio waits for its own child and would then miss its exit status.
    """
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _members(pid: int) -> list[psutil.Process]:
    try:
        program = psutil.Process(pid)
        return [program, *program.children(recursive=True)]
    except psutil.Error:
        return []


def _signal_group(pid: int, members: list[psutil.Process], *, is_kill: bool) -> None:
    if os.name == "posix":
        # This also reaches processes whose parent has ended.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL if is_kill else signal.SIGTERM)
    for member in members:
        with suppress(psutil.Error):
            member.kill() if is_kill else member.terminate()


async def _end(process: Process, log: ProgramLog) -> None:
    """Close the input of a program, and end the program if that does not make it exit."""
    if process.stdin:
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await process.stdin.aclose()
    with anyio.move_on_after(ENDING_S):
        await process.wait()
    await anyio.to_thread.run_sync(end_group, process.pid)
    # asyncio closes its end of the pipe after reading up to the end.
    with anyio.move_on_after(ENDING_S):
        async for _ in _chunks(process.stdout):
            pass
        async for chunk in _chunks(process.stderr):
            log.add(chunk)
    await process.aclose()
    await anyio.sleep(0.01)


async def _read(
    process: Process, target: MemoryObjectSendStream[SessionMessage | Exception], log: ProgramLog
) -> None:
    async with target, anyio.create_task_group() as tasks:
        errors_ended = anyio.Event()
        tasks.start_soon(_read_errors, process, log, errors_ended)
        await _read_messages(process, target)
        # The session reports the end as soon as the stream is closed. Then the cause must be known.
        with anyio.move_on_after(_EXIT_S):
            log.exit_code = await process.wait()
            # A child process may keep standard error open.
            await errors_ended.wait()
        tasks.cancel_scope.cancel()
    raise ConnectionError(log.cause() or "its program closed its standard output")


async def _read_messages(
    process: Process, target: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    invalid_lines = InvalidLineCounter()
    size = RateLimit(MOST_WINDOW_BYTES, f"it sent too much within {WINDOW_S:g} s")
    pending = bytearray()
    async for chunk in _chunks(process.stdout):
        size.add(len(chunk))
        pending += chunk
        *lines, rest = pending.split(b"\n")
        pending = bytearray(rest)
        if max(map(len, (*lines, pending))) > MOST_MESSAGE_BYTES:
            raise McpServerRefused(f"it sent a message of more than {MOST_MESSAGE_BYTES // 2**20} MiB")
        for line in lines:
            await _pass_on(bytes(line), invalid_lines, target)


async def _read_errors(process: Process, log: ProgramLog, ended: anyio.Event) -> None:
    async for chunk in _chunks(process.stderr):
        log.add(chunk)
    ended.set()


async def _pass_on(
    line: bytes, invalid_lines: InvalidLineCounter, target: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    if not line.strip():
        return
    try:
        message = parse_message(line)
    except (ValueError, RecursionError):
        invalid_lines.add(line[:200].decode(errors="replace"))
        return
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await target.send(SessionMessage(message))


async def _chunks(stream: Any) -> AsyncGenerator[bytes]:
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async for chunk in stream:
            yield chunk


async def _write(process: Process, source: MemoryObjectReceiveStream[SessionMessage]) -> None:
    stdin: Any = process.stdin
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        async with source:
            async for message in source:
                await stdin.send(message_text(message.message).encode(errors="replace") + b"\n")

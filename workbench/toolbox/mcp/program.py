"""Start an MCP server as a local program, exchange messages with it, and end it.

The SDK has a transport for this, but it keeps a line of any length in memory, logs a traceback for each line that it
cannot parse, and does not end a server whose connection failed.

*Source:* https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
"""

import os
import signal
import subprocess
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
from mcp.types import JSONRPCMessage
from pydantic import ValidationError

from workbench.toolbox.mcp.bounds import (
    MOST_MESSAGE_BYTES,
    MOST_WINDOW_BYTES,
    WINDOW_S,
    InvalidLineCounter,
    McpServerConfig,
    McpServerRefused,
    RateLimit,
)

ENDING_S: Final = 1.0
"""Time that a program has to end after its input is closed, and again after SIGTERM."""
Source = MemoryObjectReceiveStream[SessionMessage | Exception]
Sink = MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def program_streams(
    server: McpServerConfig, started: Callable[[int], None]
) -> AsyncGenerator[tuple[Source, Sink]]:
    """Run the program while the context is open. Afterwards it and all its child processes have ended.

    Args:
        started: Called with the process id, which is also the id of its process group.

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
            # Log output of the server is of no use to the model, and it would disturb the output of our commands.
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        started(process.pid)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_read, process, to_session)
                tasks.start_soon(_write, process, from_session)
                yield source, sink
                tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)


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


async def _end(process: Process) -> None:
    """Close the input of a program, and end the program if that does not make it exit."""
    if process.stdin:
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await process.stdin.aclose()
    with anyio.move_on_after(ENDING_S):
        await process.wait()
    await anyio.to_thread.run_sync(end_group, process.pid)
    # asyncio closes its end of the pipe after reading up to the end.
    with anyio.move_on_after(ENDING_S):
        async for _ in _chunks(process):
            pass
    await process.aclose()
    await anyio.sleep(0.01)


async def _read(process: Process, target: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    invalid_lines, size = (
        InvalidLineCounter(),
        RateLimit(MOST_WINDOW_BYTES, f"it sent too much within {WINDOW_S:g} s"),
    )
    pending = bytearray()
    async with target:
        async for chunk in _chunks(process):
            size.add(len(chunk))
            pending += chunk
            *lines, rest = pending.split(b"\n")
            pending = bytearray(rest)
            if max(map(len, (*lines, pending))) > MOST_MESSAGE_BYTES:
                raise McpServerRefused(f"it sent a message of more than {MOST_MESSAGE_BYTES // 2**20} MiB")
            for line in lines:
                await _pass_on(bytes(line), invalid_lines, target)
    raise ConnectionError("its program ended")


async def _pass_on(
    line: bytes, invalid_lines: InvalidLineCounter, target: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    if not line.strip():
        return
    try:
        message = JSONRPCMessage.model_validate_json(line)
    except (ValidationError, ValueError, RecursionError):
        invalid_lines.add(line[:200].decode(errors="replace"))
        return
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await target.send(SessionMessage(message))


async def _chunks(process: Process) -> AsyncGenerator[bytes]:
    stdout: Any = process.stdout
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async for chunk in stdout:
            yield chunk


async def _write(process: Process, source: MemoryObjectReceiveStream[SessionMessage]) -> None:
    stdin: Any = process.stdin
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        async with source:
            async for message in source:
                text = message.message.model_dump_json(by_alias=True, exclude_none=True)
                await stdin.send(text.encode(errors="replace") + b"\n")

"""Start an MCP server as a local program, and end it.

The SDK's own transport keeps a line of any length in memory, writes a traceback for each line that it cannot read, and
leaves a server running that it was never connected to.

*Source:* MCP 2025-06-18, transports, stdio; mcp 1.30, client/stdio.
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
"""How long a program may take to end by itself once its input is closed, and again after SIGTERM."""
Source = MemoryObjectReceiveStream[SessionMessage | Exception]
Sink = MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def program_streams(
    server: McpServerConfig, started: Callable[[int], None]
) -> AsyncGenerator[tuple[Source, Sink]]:
    """Runs the program while the streams are open; it has ended afterwards, and all that it started.

    Args:
        server: Its command line.
        started: Is given the number of its process, which is that of its group too.

    Raises:
        OSError: There is no such program.
        Misbehaved: It wrote what no server writes, or too much.
        ConnectionError: It ended.
    """
    to_session, source = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sink, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    async with source, sink, to_session, from_session:
        process = await anyio.open_process(
            [server.command, *server.args],
            env={**get_default_environment(), **server.env},
            # What it says there is not the model's, and would tear a terminal's screen.
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
    """Ends a program and all that it started: asked first, then killed. Nothing happens if all have ended.

    Args:
        pid: Of the program; its group has the same number.
    """
    members = _members(pid)
    _signal_group(pid, members, is_kill=False)
    until = monotonic() + ENDING_S
    while any(map(_is_running, members)) and monotonic() < until:
        sleep(0.02)
    # Those that did not end may have started more meanwhile.
    _signal_group(pid, [*members, *_members(pid)], is_kill=True)


def _is_running(process: psutil.Process) -> bool:
    """Not by waiting for it: that would take the news of its end from asyncio, which waits for its own child."""
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
        # Reaches those whose parent has ended as well.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL if is_kill else signal.SIGTERM)
    for member in members:
        with suppress(psutil.Error):
            member.kill() if is_kill else member.terminate()


async def _end(process: Process) -> None:
    """The input is closed; who does not end then is ended."""
    if process.stdin:
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await process.stdin.aclose()
    with anyio.move_on_after(ENDING_S):
        await process.wait()
    await anyio.to_thread.run_sync(end_group, process.pid)
    # asyncio closes its end of a pipe once it has read the other end's.
    with anyio.move_on_after(ENDING_S):
        async for _ in _chunks(process):
            pass
    await process.aclose()
    await anyio.sleep(0.01)


async def _read(process: Process, target: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    bad, size = InvalidLineCounter(), RateLimit(MOST_WINDOW_BYTES, f"it sent too much within {WINDOW_S:g} s")
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
                await _pass_on(bytes(line), bad, target)
    raise ConnectionError("its program ended")


async def _pass_on(
    line: bytes, bad: InvalidLineCounter, target: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    if not line.strip():
        return
    try:
        message = JSONRPCMessage.model_validate_json(line)
    except (ValidationError, ValueError, RecursionError):
        bad.add(line[:200].decode(errors="replace"))
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

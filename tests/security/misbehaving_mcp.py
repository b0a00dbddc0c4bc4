"""Connections to an MCP server that misbehaves, and the processes that it leaves."""

import secrets
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from workbench.toolbox.mcp.config import McpServerConfig
from workbench.toolbox.mcp.connection import Connection

SCRIPT = str(Path(__file__).with_name("mcp_server.py"))
PATIENCE_S = 60.0
"""Seconds after which a test fails, long enough for a machine under load."""


@pytest.fixture
def word() -> Iterator[str]:
    """Return a word that marks the processes of a test, and check that none is left at its end."""
    word = f"test-{secrets.token_hex(8)}"
    yield word
    left = processes(word)
    for process in left:
        process.kill()
    assert left == []


@pytest.fixture
def connect(word: str) -> Iterator[Callable[..., Connection]]:
    """Return a function that connects to a misbehaving server. The connections are closed at the end."""
    made: list[Connection] = []

    def connect(mode: str, **options: Any) -> Connection:
        server = McpServerConfig(
            command=sys.executable, args=(SCRIPT, mode, word), timeout=options.pop("timeout", PATIENCE_S)
        )
        made.append(Connection("test", server, **options))
        return made[-1]

    yield connect
    for connection in made:
        connection.close()


def processes(word: str) -> list[psutil.Process]:
    """Return the running processes that were started with a word."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if word in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found

"""The configuration of MCP servers, and limits on what a server may send: size, depth and rate."""

import json
import logging
from collections import deque
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any, Final, cast

import yaml
from mcp import ClientSession
from mcp.types import PaginatedRequestParams, Tool
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workbench.chat.json_value import is_too_deep
from workbench.errors import BadInput
from workbench.toolspec.yaml_text import load_yaml


class McpServerConfig(BaseModel):
    """One server as it stands in the file: a program of this machine, or an address."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    command: str = ""
    """The program; its standard streams are the line to it."""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """Variables beside the few that every program gets."""
    url: str = ""
    """Address of a streamable HTTP server."""
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """Sent with every request."""
    timeout: float = Field(default=60, gt=0, le=3600)
    """Seconds that a call, or the first answer, may take."""
    enabled: bool = True
    """False leaves it alone."""

    @model_validator(mode="after")
    def _one_line(self) -> "McpServerConfig":
        if bool(self.command) == bool(self.url):
            raise ValueError("give either command or url")
        return self


class _ToolsFile(BaseModel):
    model_config = ConfigDict(extra="ignore")
    mcp_servers: dict[str, McpServerConfig] = Field(default_factory=dict[str, McpServerConfig])


def load_servers(path: Path) -> dict[str, McpServerConfig]:
    """The servers of a settings file that are enabled, by name; none where there is no file.

    Raises:
        BadInput: The file cannot be read, or a server in it is not well described.
    """
    try:
        loaded: Any = load_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadInput(str(path), " ".join(str(error).split())[:300]) from error
    try:
        servers = _ToolsFile.model_validate(loaded or {}).mcp_servers
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{path}, {'.'.join(map(str, first['loc']))}", first["msg"]) from error
    return {name: server for name, server in servers.items() if server.enabled}


MOST_MESSAGE_BYTES: Final = 4 * 2**20
"""Of one message."""
MOST_LEVELS: Final = 64
"""Arrays and objects within each other, in a schema and in an answer."""
MOST_TOOLS: Final = 1000
MOST_PAGES: Final = 100
"""Pages that a list of tools may come in."""
MOST_SCHEMA_CHARS: Final = 200_000
MOST_DESCRIPTION_CHARS: Final = 20_000
"""A longer description is cut: it stands in every prompt."""
MOST_BAD_LINES: Final = 20
"""Lines that are no messages of MCP, before the server is ended. Some programs greet on standard output."""
MOST_UNASKED: Final = 500
"""Messages within `WINDOW_S` that answer nothing."""
MOST_WINDOW_BYTES: Final = 64 * 2**20
"""Bytes within `WINDOW_S`."""
WINDOW_S: Final = 10.0


class McpServerRefused(ConnectionError):
    """A server that must not be talked to any further; the text says what it did."""


class RateLimit:
    """How much came within the last seconds.

    Args:
        most: More than that is refused.
        problem: What is said then.
    """

    def __init__(self, most: int, problem: str, now_s: Callable[[], float] = monotonic) -> None:
        self._most = most
        self._problem = problem
        self._now_s = now_s
        self._came: deque[tuple[float, int]] = deque()
        self._sum = 0

    def add(self, amount: int = 1) -> None:
        """So much came now.

        Raises:
            McpServerRefused: That was too much.
        """
        now = self._now_s()
        self._came.append((now, amount))
        self._sum += amount
        while self._came[0][0] < now - WINDOW_S:
            self._sum -= self._came.popleft()[1]
        if self._sum > self._most:
            raise McpServerRefused(self._problem)


class InvalidLineCounter:
    """Counts what a server writes that is no message of MCP."""

    def __init__(self) -> None:
        self._count = 0

    def add(self, line: str) -> None:
        """One such line.

        Raises:
            McpServerRefused: These are too many.
        """
        self._count += 1
        if self._count >= MOST_BAD_LINES:
            raise McpServerRefused(
                f"it wrote {self._count} lines that are not messages of MCP, the last: {line[:60]!r}"
            )


def problem_of_tool(tool: Tool) -> str:
    """Why a tool is not offered; empty if it is."""
    if is_too_deep(tool.inputSchema, MOST_LEVELS):
        return f"its schema is nested more than {MOST_LEVELS} levels deep"
    if len(json.dumps(tool.inputSchema)) > MOST_SCHEMA_CHARS:
        return f"its schema has more than {MOST_SCHEMA_CHARS:,} characters"
    return ""


async def list_all(session: ClientSession) -> tuple[Tool, ...]:
    """All tools of a server, page by page.

    Raises:
        McpServerRefused: There are too many, or the list has no end.
    """
    tools: list[Tool] = []
    cursors: set[str] = set()
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        params = None if cursor is None else PaginatedRequestParams(cursor=cursor)
        listed = await session.list_tools(params=params)
        tools += listed.tools
        if len(tools) > MOST_TOOLS:
            raise McpServerRefused(f"it lists more than {MOST_TOOLS:,} tools")
        cursor = listed.nextCursor
        if not cursor:
            return tuple(tools)
        if cursor in cursors:
            raise McpServerRefused("its list of tools goes round in circles")
        cursors.add(cursor)
    raise McpServerRefused(f"its list of tools has more than {MOST_PAGES} pages")


class ShortLogRecords(logging.Filter):
    """Makes one short line of what the SDK logs: it writes a traceback and the raw text for each bad message."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Cuts the record; nothing is left out, since the number of bad messages is bounded."""
        record.msg, record.args = record.getMessage()[:200], None
        record.exc_info, record.exc_text = None, None
        return True


def shorten_sdk_logs() -> None:
    """Keep the SDK's log short; may be called again."""
    for name in ("mcp.client.streamable_http", "mcp.client.session", "mcp.shared.session"):
        logger = logging.getLogger(name)
        if not any(isinstance(one, ShortLogRecords) for one in cast("list[Any]", logger.filters)):
            logger.addFilter(ShortLogRecords())

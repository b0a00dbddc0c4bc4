"""Configuration of MCP servers, and limits on the size, depth and rate of what a server sends."""

import json
import logging
from collections import deque
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workbench.chat.json_value import is_too_deep
from workbench.errors import BadInput
from workbench.toolspec.form_faults import first_fault
from workbench.toolspec.yaml_text import load_yaml

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.types import Tool


class McpServerConfig(BaseModel):
    """Configuration of one server: a local program, or the address of a running server."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    command: str = ""
    """Program that is started; it talks over its standard input and output."""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """Environment variables, in addition to the few that the SDK passes on."""
    url: str = ""
    """Address of a streamable HTTP server."""
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """HTTP headers of every request."""
    timeout: float = Field(default=60, gt=0, le=3600)
    """Seconds that a call, or connecting, may take."""
    enabled: bool = True
    """False if the server is not started."""

    @model_validator(mode="after")
    def _one_line(self) -> "McpServerConfig":
        if bool(self.command) == bool(self.url):
            raise ValueError("give either command or url")
        return self


class _ToolsFile(BaseModel):
    model_config = ConfigDict(extra="ignore")
    mcp_servers: dict[str, McpServerConfig] = Field(default_factory=dict[str, McpServerConfig])


def load_servers(path: Path) -> dict[str, McpServerConfig]:
    """Return the enabled servers of a settings file by name. Empty if the file does not exist.

    Raises:
        BadInput: The file cannot be read, or the configuration of a server is invalid.
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
        place, problem = first_fault(error, _ToolsFile)
        raise BadInput(f"{path}, {place}", problem) from error
    return {name: server for name, server in servers.items() if server.enabled}


MOST_MESSAGE_BYTES: Final = 4 * 2**20
"""Largest message."""
MOST_LEVELS: Final = 64
"""Deepest nesting of arrays and objects in a schema or an answer."""
MOST_TOOLS: Final = 1000
MOST_PAGES: Final = 100
"""Most pages of a list of tools."""
MOST_SCHEMA_CHARS: Final = 200_000
MOST_DESCRIPTION_CHARS: Final = 20_000
"""Longest description. Longer ones are cut, because they are part of every prompt."""
MOST_BAD_LINES: Final = 20
"""Lines that are not MCP messages after which a server is ended. Some programs print a greeting to standard output."""
MOST_UNASKED: Final = 500
"""Messages within `WINDOW_S` that are not answers."""
MOST_WINDOW_BYTES: Final = 64 * 2**20
"""Bytes within `WINDOW_S`."""
WINDOW_S: Final = 10.0


class McpServerRefused(ConnectionError):
    """A server broke a limit and must not be used any more. The message says which limit."""


class RateLimit:
    """Limits an amount within the last `WINDOW_S` seconds.

    Args:
        most: Largest allowed amount.
        problem: Message of the error if it is exceeded.
        now_s: Clock, in seconds.
    """

    def __init__(self, most: int, problem: str, now_s: Callable[[], float] = monotonic) -> None:
        self._most = most
        self._problem = problem
        self._now_s = now_s
        self._amounts: deque[tuple[float, int]] = deque()
        self._sum = 0

    def add(self, amount: int = 1) -> None:
        """Count an amount that arrived now.

        Raises:
            McpServerRefused: The limit is exceeded.
        """
        now = self._now_s()
        self._amounts.append((now, amount))
        self._sum += amount
        while self._amounts[0][0] < now - WINDOW_S:
            self._sum -= self._amounts.popleft()[1]
        if self._sum > self._most:
            raise McpServerRefused(self._problem)


class InvalidLineCounter:
    """Counts lines of a server that are not MCP messages."""

    def __init__(self) -> None:
        self._count = 0

    def add(self, line: str) -> None:
        """Count a line.

        Raises:
            McpServerRefused: There were `MOST_BAD_LINES` of them.
        """
        self._count += 1
        if self._count >= MOST_BAD_LINES:
            raise McpServerRefused(
                f"it wrote {self._count} lines that are not MCP messages, the last one: {line[:60]!r}"
            )


def problem_of_tool(tool: "Tool") -> str:
    """Return why a tool of a server is not offered, or an empty text if it is."""
    if is_too_deep(tool.inputSchema, MOST_LEVELS):
        return f"its schema is nested more than {MOST_LEVELS} levels deep"
    if len(json.dumps(tool.inputSchema)) > MOST_SCHEMA_CHARS:
        return f"its schema has more than {MOST_SCHEMA_CHARS:,} characters"
    return ""


async def list_all(session: "ClientSession") -> "tuple[Tool, ...]":
    """Request all tools of a server, page by page.

    Raises:
        McpServerRefused: There are too many tools or pages.
    """
    from mcp.types import PaginatedRequestParams

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
            raise McpServerRefused("its list of tools repeats itself")
        cursors.add(cursor)
    raise McpServerRefused(f"its list of tools has more than {MOST_PAGES} pages")


class ShortLogRecords(logging.Filter):
    """Shortens log records of the SDK to one line. It logs a traceback and the raw text of each invalid message."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten the record. All records are kept, because the number of invalid messages is limited."""
        record.msg, record.args = record.getMessage()[:200], None
        record.exc_info, record.exc_text = None, None
        return True


def shorten_sdk_logs() -> None:
    """Shorten the log records of the SDK. It can be called more than once."""
    for name in ("mcp.client.streamable_http", "mcp.client.session", "mcp.shared.session"):
        logger = logging.getLogger(name)
        if not any(isinstance(existing, ShortLogRecords) for existing in cast("list[Any]", logger.filters)):
            logger.addFilter(ShortLogRecords())

"""Limits on the size, depth and rate of what an MCP server sends."""

import json
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

from workbench.chat.json_value import JsonObject, is_too_deep

if TYPE_CHECKING:
    from mcp import ClientSession


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTool:
    """A tool from the list of a server."""

    name: str
    description: str
    """For the model; may be empty."""
    schema: JsonObject = field(hash=False)
    """JSON Schema of the arguments."""
    problem: str = ""
    """Why the tool is not offered. Empty if it is."""


def server_tool(listed: JsonObject) -> ServerTool:
    """Return a tool of a list, with its description cut and its schema checked."""
    schema = listed.get("inputSchema")
    description = listed.get("description")
    return ServerTool(
        name=str(listed.get("name", "")),
        description=description[:MOST_DESCRIPTION_CHARS] if isinstance(description, str) else "",
        schema=cast(JsonObject, schema if isinstance(schema, dict) else {}),
        problem=_problem_of(schema),
    )


def _problem_of(schema: object) -> str:
    if is_too_deep(cast(Any, schema), MOST_LEVELS):
        return f"its schema is nested more than {MOST_LEVELS} levels deep"
    if len(json.dumps(schema)) > MOST_SCHEMA_CHARS:
        return f"its schema has more than {MOST_SCHEMA_CHARS:,} characters"
    return ""


async def list_all(session: "ClientSession") -> tuple[ServerTool, ...]:
    """Request all tools of a server, page by page.

    Raises:
        McpServerRefused: There are too many tools or pages.
    """
    from workbench.toolbox.mcp.sdk import list_page

    tools: list[ServerTool] = []
    cursors: set[str] = set()
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await list_page(session, cursor)
        listed = cast("list[JsonObject]", page.get("tools") or [])
        if len(tools) + len(listed) > MOST_TOOLS:
            raise McpServerRefused(f"it lists more than {MOST_TOOLS:,} tools")
        tools += map(server_tool, listed)
        cursor = cast("str | None", page.get("nextCursor"))
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

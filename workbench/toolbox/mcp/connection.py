"""A connection to an MCP server that outlives its sessions: a server that ended is started again.

*Source:* https://modelcontextprotocol.io/specification/2025-06-18
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock, Thread
from time import monotonic
from typing import Final, cast

from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult, TextContent, Tool

from workbench.chat.json_value import JsonObject, JsonValue, is_too_deep
from workbench.toolbox.mcp.bounds import (
    MOST_DESCRIPTION_CHARS,
    MOST_LEVELS,
    McpServerConfig,
    problem_of_tool,
)
from workbench.toolbox.mcp.session import McpConnection

_PING_S: Final = 3.0
RETRY_AFTER_S: Final = (10.0, 30.0, 90.0)
"""Time from the end of a server to its first, second and third restart. After that, it is not started again."""
STABLE_S: Final = 600.0
"""After running for this long, a server gets all its restarts again."""


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


class Connection:
    """A connection to one server, over one or more sessions. It can be used from any thread.

    Args:
        name: Name of the server in the settings file.
        on_tools: Called in another thread when the list of tools may have changed.
        now_s: Clock, in seconds.
    """

    def __init__(
        self,
        name: str,
        server: McpServerConfig,
        on_tools: Callable[[], None] = lambda: None,
        *,
        now_s: Callable[[], float] = monotonic,
    ) -> None:
        self._on_tools = on_tools
        self._name = name
        self._server = server
        self._now_s = now_s
        self._lock = Lock()
        self._line: McpConnection | None = None
        self._is_closed = False
        self._opened_at_s = 0.0
        self._ended_at_s: float | None = None
        self._attempts = 0
        self._starting: Thread | None = None

    @property
    def tools(self) -> tuple[ServerTool, ...]:
        """Tools that the server listed last."""
        return () if self._line is None else tuple(map(_listed, self._line.tools))

    def open(self) -> None:
        """Connect to the server and list its tools.

        Raises:
            ConnectionError: The server does not answer in time, or its answer is invalid. Its program has been ended.
        """
        line = McpConnection(self._name, self._server, self._on_tools)
        with self._lock:
            self._line = line
        line.open()
        self._opened_at_s = self._now_s()
        if self._is_closed:
            line.close()

    def check(self) -> bool:
        """Return True if the server answers. A server that has ended is started again when its time has come.

        Raises:
            ConnectionError: The server does not answer. The message says why.
        """
        line = self._live()
        try:
            line.ask(lambda session: session.send_ping(), _PING_S)
        except TimeoutError:
            raise ConnectionError(f"the MCP server {self._name!r} does not answer") from None
        except Exception as error:
            raise ConnectionError(f"the MCP server {self._name!r} is gone: {error}") from error
        return True

    def call(self, tool: str, arguments: Mapping[str, object]) -> JsonValue:
        """Call a tool and return its structured result, or else its text.

        Raises:
            ConnectionError: The server has ended.
            TimeoutError: The server did not answer in time.
        """
        line, timeout_s = self._live(), self._server.timeout
        limit = timedelta(seconds=timeout_s)
        try:
            result = line.ask(
                lambda session: session.call_tool(tool, dict(arguments), read_timeout_seconds=limit),
                timeout_s + 1,
            )
        except McpError as error:
            if not line.is_open or "closed" in str(error).lower():
                raise self._gone(line.ended or str(error)) from error
            return {"error": str(error)[:1000]}
        except TimeoutError:
            raise
        except Exception as error:
            # Streams fail in several ways when a program ends. An answer of the wrong shape also ends the connection.
            raise self._gone(line.ended or str(error)[:200]) from error
        return _value(result)

    def begin_closing(self) -> None:
        """Ask the server to end, without waiting for it."""
        self._is_closed = True
        if self._line is not None:
            self._line.begin_closing()

    def close(self) -> None:
        """End the server. Afterwards its program and all child processes have ended."""
        self.begin_closing()
        if self._line is not None:
            self._line.close()

    def _live(self) -> McpConnection:
        line = self._line
        if line is not None and line.is_open:
            self._ended_at_s = None
            if self._now_s() - self._opened_at_s >= STABLE_S:
                self._attempts = 0
            return line
        why = "it was closed" if line is None or self._is_closed else line.ended or "it ended"
        raise self._gone(why + self._start_again(line))

    def _gone(self, why: str) -> ConnectionError:
        return ConnectionError(f"the MCP server {self._name!r} is gone: {why}")

    def _start_again(self, line: McpConnection | None) -> str:
        """Start the server again if its time has come. Return the end of the error message that says so."""
        with self._lock:
            if line is None or self._is_closed or line.is_refused:
                return ""
            if self._starting is not None and self._starting.is_alive():
                return "; it is being started again"
            if self._attempts == len(RETRY_AFTER_S):
                return f"; it was started again {self._attempts} times"
            if self._ended_at_s is None:
                self._ended_at_s = self._now_s()
            if self._now_s() < self._ended_at_s + RETRY_AFTER_S[self._attempts]:
                return "; it will be started again"
            self._attempts, self._ended_at_s = self._attempts + 1, None
            self._starting = Thread(target=self._try_again, args=(line,), daemon=True)
            self._starting.start()
            return "; it is being started again"

    def _try_again(self, previous: McpConnection) -> None:
        previous.close()
        try:
            self.open()
        except ConnectionError:
            # The next call of one of its tools reports the problem.
            return
        self._on_tools()


def _listed(tool: Tool) -> ServerTool:
    schema = cast(JsonObject, tool.inputSchema)
    description = (tool.description or "")[:MOST_DESCRIPTION_CHARS]
    return ServerTool(name=tool.name, description=description, schema=schema, problem=problem_of_tool(tool))


def _value(result: CallToolResult) -> JsonValue:
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    if result.isError:
        return {"error": "\n".join(texts) or "the tool failed"}
    if is_too_deep(result.structuredContent, MOST_LEVELS):
        return {"error": f"the server's answer is nested more than {MOST_LEVELS} levels deep"}
    if result.structuredContent is not None:
        return cast(JsonObject, result.structuredContent)
    if len(texts) == 1 and len(result.content) == 1:
        return texts[0]
    return {
        "content": [
            cast(JsonObject, block.model_dump(mode="json", exclude_none=True)) for block in result.content
        ]
    }

"""An MCP server as its tools see it: restarted when it ends. *Source:* MCP 2025-06-18; the Python SDK."""

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
"""How long after its end a server is started again: the first, second and third time. Then it is left alone."""
STABLE_S: Final = 600.0
"""One that has run for so long is started again as if for the first time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTool:
    """A tool as its server lists it."""

    name: str
    description: str
    """For the model; may be empty."""
    schema: JsonObject = field(hash=False)
    """JSON Schema of the arguments."""
    problem: str = ""
    """Why it is not offered; empty if it is."""


class Connection:
    """A server, through as many sessions as it takes. Its methods are called from any thread.

    Args:
        name: As the settings file names it.
        server: How to reach it.
        on_tools: Called, on a thread of its own, when its tools may be others now.
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
        """What the server lists."""
        return () if self._line is None else tuple(map(_listed, self._line.tools))

    def open(self) -> None:
        """Connects, and lists the tools.

        Raises:
            ConnectionError: The server does not answer, not in time, or not as a server does. Its program has ended.
        """
        line = McpConnection(self._name, self._server, self._on_tools)
        with self._lock:
            self._line = line
        line.open()
        self._opened_at_s = self._now_s()
        if self._is_closed:
            line.close()

    def check(self) -> bool:
        """Whether the server still answers. One that has ended is started again after a while.

        Raises:
            ConnectionError: It does not answer; says why.
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
        """The result of one call: structured if the server gives it so, else its text.

        Raises:
            ConnectionError: The server is gone.
            TimeoutError: It gave nothing in time.
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
            # The streams fail in several ways as a program ends; an answer of a wrong shape is the server's fault.
            raise self._gone(line.ended or str(error)[:200]) from error
        return _value(result)

    def begin_closing(self) -> None:
        """Ends the server without waiting for its end."""
        self._is_closed = True
        if self._line is not None:
            self._line.begin_closing()

    def close(self) -> None:
        """Ends the server; its program has ended afterwards, and all that it started."""
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
        """Starts the server again if its time has come; says so."""
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

    def _try_again(self, before: McpConnection) -> None:
        before.close()
        try:
            self.open()
        except ConnectionError:
            # Whoever uses one of its tools is told.
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

"""A connection to an MCP server. The server is started when it is needed, and again after it has ended.

*Source:* https://modelcontextprotocol.io/specification/2025-06-18
"""

from collections.abc import Callable, Mapping
from threading import Lock, RLock, Thread
from time import monotonic
from typing import Final

from workbench.chat.json_value import JsonValue
from workbench.toolbox.mcp import sdk
from workbench.toolbox.mcp.bounds import ServerTool
from workbench.toolbox.mcp.config import McpServerConfig, expanded
from workbench.toolbox.mcp.results import result_value
from workbench.toolbox.mcp.session import McpConnection
from workbench.toolbox.mcp.state import ServerState, ServerStatus

_PING_S: Final = 3.0
BACK_OFF_S: Final = (0.0, 2.0, 10.0, 30.0, 60.0)
"""Time from a failure of a server to its next start: after the first failure, the second, and so on. From the fifth on,
it is always the last one. A start that failed counts as the second failure at least."""
STABLE_S: Final = 600.0
"""After running for this long, a server's earlier failures no longer count."""


class Connection:
    """A connection to one server, over one or more sessions. It can be used from any thread.

    Args:
        name: Name of the server in the settings file.
        server: Its configuration, in which variables are replaced at each start.
        on_tools: Called when the list of tools may have changed. It must not wait for the server.
        known: Tools from an earlier connection. None if they are not known.
        environment: Values of the variables in the configuration.
        now_s: Clock, in seconds.
    """

    def __init__(
        self,
        name: str,
        server: McpServerConfig,
        on_tools: Callable[[], None] = lambda: None,
        *,
        known: tuple[ServerTool, ...] | None = None,
        environment: Mapping[str, str] | None = None,
        now_s: Callable[[], float] = monotonic,
    ) -> None:
        self._on_tools = on_tools
        self._name = name
        self._server = server
        self._known = known
        self._environment = dict(environment or {})
        self._now_s = now_s
        self._lock = RLock()
        self._starting = Lock()
        """Held while the server is started. Other callers wait for the outcome."""
        self._in_background: Thread | None = None
        self._line: McpConnection | None = None
        self._failure = ""
        self._is_refused = False
        self._is_closed = False
        self._opened_at_s = 0.0
        self._failures = 0
        self._start_at_s = 0.0

    @property
    def server(self) -> McpServerConfig:
        """Its configuration, as in the settings file."""
        return self._server

    @property
    def tools(self) -> tuple[ServerTool, ...]:
        """Tools that the server listed last, in this connection or before."""
        line = self._line
        return line.tools if line is not None and line.tools else self._known or ()

    @property
    def is_known(self) -> bool:
        """Whether the server has ever listed its tools."""
        return self._known is not None

    @property
    def was_tried(self) -> bool:
        """Whether a start was attempted."""
        return self._line is not None or bool(self._failure)

    @property
    def state(self) -> ServerState:
        """What the server does now. This does not start it."""
        line = self._line
        status, cause = ServerStatus.READY, ""
        if line is not None and line.is_open:
            status = ServerStatus.RUNNING
        elif self._starting.locked():
            status = ServerStatus.STARTING
        elif line is not None or self._failure:
            status = ServerStatus.FAILED
            cause = self._failure or (line.ended if line else "")
        return ServerState(
            name=self._name,
            server=self._server,
            status=status,
            cause=cause,
            tools=tuple(tool.name for tool in self.tools),
            lines=line.log.lines if line else (),
        )

    def open(self) -> None:
        """Connect to the server now, and list its tools. Does nothing if it is connected.

        Raises:
            ConnectionError: The server does not answer in time, or its answer is invalid. Its program has been ended.
        """
        with self._starting:
            if self._line is None or not self._line.is_open:
                self._start()

    def retry(self) -> None:
        """Connect to the server again, whatever happened before.

        Raises:
            ConnectionError: See `open`.
        """
        with self._starting:
            with self._lock:
                self._failures, self._is_refused, self._failure = 0, False, ""
            self._start()

    def check(self) -> bool:
        """Return True if the tools of the server can be offered: it answers, or can be started.

        A server whose start failed is started again in the background, once its time has come.

        Raises:
            ConnectionError: The server cannot be used now. The message says why.
        """
        line = self._line
        if line is None or not line.is_open:
            return self._check_start(line)
        try:
            line.ask(lambda session: session.send_ping(), _PING_S)
        except TimeoutError:
            raise ConnectionError(f"the MCP server {self._name!r} does not answer") from None
        except Exception as error:
            raise self._gone(line.ended or str(error)) from error
        return True

    def call(self, tool: str, arguments: Mapping[str, object]) -> JsonValue:
        """Call a tool and return its structured result, or else its text. Starts the server if it is not running.

        Raises:
            ConnectionError: The server cannot be started, or has ended.
            TimeoutError: The server did not answer in time.
        """
        line, timeout_s = self._live(), self._server.timeout
        try:
            result = line.ask(
                lambda session: sdk.call_tool(session, tool, dict(arguments), timeout_s), timeout_s + 1
            )
        except TimeoutError:
            raise
        except Exception as error:
            # Streams fail in several ways when a program ends, some of them a moment before the end is noted.
            if line.is_ending or "closed" in str(error).lower():
                raise self._gone(line.cause() or str(error)[:200]) from error
            return {"error": str(error)[:1000]}
        return result_value(result)

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
        """Return the running session. Start the server if it may be started now."""
        line = self._line
        if line is not None and line.is_open:
            return line
        with self._starting:
            line = self._line
            if line is not None and line.is_open:
                return line
            self._note_end(line)
            if wait := self._obstacle():
                raise self._gone(f"{self._failure}{wait}")
            self._start()
            line = self._line
            if line is None or self._is_closed:
                raise self._gone("it was closed")
            return line

    def _check_start(self, line: McpConnection | None) -> bool:
        if self._starting.locked():
            if self._known is not None and not self._failure:
                return True
            raise self._gone(f"{self._failure or 'it was not started'}; it is being started")
        self._note_end(line)
        if wait := self._obstacle():
            raise self._gone(f"{self._failure}{wait}")
        if self._failures < 2:
            # It has not failed to start: the next call starts it.
            return True
        with self._lock:
            if self._in_background is None or not self._in_background.is_alive():
                self._in_background = Thread(target=self._try_again, daemon=True)
                self._in_background.start()
        raise self._gone(f"{self._failure}; it is being started again")

    def _obstacle(self) -> str:
        """Return why the server may not be started now, as the end of a message. Empty if it may."""
        if self._is_closed:
            self._failure = self._failure or "it was closed"
            return " "
        if self._is_refused:
            return "; it is not started again until it is retried on the Tools tab"
        wait_s = self._start_at_s - self._now_s()
        return f"; it can be started again in {wait_s:.0f} s" if self._failures and wait_s > 0 else ""

    def _note_end(self, line: McpConnection | None) -> None:
        """Note that a session has ended, if this is not known yet."""
        with self._lock:
            if line is None or line is not self._line or self._failure:
                return
            self._fail(line.ended or "it ended", is_refused=line.is_refused)

    def _fail(self, why: str, *, is_refused: bool = False, is_start: bool = False) -> None:
        now_s = self._now_s()
        if not is_start and now_s - self._opened_at_s >= STABLE_S:
            self._failures = 0
        self._failures = max(self._failures + 1, 2 if is_start else 1)
        self._start_at_s = now_s + BACK_OFF_S[min(self._failures, len(BACK_OFF_S)) - 1]
        self._failure, self._is_refused = why, is_refused

    def _start(self) -> None:
        """Start a new session. The caller holds `_starting`.

        Raises:
            ConnectionError: It cannot be started.
        """
        if self._line is not None:
            self._line.close()
        try:
            line = McpConnection(self._name, expanded(self._server, self._environment), self._note_tools)
        except ConnectionError as error:
            with self._lock:
                self._fail(str(error), is_start=True)
            raise
        with self._lock:
            self._line = line
        try:
            line.open()
        except ConnectionError as error:
            with self._lock:
                self._fail(str(error), is_refused=line.is_refused, is_start=True)
            raise
        with self._lock:
            self._failure, self._opened_at_s = "", self._now_s()
        if self._is_closed:
            line.close()
            return
        self._note_tools()

    def _note_tools(self) -> None:
        tools, before = self.tools, self._known
        self._known = tools
        if tools != before:
            self._on_tools()

    def _try_again(self) -> None:
        try:
            self.open()
        except ConnectionError:
            # It is noted, and the next check reports it.
            return

    def _gone(self, why: str) -> ConnectionError:
        return ConnectionError(f"the MCP server {self._name!r} is gone: {why.strip()}")

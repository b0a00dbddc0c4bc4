"""MCP servers that misbehave are reported in one line, ended with their children, and delay nobody."""

import gzip
import logging
import secrets
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import psutil
import pytest
import yaml

from workbench.errors import BadInput, RemoteFailed
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.mcp.bounds import (
    MOST_UNASKED,
    WINDOW_S,
    InvalidLineCounter,
    McpServerRefused,
    RateLimit,
)
from workbench.toolbox.mcp.config import McpServerConfig
from workbench.toolbox.mcp.config_import import parse_address
from workbench.toolbox.mcp.connection import BACK_OFF_S, STABLE_S, Connection
from workbench.toolbox.mcp.source import McpTools

pytestmark = pytest.mark.slow

pytest.importorskip("mcp", reason="the extra mcp is not installed")

SCRIPT = str(Path(__file__).with_name("mcp_server.py"))
PATIENCE_S = 60.0
"""Seconds after which a test fails, long enough for a machine under load."""


class Clock:
    """A clock that tests move forward."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


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


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("ends at once", "ended"),
        ("ends in the greeting", "ended|closed"),
        ("garbage", "lines that are not MCP messages, the last one: 'Traceback"),
        ("binary garbage", "lines that are not MCP messages"),
        ("nested without end", "lines that are not MCP messages"),
        ("a line without end", "a message of more than 4 MiB"),
        ("endless pages", "more than 100 pages"),
        ("circular pages", "repeats itself"),
        ("many tools", "more than 1,000 tools"),
        ("refuses to begin", "no no no"),
        ("wrong list", "tools"),
    ],
)
def test_a_server_that_misbehaves_at_the_start_is_refused_and_ended(
    connect: Callable[..., Connection], word: str, caplog: pytest.LogCaptureFixture, mode: str, said: str
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(ConnectionError, match=said) as raised:
        connect(mode).open()
    assert len(str(raised.value)) < 400
    assert processes(word) == []
    assert "Traceback" not in caplog.text.replace("the last: 'Traceback", "")


@pytest.mark.parametrize("mode", ["silent", "stubborn"])
def test_a_server_that_does_not_answer_in_time_is_ended_with_its_children(
    connect: Callable[..., Connection], word: str, mode: str
) -> None:
    """This includes a server that ignores SIGTERM, and children in their own process group."""
    connection = connect(mode, timeout=2.0 if mode == "silent" else PATIENCE_S)
    if mode == "silent":
        with pytest.raises(ConnectionError, match="no answer within 2 s"):
            connection.open()
    else:
        connection.open()
        assert len(processes(word)) == 3
        connection.close()
    assert processes(word) == []


@pytest.mark.parametrize(
    "mode", ["well", "greets", "noisy on standard error", "leaves a child behind", "odd tools"]
)
def test_harmless_oddities_are_accepted(connect: Callable[..., Connection], word: str, mode: str) -> None:
    connection = connect(mode)
    connection.open()
    assert connection.check()
    assert connection.call("add", {"a": 1}) == "3"
    connection.close()
    connection.close()
    assert processes(word) == []
    with pytest.raises(ConnectionError, match="'test' is gone: it was closed"):
        connection.call("add", {})


def test_tools_that_are_too_large_are_left_out_and_reported(word: str, tmp_path: Path) -> None:
    made, problems = _catalog(tmp_path, {"test": _server("odd tools", word)})
    try:
        assert made.toolsets()["mcp-test"].names == ("mcp_test_add", "mcp_test_wordy")
        assert sorted(problem.split(": ", 1)[1] for problem in problems) == [
            "its schema has more than 200,000 characters",
            "its schema is nested more than 64 levels deep",
        ]
        assert len(made.toolsets()["mcp-test"].by_name["mcp_test_wordy"].description) <= 20_000
    finally:
        made.close()


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("big answer", "'test' is gone: it sent a message of more than 4 MiB"),
        ("garbage in a call", "'test' is gone: it wrote 20 lines"),
        ("floods in a call", "'test' is gone: it sent too many messages that nobody asked for"),
        ("changes its tools without end", "'test' is gone: it sent too many messages that nobody asked for"),
    ],
)
def test_a_server_that_misbehaves_in_a_call_is_reported_and_ended(
    connect: Callable[..., Connection], word: str, caplog: pytest.LogCaptureFixture, mode: str, said: str
) -> None:
    connection = connect(mode)
    connection.open()
    with pytest.raises(ConnectionError, match=said):
        connection.call("add", {"a": 1})
    with pytest.raises(ConnectionError, match="'test' is gone"):
        connection.check()
    connection.close()
    assert processes(word) == []
    assert len(caplog.text) < 20_000


def test_an_answer_of_the_wrong_shape_is_an_error_for_the_model(connect: Callable[..., Connection]) -> None:
    connection = connect("wrong answer")
    connection.open()
    answer = connection.call("add", {"a": 1})
    assert isinstance(answer, dict)
    assert "content" in str(answer["error"])
    assert connection.check()


def test_a_deep_answer_is_an_error_for_the_model(connect: Callable[..., Connection]) -> None:
    connection = connect("deep answer")
    connection.open()
    assert connection.call("add", {}) == {"error": "the server's answer is nested more than 64 levels deep"}


def test_a_call_without_an_answer_times_out_and_the_next_one_works(
    connect: Callable[..., Connection],
) -> None:
    connection = connect("never answers a call", timeout=5.0)
    connection.open()
    answer = connection.call("add", {})
    assert isinstance(answer, dict)
    assert "imed out" in str(answer["error"])
    assert connection.check()


def test_a_server_that_died_is_started_again_by_the_next_call_and_later_after_longer_waits(
    connect: Callable[..., Connection], word: str
) -> None:
    clock = Clock()
    connection = connect("dies in a call", now_s=clock)
    connection.open()
    _die(connection)
    assert connection.check()
    assert processes(word) == []
    for wait_s in BACK_OFF_S[1:]:
        # It is started again, and dies again.
        _die(connection)
        for use in (connection.check, lambda: connection.call("add", {})):
            with pytest.raises(
                ConnectionError, match=f"exit code 3; it can be started again in {wait_s:.0f} s"
            ):
                use()
        clock.now_s += wait_s
        _wait_for_start(connection)
        assert connection.check()
        assert len(processes(word)) == 1
    # After running for long, the next call starts it at once again.
    clock.now_s += STABLE_S
    _die(connection)
    assert connection.check()
    assert processes(word) == []


def test_a_server_that_does_not_start_is_tried_again_after_longer_waits(
    connect: Callable[..., Connection],
) -> None:
    clock = Clock()
    connection = connect("well", now_s=clock)
    server, connection._server = connection._server, McpServerConfig(command="no-such-program-of-a-test")
    with pytest.raises(ConnectionError, match="'no-such-program-of-a-test' was not found"):
        connection.open()
    for wait_s in (*BACK_OFF_S[1:], BACK_OFF_S[-1]):
        with pytest.raises(ConnectionError, match=f"not found; it can be started again in {wait_s:.0f} s"):
            connection.check()
        clock.now_s += wait_s
        _wait_for_start(connection)
    connection._server = server
    clock.now_s += BACK_OFF_S[-1]
    assert connection.call("add", {}) == "3"


def test_a_server_that_broke_a_limit_is_only_started_again_by_a_person(
    connect: Callable[..., Connection],
) -> None:
    clock = Clock()
    connection = connect("garbage in a call", now_s=clock)
    connection.open()
    _die(connection)
    clock.now_s += 10_000
    for use in (connection.check, lambda: connection.call("add", {})):
        with pytest.raises(
            ConnectionError, match=r"20 lines .*not started again until it is retried on the Tools tab"
        ):
            use()
    connection.retry()
    assert connection.check()


def test_what_a_program_writes_to_standard_error_is_kept_from_the_end(
    connect: Callable[..., Connection],
) -> None:
    connection = connect("noisy on standard error")
    connection.open()
    _answer(connection)
    lines = connection.state.lines
    assert 0 < len(lines) <= 41 and set(lines) == {"Traceback (most recent call last):"}


def test_a_server_that_cannot_be_saved_is_ended(word: str, tmp_path: Path) -> None:
    made, _ = _catalog(tmp_path, {})
    (tmp_path / "tools.yaml").write_text("mcp_servers: {}\n", encoding="utf-8")
    command = f"{sys.executable} {SCRIPT} stubborn {word}"
    with pytest.raises(BadInput, match="not on its own line"):
        add(made, "new", command)
    assert processes(word) == []
    (tmp_path / "tools.yaml").unlink()
    with pytest.raises(RemoteFailed, match="not MCP messages"):
        add(made, "new", f"{sys.executable} {SCRIPT} garbage {word}")
    assert processes(word) == []
    made.close()


def test_closing_the_catalog_ends_its_servers(word: str, tmp_path: Path) -> None:
    servers: dict[str, object] = {
        mode.replace(" ", "-"): _server(mode, word) for mode in ("well", "stubborn", "leaves a child behind")
    }
    made, problems = _catalog(tmp_path, servers)
    assert problems == []
    assert len(processes(word)) == 6
    made.close()
    assert processes(word) == []


class _Hostile(BaseHTTPRequestHandler):
    """An HTTP server that misbehaves in the way that its path says."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        body, headers = b"", {"content-type": "application/json"}
        match self.path.strip("/"):
            case "elsewhere":
                self._answer(307, {"location": "http://localhost:9/mcp"}, b"")
                return
            case "packed":
                headers["content-encoding"] = "gzip"
                body = gzip.compress(b" " * 50_000_000)
            case "page":
                headers["content-type"] = "text/html"
                body = b"<!doctype html><title>Welcome</title>"
            case "long":
                body = b" " * 8_000_000
            case "garbage":
                body = b"this is not JSON"
            case "nothing":
                body = b"null"
            case "deep":
                body = b"[" * 200_000
            case "events":
                self._events(b"event: message\ndata: null\n\n" * 100)
                return
            case "comments":
                self._events(b": still there\n\n")
                return
            case _:
                self._answer(500, headers, b"")
                return
        self._answer(200, headers, body)

    def do_GET(self) -> None:
        self._answer(405, {}, b"")

    do_DELETE = do_GET

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self._write(body)

    def _events(self, piece: bytes) -> None:
        """Send an endless stream of events while the client is connected."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        while self._write(piece * 100):
            pass

    def _write(self, data: bytes) -> bool:
        try:
            self.wfile.write(data)
        except OSError:
            return False
        return True

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, because the tests check the log."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hostile)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("elsewhere", "Redirect to http://localhost:9/mcp not followed"),
        ("packed", "compressed with 'gzip'"),
        ("events", "lines that are not MCP messages"),
        ("broken", "status 500"),
        ("page", "Unexpected content type: text/html"),
        ("long", "not an MCP message"),
        ("garbage", "not an MCP message"),
        ("nothing", "not an MCP message"),
        ("deep", "not an MCP message"),
        ("comments", "no answer within 1 s"),
    ],
)
def test_a_server_over_http_that_misbehaves_is_refused(
    address: str, caplog: pytest.LogCaptureFixture, path: str, said: str
) -> None:
    timeout_s = 1 if "no answer" in said else PATIENCE_S
    connection = Connection("test", McpServerConfig(url=f"{address}/{path}", timeout=timeout_s))
    with pytest.raises(ConnectionError, match=said) as raised:
        connection.open()
    assert len(str(raised.value)) < 400
    assert "Traceback" not in caplog.text
    assert len(caplog.text) < 20_000


class TestBounds:
    """Unit tests of the limits."""

    def test_a_window_forgets_what_is_long_ago(self) -> None:
        clock = Clock()
        window = RateLimit(MOST_UNASKED, "too many", clock)
        for _ in range(10):
            for _ in range(MOST_UNASKED):
                window.add()
            clock.now_s += WINDOW_S + 1
        window.add(MOST_UNASKED)
        with pytest.raises(McpServerRefused, match="too many"):
            window.add()

    def test_bad_lines_are_shown_short(self) -> None:
        bad = InvalidLineCounter()
        with pytest.raises(McpServerRefused) as raised:
            for _ in range(100):
                bad.add("x" * 10_000)
        assert len(str(raised.value)) < 200


def add(made: Catalog, name: str, command: str) -> None:
    made.servers.add(name, parse_address(name, command))


def _catalog(tmp_path: Path, servers: dict[str, object]) -> tuple[Catalog, list[str]]:
    path = tmp_path / "tools.yaml"
    path.write_text(yaml.safe_dump({"mcp_servers": servers}), encoding="utf-8")
    made = Catalog(tmp_path / "none", sources=[McpTools(path)], packages=())
    return made, list(made.problems())


def _server(mode: str, word: str) -> dict[str, object]:
    return {"command": sys.executable, "args": [SCRIPT, mode, word]}


def _die(connection: Connection) -> None:
    with pytest.raises(ConnectionError):
        connection.call("add", {})


def _answer(connection: Connection) -> None:
    assert connection.call("add", {}) == "3"


def _wait_for_start(connection: Connection) -> None:
    """Check the server, which starts it again, and wait for the outcome."""
    with pytest.raises(ConnectionError, match="it is being started again"):
        connection.check()
    starting = connection._in_background
    assert starting
    starting.join(PATIENCE_S)

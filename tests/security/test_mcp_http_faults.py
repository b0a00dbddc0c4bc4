"""MCP servers over HTTP that misbehave are refused in one line."""

import gzip
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.security.misbehaving_mcp import PATIENCE_S
from workbench.toolbox.mcp.config import McpServerConfig
from workbench.toolbox.mcp.connection import Connection

pytestmark = pytest.mark.slow

pytest.importorskip("mcp", reason="the extra mcp is not installed")


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

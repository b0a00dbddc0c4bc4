"""A local server with the part of the hub's API that we use."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class HubServer:
    """A hub with one repository. Changes apply to the next request."""

    files: dict[str, bytes]
    repository: str = "NousResearch/Hermes-Tiny-GGUF"
    url: str = ""
    cuts: list[int] = field(default_factory=list)
    """Each GET of a file removes one: the number of bytes after which the connection breaks."""
    ranges: list[str | None] = field(default_factory=list)
    """The `Range` header of each GET of a file."""
    tokens: list[str | None] = field(default_factory=list)
    searches: list[dict[str, list[str]]] = field(default_factory=list)
    ignores_ranges: bool = False
    lies: bool = False
    """True to send other bytes than the hash announces."""


@contextmanager
def hub_server(files: dict[str, bytes]) -> Iterator[HubServer]:
    hub = HubServer(files=files)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(is_head=True)

        def do_GET(self) -> None:
            self._answer(is_head=False)

        def _answer(self, *, is_head: bool) -> None:
            hub.tokens.append(self.headers.get("Authorization"))
            parts = urlsplit(self.path)
            resolve = f"/{hub.repository}/resolve/"
            if parts.path == "/api/models":
                hub.searches.append(parse_qs(parts.query))
                self._json(
                    [{"id": hub.repository, "downloads": 12, "likes": 3, "gated": False, "tags": ["gguf"]}]
                )
            elif parts.path.startswith(f"/api/models/{hub.repository}/tree/"):
                self._json([
                    {"type": "file", "path": name, "size": len(data), "oid": "0" * 40,
                     "lfs": {"oid": sha256(data).hexdigest(), "size": len(data), "pointerSize": 100}}
                    for name, data in hub.files.items()
                ])  # fmt: skip
            elif (
                parts.path.startswith(resolve)
                and parts.path.removeprefix(resolve).partition("/")[2] in hub.files
            ):
                self._file(hub.files[parts.path.removeprefix(resolve).partition("/")[2]], is_head=is_head)
            else:
                code = "EntryNotFound" if parts.path.startswith(resolve) else "RepoNotFound"
                self._json({"error": "no"}, status=404, code=code, is_head=is_head)

        def _json(self, value: object, status: int = 200, code: str = "", *, is_head: bool = False) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            if code:
                self.send_header("X-Error-Code", code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if not is_head:
                self.wfile.write(body)

        def _file(self, data: bytes, *, is_head: bool) -> None:
            range_header = self.headers.get("Range")
            start = (
                0
                if hub.ignores_ranges or not range_header
                else int(range_header.removeprefix("bytes=").rstrip("-"))
            )
            body = (b"x" * len(data) if hub.lies else data)[start:]
            self.send_response(206 if start else 200)
            self.send_header("ETag", f'"{sha256(data).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("Content-Length", str(len(body)))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            self.end_headers()
            if is_head:
                return
            hub.ranges.append(range_header)
            cut = hub.cuts.pop(0) if hub.cuts else len(body)
            self.wfile.write(body[:cut])
            self.close_connection = cut < len(body)

        def log_message(self, *args: object) -> None:
            """Log nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Ignore clients that hung up."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

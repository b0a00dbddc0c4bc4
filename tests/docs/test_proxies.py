"""The proxies of the page about several servers: their files are valid, keep visitors at one server, and survive its end."""

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest

from tests.served import free_port

PAGE = Path(__file__).parents[2] / "docs/how-to/run-several-servers.md"
PORTS = ("7861", "7862", "7863")
# scripts/get_nginx.sh unpacks them there.
UNPACKED = PAGE.parents[2] / "artifacts/proxies/usr"
PATH = f"{UNPACKED}/sbin:{UNPACKED}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PATIENCE_S = 30.0
VISITORS = 24


def sample(language: str) -> str:
    """Return the sample file in this language."""
    found = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(found) == 1
    return found[0]


class Backend:
    """A server that answers with its own port and with the headers that the workbench needs."""

    def __init__(self) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                seen = (self.headers[name] for name in ("Host", "X-Forwarded-Proto", "X-Forwarded-For"))
                body = "\n".join((str(self.server.server_address[1]), *map(str, seen))).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = str(self._server.server_address[1])
        self._is_open = True
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._server.shutdown()
            self._server.server_close()


@pytest.fixture
def backends() -> Iterator[list[Backend]]:
    with ExitStack() as closing:
        opened = [Backend() for _ in PORTS]
        for backend in opened:
            closing.callback(backend.close)
        yield opened


def found(program: str) -> str:
    """Return the path of a program, or skip the test."""
    path = shutil.which(program, path=PATH)
    if path is None:
        pytest.skip(f"{program} is missing (scripts/get_nginx.sh gets it)")
    return path


def at_backends(text: str, backends: list[Backend]) -> str:
    for port, backend in zip(PORTS, backends, strict=True):
        assert text.count(f"127.0.0.1:{port}") == 1
        text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{backend.port}")
    return text


def nginx_command(folder: Path, port: int, backends: list[Backend]) -> list[str]:
    """Write the sample for loopback without TLS, and return the command that serves it."""
    text = at_backends(sample("nginx"), backends)
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};").replace("Secure; ", "")
    text = re.sub(r"\n *ssl_certificate.*?;", "", text)
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off;\npid {folder / 'pid'};\nerror_log stderr;\nevents {{ worker_connections 256; }}\n"
        f"http {{\n{kept_in(folder)}\n{text}\n}}\n"
    )
    return [found("nginx"), "-p", str(folder), "-e", "stderr", "-c", str(config)]


def kept_in(folder: Path) -> str:
    """Return the settings for an nginx that is only unpacked, so that its folders below `/var` do not exist."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return "\n".join(["access_log off;", *(f"{kind}_temp_path {folder / kind};" for kind in kinds)])


def caddy_command(folder: Path, port: int, backends: list[Backend]) -> list[str]:
    """Write the sample for loopback without TLS, and return the command that serves it."""
    text = at_backends(sample("caddyfile"), backends)
    text = text.replace("workbench.example.org {", f"http://127.0.0.1:{port} {{")
    config = folder / "Caddyfile"
    config.write_text(text.replace("{\n", f"{{\n    admin off\n    storage file_system {folder}\n", 1))
    return [found("caddy"), "run", "--adapter", "caddyfile", "--config", str(config)]


PROXIES = {"nginx": nginx_command, "caddy": caddy_command}


@pytest.fixture(params=PROXIES)
def proxy(request: pytest.FixtureRequest) -> str:
    found(request.param)
    return str(request.param)


@contextmanager
def running(command: list[str], port: int, folder: Path) -> Iterator[str]:
    with (folder / "proxy.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={"HOME": str(folder), "PATH": PATH})
    try:
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None, (folder / "proxy.log").read_text()
                assert time.monotonic() < until
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def seen_by(visitor: httpx.Client) -> list[str]:
    """Return the port of the visitor's server, and the headers that it gets."""
    return visitor.get("/").raise_for_status().text.split("\n")


def test_each_visitor_stays_at_one_server_until_it_ends(
    proxy: str, backends: list[Backend], tmp_path: Path
) -> None:
    port = free_port()
    with (
        running(PROXIES[proxy](tmp_path, port, backends), port, tmp_path) as url,
        ExitStack() as closing,
    ):
        visitors = [closing.enter_context(httpx.Client(base_url=url, timeout=30)) for _ in range(VISITORS)]
        first = [seen_by(visitor) for visitor in visitors]
        assert {tuple(headers) for _, *headers in first} == {(f"127.0.0.1:{port}", "http", "127.0.0.1")}
        assert {at for at, *_ in first} == {backend.port for backend in backends}
        for _ in range(3):
            assert [seen_by(visitor) for visitor in visitors] == first
        backends[0].close()
        moved = [seen_by(visitor)[0] for visitor in visitors]
        assert backends[0].port not in moved
        for (before, *_), now in zip(first, moved, strict=True):
            assert now == before or before == backends[0].port
        assert [seen_by(visitor)[0] for visitor in visitors] == moved


def test_the_sample_of_nginx_is_valid_as_it_is(tmp_path: Path) -> None:
    nginx, openssl = found("nginx"), found("openssl")
    key, certificate = tmp_path / "workbench.key", tmp_path / "workbench.pem"
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=workbench.example.org"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    text = sample("nginx").replace("/etc/ssl/", f"{tmp_path}/")
    config = tmp_path / "nginx.conf"
    config.write_text(f"pid {tmp_path / 'pid'};\nevents {{}}\nhttp {{\n{kept_in(tmp_path)}\n{text}\n}}\n")
    checked = subprocess.run([nginx, "-t", "-e", "stderr", "-c", config], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert "warn" not in checked.stderr


def test_the_sample_of_caddy_is_valid_as_it_is(tmp_path: Path) -> None:
    config = tmp_path / "Caddyfile"
    config.write_text(sample("caddyfile"))
    command = [found("caddy"), "validate", "--adapter", "caddyfile", "--config", config]
    environment = {"HOME": str(tmp_path), "PATH": PATH}
    checked = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert checked.returncode == 0, checked.stderr

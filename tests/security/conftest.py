"""Servers to attack: somebody's own machine, a team's with accounts, a Space."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.served import Server, served, write_script
from workbench.app.passwords import hash_password

PASSWORDS = {"ann": "ann's password", "bob": "bob's password"}
SPACE_HOST = "someone-workbench.hf.space"


class Embedding:
    """A page of another site that shows what it is asked to in a frame: `/?the address`."""

    def __init__(self, port: int) -> None:
        # Another site than 127.0.0.1, so the frame's cookies are third-party ones.
        self.origin = f"http://localhost:{port}"


@pytest.fixture(scope="session")
def embedding() -> Iterator[Embedding]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = self.path.partition("?")[2]
            body = f'<!doctype html><title>Hub</title><iframe id="frame" src="{address}" width="1400" height="850">'
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield Embedding(server.server_address[1])
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def laptop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Nobody logs in; agents are served too; small uploads."""
    folder = tmp_path_factory.mktemp("laptop")
    script = write_script(folder / "script.yaml", "Hello.")
    yield from served(folder, f"scripted:{script}", "--mcp", WORKBENCH_MAX_UPLOAD_MB="2", TMPDIR=str(folder))


@pytest.fixture(scope="session")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Two accounts, on all addresses of the machine, with a name of its own."""
    folder = tmp_path_factory.mktemp("team")
    script = write_script(folder / "script.yaml", "Hello.")
    accounts = ",".join(f"{name}:{hash_password(password, n=2**10)}" for name, password in PASSWORDS.items())
    variables = {"WORKBENCH_AUTH": accounts, "WORKBENCH_HOST": "0.0.0.0"}
    variables["WORKBENCH_ALLOWED_HOSTS"] = "workbench.example.org"
    yield from served(folder, f"scripted:{script}", **variables)


@pytest.fixture(scope="session")
def space(tmp_path_factory: pytest.TempPathFactory, embedding: Embedding) -> Iterator[Server]:
    """Strangers come; one origin besides the hub's may show it in a frame."""
    folder = tmp_path_factory.mktemp("space")
    script = write_script(folder / "script.yaml", "Hello from the Space.")
    variables = {"SPACE_ID": "someone/workbench", "SPACE_HOST": SPACE_HOST, "WORKBENCH_HOST": "127.0.0.1"}
    variables["WORKBENCH_FRAME_ANCESTORS"] = embedding.origin
    yield from served(folder, f"scripted:{script}", **variables)


@pytest.fixture(params=["laptop", "space"])
def open_server(request: pytest.FixtureRequest) -> Server:
    """A server where nobody has to log in."""
    return request.getfixturevalue(request.param)

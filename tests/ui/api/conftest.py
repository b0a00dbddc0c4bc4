"""Servers of the page, as programs meet them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gradio_client import Client

from tests.e2e.conftest import served
from tests.e2e.play import Server, write_script

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'

Connect = Callable[..., Client]
"""A client of a server, as `Client` takes it besides."""


@pytest.fixture(scope="session")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page on one's own machine, agents served too; the model calls a tool, then answers."""
    folder = tmp_path_factory.mktemp("own")
    script = write_script(folder / "script.yaml", CALL, "It is 31 °C.")
    yield from served(folder, f"scripted:{script}", "--mcp")


@pytest.fixture(scope="session")
def space_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page as on a Space, agents served too: whoever comes is a stranger."""
    folder = tmp_path_factory.mktemp("space")
    script = write_script(folder / "script.yaml", "Hello.")
    variables = {"SPACE_ID": "someone/workbench", "WORKBENCH_HOST": "127.0.0.1"}
    yield from served(folder, f"scripted:{script}", "--mcp", **variables)


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    """Connects, and leaves again at the end."""
    clients: list[Client] = []

    def connect(server: Server, **options: object) -> Client:
        client = Client(
            server.url, verbose=False, analytics_enabled=False, download_files=tmp_path, **options
        )
        clients.append(client)
        return client

    yield connect
    for client in clients:
        client.close()

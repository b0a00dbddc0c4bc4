"""Servers of the page for tests of the API and MCP."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gradio_client import Client

from tests.served import Server, served, write_script

CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'

Connect = Callable[..., Client]
"""Connects a client to a server, with further options of `Client`."""


@pytest.fixture(scope="session")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A local page that also serves agents; the model calls a tool, then answers."""
    folder = tmp_path_factory.mktemp("own")
    script = write_script(folder / "script.yaml", CALL, "It is 31 °C.")
    yield from served(folder, f"scripted:{script}", "--mcp")


@pytest.fixture(scope="session")
def space_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page as on a Space, for anonymous visitors and agents."""
    folder = tmp_path_factory.mktemp("space")
    script = write_script(folder / "script.yaml", "Hello.")
    variables = {"SPACE_ID": "someone/workbench", "WORKBENCH_HOST": "127.0.0.1"}
    yield from served(folder, f"scripted:{script}", "--mcp", **variables)


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    """Connect clients, and close them at the end."""
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

"""Servers in one process that share a PostgreSQL database."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from tests.postgres import TEMPLATE, Server
from tests.services import CHECKOUT
from workbench.app.servers.group import Pulse, ServerGroup
from workbench.app.servers.joining import JoinedServer
from workbench.app.services import Services
from workbench.app.version_files import take_files
from workbench.library.home_files import HomeFiles
from workbench.records.owner import LOCAL_OWNER
from workbench.settings import read_settings
from workbench.store.store import Store
from workbench.wiring import open_services

QUICK = Pulse(every_s=0.1, silent_s=5.0, process_silent_s=0.5)
OpenServer = Callable[..., "SharingServer"]


class SharingServer:
    """One of several servers."""

    def __init__(self, services: Services, joined: JoinedServer) -> None:
        self.services = services
        self.joined = joined

    @property
    def id(self) -> str:
        return self.joined.group.id


@pytest.fixture(scope="session")
def opened_before(postgres: Server) -> Iterator[str]:
    """The name of a database in which the files of the checkout are versions, which takes a server 0.4 s."""
    with postgres.database(TEMPLATE) as url:
        with closing(Store(url)) as store:
            take_files(HomeFiles(CHECKOUT), store.of(LOCAL_OWNER).versions)
        yield url.rpartition("/")[2]


@pytest.fixture
def shared_url(postgres: Server, opened_before: str) -> Iterator[str]:
    """The URL of a database for this test."""
    with postgres.database(opened_before) as url:
        yield url


@pytest.fixture
def open_server(shared_url: str, tmp_path: Path) -> Iterator[OpenServer]:
    """A function that opens one more server, whose model writes the given completions."""
    with ExitStack() as closing:
        count = 0

        def opened(*completions: object, pulse: Pulse = QUICK) -> SharingServer:
            nonlocal count
            count += 1
            folder = tmp_path / f"server-{count}"
            folder.mkdir()
            return closing.enter_context(_opened(folder, shared_url, completions, pulse))

        yield opened


@contextmanager
def _opened(folder: Path, url: str, completions: object, pulse: Pulse) -> Iterator[SharingServer]:
    script = folder / "script.yaml"
    script.write_text(json.dumps({"completions": list(completions) or ["Hello."]}), encoding="utf-8")
    environment = {
        "WORKBENCH_MODEL": f"scripted:{script}",
        "WORKBENCH_DATA": str(folder / "data"),
        "WORKBENCH_HOME": str(CHECKOUT),
        "WORKBENCH_DATABASE_URL": url,
    }
    with open_services(read_settings(environment)) as services:
        servers = services.store.servers
        assert servers is not None
        joined = JoinedServer(services, ServerGroup(servers, pulse))
        joined.group.start()
        yield SharingServer(services, joined)
        services.turns.stop_all()
        joined.close()

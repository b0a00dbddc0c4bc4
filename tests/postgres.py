"""A real PostgreSQL for tests: in a temporary folder, on loopback, ended with the tests."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

USER = "postgres"
"""Name of the database user, and of the system's user that the server runs as where tests run as root."""
FLAGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=60")
"""What a server may do whose data nobody needs tomorrow."""
TEMPLATE = "workbench_template"
"""A migrated database. Each test gets a copy."""
PATIENCE_S = 60.0
"""How long a server may take to answer."""


class NoPostgres(Exception):
    """There is none on this machine; says what to install."""


class Server:
    """A running server, and databases on it."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, password: str) -> None:
        self.process = process
        self.port = port
        self.password = password

    def url(self, database: str) -> str:
        """As WORKBENCH_DATABASE_URL takes it."""
        return f"postgresql+psycopg://{USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def run(self, statement: str) -> None:
        """One statement of the server's owner, outside of any transaction."""
        import psycopg

        place = {"host": "127.0.0.1", "port": self.port, "user": USER, "password": self.password}
        with psycopg.connect(**place, dbname="postgres", autocommit=True) as connection:
            connection.execute(statement.encode())

    @contextmanager
    def database(self, template: str = "template1") -> Iterator[str]:
        """The URL of a fresh database, dropped at the end even if something still uses it."""
        name = f"test_{secrets.token_hex(6)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template}{self._strategy}")
        try:
            yield self.url(name)
        finally:
            if self.process.poll() is None:
                self.run(f"DROP DATABASE {name} WITH (FORCE)")

    @cached_property
    def _strategy(self) -> str:
        """How templates are copied: as files, which takes half as long without fsync, and which PostgreSQL 14 always does."""
        import psycopg

        with psycopg.connect(self.url("postgres").replace("+psycopg", "")) as connection:
            return " STRATEGY FILE_COPY" if connection.info.server_version >= 150_000 else ""

    def stop(self) -> None:
        """Ends the server, and its connections; may be called again."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE_S)


@contextmanager
def running_server() -> Iterator[Server]:
    """A server of its own.

    Raises:
        NoPostgres: The machine has none, or not the extra that connects to it.
    """
    if not find_spec("psycopg"):
        raise NoPostgres("psycopg is not installed: the extra postgres")
    binaries = _find_binaries()
    user = _system_user()
    folder = Path(tempfile.mkdtemp(prefix="workbench-postgres-"))
    try:
        if user:
            shutil.chown(folder, USER, USER)
        password = secrets.token_hex(8)
        _make_cluster(binaries, folder, password, user)
        with _started(binaries, folder, password, user) as server:
            yield server
    finally:
        shutil.rmtree(folder)


def _find_binaries() -> Path:
    """The folder of the newest server; Debian keeps it off the PATH."""
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[4]), reverse=True
    )
    on_path = shutil.which("initdb")
    found = [Path(on_path)] if on_path else debian
    if not found:
        raise NoPostgres("no PostgreSQL server on this machine (Debian: apt-get install postgresql)")
    return found[0].parent


def _system_user() -> dict[str, Any]:
    """How a process is made that is not root, because PostgreSQL refuses to run as root. Empty if this process is not root."""
    return {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}


def _make_cluster(binaries: Path, folder: Path, password: str, user: dict[str, Any]) -> None:
    secret = folder / "password"
    secret.write_text(password)
    if user:
        shutil.chown(secret, USER, USER)
    command = [binaries / "initdb", "-D", folder / "data", "-U", USER, "-A", "scram-sha-256", "--no-sync"]
    command += [f"--pwfile={secret}", "--encoding=UTF8", "--locale=C.UTF-8"]
    made = subprocess.run(command, capture_output=True, text=True, cwd=folder, **user)
    if made.returncode:
        raise AssertionError(made.stderr)


@contextmanager
def _started(binaries: Path, folder: Path, password: str, user: dict[str, Any]) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command: list[str | Path] = [binaries / "postgres", "-D", folder / "data", "-h", "127.0.0.1"]
    command += ["-p", str(port), "-k", folder]
    for flag in FLAGS:
        command += ["-c", flag]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **user)
    server = Server(process, port, password)
    try:
        _await(server, folder / "log")
        yield server
    finally:
        server.stop()


def _await(server: Server, log: Path) -> None:
    import psycopg

    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return server.run("SELECT 1")
        except psycopg.OperationalError:
            if server.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(log.read_text()) from None
            time.sleep(0.05)

"""The page in a server of its own process, for tests with and without a browser."""

import importlib
import os
import re
import runpy
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.request import urlopen

import pytest
import yaml

from tests.databases import FILE_NAME, put_database
from workbench.records.owner import LOCAL_OWNER
from workbench.records.sessions import StoredMessage
from workbench.store.store import Store

_TRACEBACK: Final = re.compile(r"^Traceback \(most recent call last\):\n(?:[ \t].*\n)*(\S.*)", re.MULTILINE)
PROCESSES: Final = get_context("forkserver")
"""Forks processes from one that has imported the page, since that takes three quarters of a server's start."""
PROCESSES.set_forkserver_preload(["tests.preloaded"])
_CAUSE: Final = "\nThe above exception was the direct cause of the following exception:\n\n"


@dataclass(frozen=True)
class Server:
    """A running server of the page."""

    url: str
    folder: Path
    pid: int
    kill: Callable[[], None]

    def path(self, session_id: str) -> Sequence[StoredMessage]:
        """Return the messages of a session, read from the database."""
        store = Store(f"sqlite:///{self.folder / 'data' / 'workbench.sqlite3'}")
        try:
            return store.of(LOCAL_OWNER).sessions.path(session_id)
        finally:
            store.close()


def write_script(path: Path, *completions: str | dict[str, object], **options: object) -> Path:
    """Write a script for the scripted engine to a file."""
    path.write_text(yaml.safe_dump({"completions": list(completions), **options}, allow_unicode=True))
    return path


def served(
    folder: Path, model: str, *options: str, module: str = "workbench", **variables: str
) -> Iterator[Server]:
    """Serve the page in its own process, stopped at the end. Unexpected errors in its log fail the test.

    `options` are appended to `serve`, and `variables` are set in its environment. `module` runs the workbench.
    """
    if not (folder / "data" / FILE_NAME).exists():
        put_database(folder / "data", has_versions="WORKBENCH_HOME" not in variables)
    port = int(variables.get("WORKBENCH_PORT") or free_port())
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    environment |= {
        "WORKBENCH_MODEL": model,
        "WORKBENCH_PORT": str(port),
        "WORKBENCH_DATA": str(folder / "data"),
        **variables,
    }
    log = folder / "server.log"
    process = PROCESSES.Process(target=run_module, args=(module, ("serve", *options), environment, log))
    process.start()
    assert process.pid is not None
    server = Server(url=f"http://127.0.0.1:{port}", folder=folder, pid=process.pid, kill=process.kill)
    try:
        _wait(server.url, process, log)
        yield server
    finally:
        process.terminate()
        process.join(20)
        if process.is_alive():
            process.kill()
            process.join()
    errors = unexpected_errors(log.read_text(errors="replace"))
    assert not errors, "\n".join(errors)


def run_module(module: str, arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
    """Run a module as `python -m` does, in a forked process, with its output in a file."""
    with log.open("wb") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    sys.stdout.reconfigure(line_buffering=True)
    os.environ.clear()
    os.environ.update(environment)
    # Gradio and its client of the Hub read these when they are imported, which they are already.
    for name in ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL"):
        setattr(sys.modules["gradio.oauth"], name, environment.get(name))
    importlib.reload(sys.modules["huggingface_hub.constants"])
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _wait(url: str, process: ForkServerProcess, log: Path) -> None:
    until = time.monotonic() + 240
    while time.monotonic() < until and process.is_alive():
        try:
            with urlopen(url, timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"the page did not come up:\n{log.read_text()[-3000:]}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def unexpected_errors(log: str) -> list[str]:
    """Return the last line of each traceback in a server's log; of chained exceptions, the last one."""
    return [found[1] for found in _TRACEBACK.finditer(log) if not log.startswith(_CAUSE, found.end() + 1)]

"""Serving the page: one address, no other host, everything stopped at the end."""

import os
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from importlib.util import find_spec
from signal import SIGTERM, signal
from threading import Event, current_thread, main_thread
from time import monotonic
from typing import Final, cast

from workbench.desk.services import Services
from workbench.errors import BadInput, StoreError
from workbench.settings import Settings

DAY_S: Final = 24 * 60 * 60
"""What was deleted long ago is purged as often."""


def serve_page(services: Services, *, say: Callable[[str], None] = print, has_mcp: bool = False) -> None:
    """Serves the page until the process is interrupted or told to end.

    Args:
        services: The edges.
        say: Is given one line once the page can be opened.
        has_mcp: Whether agents are served too, over MCP.

    Raises:
        BadInput: The port is taken, the address is none of this machine, or MCP cannot be served.
    """
    settings = services.settings
    if has_mcp:
        check_mcp(settings)
    check_address(settings.host, settings.port)
    # Read by gradio when it is imported; it must not call home.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    from workbench.ui.owners import login_of
    from workbench.ui.page import build_page, launch_options

    login = login_of(settings)
    page = build_page(services)
    try:
        page.blocks.launch(
            server_name=settings.host,
            server_port=settings.port,
            share=False,
            quiet=True,
            prevent_thread_lock=True,
            # Gradio says its address.
            mcp_server=has_mcp,
            # Gradio awaits a coroutine function too, though its annotation does not say so.
            auth=cast(Callable[[str, str], bool] | None, login),
            **launch_options(),
        )
        say(f"Hermes Workbench stands at {page.blocks.local_url} (Ctrl+C ends it)")
        _wait_for_the_end(lambda: _purge(services, say))
    finally:
        page.runs.stop_all()
        page.suite_runs.stop_all()
        page.blocks.close(verbose=False)


def _wait_for_the_end(purge: Callable[[], None]) -> None:
    """Until Ctrl+C, or until a container or a service manager asks to end; `purge` is called once a day."""
    ended = Event()
    if current_thread() is main_thread():
        signal(SIGTERM, lambda _number, _frame: ended.set())
    purged_at_s = monotonic()
    with suppress(KeyboardInterrupt):
        # A wait without a timeout cannot be interrupted on Windows.
        while not ended.wait(timeout=1.0):
            if monotonic() - purged_at_s >= DAY_S:
                purge()
                purged_at_s = monotonic()


def _purge(services: Services, say: Callable[[str], None]) -> None:
    """What cannot be purged today, since the database is busy, is tomorrow."""
    try:
        services.store.purge()
    except StoreError as error:
        say(f"what was deleted long ago could not be purged: {error}")


def check_mcp(settings: Settings) -> None:
    """Refuses MCP where it cannot be served, before a server is tried.

    Raises:
        BadInput: The extra is not installed, or people log in with a password, which MCP cannot.
    """
    if find_spec("mcp") is None:
        raise BadInput("serve --mcp", "it needs the extra mcp", "pip install 'hermes-workbench[mcp]'")
    if settings.accounts:
        raise BadInput(
            "serve --mcp", "an agent cannot log in with a password", "serve it without WORKBENCH_AUTH"
        )


def check_address(host: str, port: int) -> None:
    """Refuses an address that cannot be listened on, before a server is tried.

    Raises:
        BadInput: The port is taken, or the address is none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise BadInput(
                f"setting WORKBENCH_PORT, {host}:{port}",
                f"cannot listen there: {error.strerror}",
                "set WORKBENCH_PORT to a free port, or end what uses this one",
            ) from error

"""Serving the page: one address, no other host, everything stopped at the end."""

import os
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from signal import SIGTERM, signal
from threading import Event, current_thread, main_thread

from workbench.desk.services import Services
from workbench.errors import BadInput


def serve_page(services: Services, *, say: Callable[[str], None] = print) -> None:
    """Serves the page until the process is interrupted or told to end.

    Args:
        services: The edges.
        say: Is given one line once the page can be opened.

    Raises:
        BadInput: The port is taken, or the address is none of this machine.
    """
    settings = services.settings
    check_address(settings.host, settings.port)
    # Read by gradio when it is imported; it must not call home.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    from workbench.ui.page import build_page, launch_options

    page = build_page(services)
    try:
        page.blocks.launch(
            server_name=settings.host,
            server_port=settings.port,
            share=False,
            quiet=True,
            prevent_thread_lock=True,
            **launch_options(),
        )
        say(f"Hermes Workbench stands at {page.blocks.local_url} (Ctrl+C ends it)")
        _wait_for_the_end()
    finally:
        page.runs.stop_all()
        page.blocks.close(verbose=False)


def _wait_for_the_end() -> None:
    """Until Ctrl+C, or until a container or a service manager asks to end."""
    ended = Event()
    if current_thread() is main_thread():
        signal(SIGTERM, lambda _number, _frame: ended.set())
    with suppress(KeyboardInterrupt):
        # A wait without a timeout cannot be interrupted on Windows.
        while not ended.wait(timeout=1.0):
            pass


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

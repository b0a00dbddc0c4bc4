"""Serving the page: one address, no other host, everything stopped at the end."""

import os
import socket
from contextlib import closing

from workbench.desk.services import Services
from workbench.errors import BadInput


def serve_page(services: Services) -> None:
    """Serves the page until the process is interrupted.

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
        page.blocks.launch(server_name=settings.host, server_port=settings.port, **launch_options())  # type: ignore[arg-type]
    finally:
        page.runs.stop_all()


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

"""Serve the page: check the settings, start on one address, and stop everything at the end."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from importlib.util import find_spec
from signal import SIGTERM, signal
from threading import Event, current_thread, main_thread
from time import monotonic
from typing import Final

from workbench.app.services import Services
from workbench.errors import BadInput, StoreError
from workbench.settings import Settings
from workbench.ui.gate.hosts import is_local

DAY_S: Final = 24 * 60 * 60
"""How often the sessions that were deleted long ago are purged."""


def serve_page(services: Services, *, say: Callable[[str], None] = print, has_mcp: bool = False) -> None:
    """Serve the page until the process is interrupted or told to end.

    Args:
        say: Is given a line once the page can be opened, and warnings before.
        has_mcp: Whether agents are served too, over MCP.

    Raises:
        BadInput: The port is taken, the address is not one of this machine, other machines could use the page without
            logging in, an account is not valid, or MCP cannot be served.
    """
    settings = services.settings
    if has_mcp:
        check_mcp(settings)
    check_exposure(settings)
    check_address(settings.host, settings.port)
    # Read by gradio when it is imported; it must not call home.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    # Read by uvicorn. By itself it believes anything on this machine that names another client's address.
    os.environ.setdefault("FORWARDED_ALLOW_IPS", "")
    from workbench.ui.addresses import MAX_THREADS
    from workbench.ui.gate.app import GatedApp, user_of
    from workbench.ui.gate.login import LoginService
    from workbench.ui.page import HEAD_SCRIPTS, build_page, launch_options

    login_service = LoginService.of(settings)
    page = build_page(services)
    for warning in warnings_of(settings):
        say(f"Warning: {warning}")
    try:
        page.blocks.launch(
            server_name=settings.host,
            server_port=settings.port,
            share=False,
            quiet=True,
            prevent_thread_lock=True,
            max_threads=MAX_THREADS,
            # Gradio prints its address.
            mcp_server=has_mcp,
            # The gate has looked at the login before Gradio asks.
            auth_dependency=user_of if login_service else None,
            enable_monitoring=False,
            max_file_size=settings.max_upload_mb * 1_000_000,
            state_session_capacity=settings.max_open_pages,
            # Gradio would ask itself whether it can be reached, and give up on a busy machine.
            _frontend=False,
            _app=GatedApp(
                page.blocks, settings, scripts=HEAD_SCRIPTS, login_service=login_service, has_mcp=has_mcp
            ),
            **launch_options(),
        )
        say(f"Hermes Workbench is running at {page.blocks.local_url} (press Ctrl+C to stop)")
        _wait_until_stopped(lambda: _purge(services, say))
    finally:
        page.runs.stop_all()
        page.suite_runs.stop_all()
        page.blocks.close(verbose=False)


def _wait_until_stopped(purge: Callable[[], None]) -> None:
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
        say(f"Sessions that were deleted long ago could not be purged: {error}")


def check_exposure(settings: Settings) -> None:
    """Refuse to serve other machines without a login, unless that is asked for.

    Raises:
        BadInput: The address is not of this machine alone, there are no accounts, and nothing says that none are
            needed. A Space is public by its nature.
    """
    if settings.is_on_space or settings.accounts or settings.may_skip_login or is_local(settings.host):
        return
    raise BadInput(
        f"setting WORKBENCH_HOST, {settings.host}",
        "other machines could use the page without logging in",
        "set WORKBENCH_AUTH (`workbench auth hash NAME` prints an account), "
        "or allow it with WORKBENCH_NO_LOGIN=1 or `serve --no-login`",
    )


def warnings_of(settings: Settings) -> Iterator[str]:
    """What makes this server easier to misuse than it need be."""
    if not settings.is_on_space and not settings.accounts and not is_local(settings.host):
        yield f"everybody who reaches {settings.host}:{settings.port} can use the page, since nobody has to log in"
    if "*" in settings.allowed_hosts:
        yield "WORKBENCH_ALLOWED_HOSTS=* answers to any host name, so pages of other sites can reach this one"


def check_mcp(settings: Settings) -> None:
    """Refuse MCP where it cannot be served, before a server is tried.

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
    """Refuse an address that cannot be listened on, before a server is tried.

    Raises:
        BadInput: The port is taken, or the address is not one of this machine.
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

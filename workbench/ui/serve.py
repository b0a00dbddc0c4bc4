"""Serve the page: check the settings, start on one address, and stop everything at the end."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from signal import SIGTERM, signal
from threading import Event, current_thread, main_thread
from time import monotonic
from typing import TYPE_CHECKING, Final

from starlette.types import ASGIApp

from workbench.app import garbage
from workbench.app.hosts import check_address, is_local
from workbench.app.runs.reports import shared_report
from workbench.app.services import Services
from workbench.errors import BadInput, StoreError
from workbench.settings import Settings
from workbench.settings.extras import install_command

if TYPE_CHECKING:
    from workbench.app.servers.joining import JoinedServer

DAY_S: Final = 24 * 60 * 60
"""The interval between purges of sessions that were deleted long ago, in seconds."""


def serve_page(
    services: Services,
    *,
    say: Callable[[str], None] = print,
    has_mcp: bool = False,
    wrap: Callable[[ASGIApp], ASGIApp] | None = None,
) -> None:
    """Serve the page until the process is interrupted or asked to stop.

    Args:
        say: Called with warnings, and with a line once the page can be opened.
        has_mcp: Whether to serve agents over MCP, too.
        wrap: Puts another application in front of the page's, for paths of its own. None if there is none.

    Raises:
        BadInput: The port is in use, the address does not belong to this machine, other machines could use the page
            without logging in, an account is not valid, or MCP cannot be served.
    """
    settings = services.settings
    if has_mcp:
        check_mcp(settings)
    check_exposure(settings)
    check_address(settings.host, settings.port)
    # Gradio reads this when it is imported. It must not send analytics.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    # Read by uvicorn. The gate decides whose forwarded addresses count.
    os.environ["FORWARDED_ALLOW_IPS"] = ""
    from workbench.app.connections import limited_connections
    from workbench.ui.gate.app import gated_app, user_of
    from workbench.ui.gate.login import LoginService
    from workbench.ui.gradio_parts.application import launch_page
    from workbench.ui.page import build_page, launch_options, page_head

    login_service = LoginService.of(settings)
    page = build_page(services)
    joined = _join_servers(services)
    if joined is not None:
        page.suite_runs.share(joined.runs)
    for warning in warnings_of(settings):
        say(f"Warning: {warning}")
    try:
        if joined is not None:
            joined.group.start()
        launch_page(
            page.blocks,
            gated_app(
                page.blocks,
                settings,
                files=page.files,
                head=page_head(),
                login_service=login_service,
                has_mcp=has_mcp,
                find_report=partial(shared_report, services.store),
                wrap=wrap,
            ),
            http_protocol=limited_connections(settings),
            server_name=settings.host,
            server_port=settings.port,
            # With this, Gradio prints the address of the MCP server.
            mcp_server=has_mcp,
            # The gate has already checked the login.
            auth_dependency=user_of if login_service else None,
            max_file_size=settings.max_upload_mb * 1_000_000,
            state_session_capacity=settings.max_open_pages,
            **launch_options(),
        )
        if wrap is not None:
            say(f"The gateway is running at {page.blocks.local_url}v1")
        say(f"Hermes Workbench is running at {page.blocks.local_url} (press Ctrl+C to stop)")
        # The page stays: 400,000 objects.
        garbage.settle()
        _wait_until_stopped(lambda: _purge(services, say))
    finally:
        services.turns.stop_all()
        services.running_comparisons.stop_all()
        page.work.stop_all()
        page.suite_runs.stop_all()
        if joined is not None:
            joined.close()
        page.blocks.close(verbose=False)


def _join_servers(services: Services) -> "JoinedServer | None":
    """Join the other servers that use the same database. None if only one server can use it, as with SQLite."""
    servers = services.store.servers
    if servers is None:
        return None
    from workbench.app.servers.group import ServerGroup
    from workbench.app.servers.joining import JoinedServer

    return JoinedServer(services, ServerGroup(servers))


def _wait_until_stopped(purge: Callable[[], None]) -> None:
    """Wait for Ctrl+C or SIGTERM, calling `purge` once a day."""
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
    """Purge old deleted sessions. If the database is busy, the next attempt is tomorrow."""
    try:
        services.store.purge()
    except StoreError as error:
        say(f"Could not purge sessions that were deleted long ago: {error}")


def check_exposure(settings: Settings) -> None:
    """Refuse to serve other machines without a login, unless this is explicitly allowed.

    Raises:
        BadInput: Other machines can reach the address, there are no accounts, and no setting allows that. A Space is
            exempt, since it is public anyway.
    """
    if settings.is_on_space or settings.accounts or settings.may_skip_login or is_local(settings.host):
        return
    raise BadInput(
        f"address {settings.host} (WORKBENCH_HOST or --host)",
        "other machines could use the page without logging in",
        "set WORKBENCH_AUTH (`workbench auth hash NAME` prints an account), "
        "or allow it with WORKBENCH_NO_LOGIN=1 or `serve --no-login`",
    )


def warnings_of(settings: Settings) -> Iterator[str]:
    """Yield warnings about settings that make this server easier to misuse."""
    if not settings.is_on_space and not settings.accounts and not is_local(settings.host):
        yield f"anyone who can reach {settings.host}:{settings.port} can use the page, since there is no login"
    if "*" in settings.allowed_hosts:
        yield "WORKBENCH_ALLOWED_HOSTS=* accepts any host name, so other websites can reach this page by DNS rebinding"


def check_mcp(settings: Settings) -> None:
    """Check that MCP can be served, before the server starts.

    Raises:
        BadInput: The extra is not installed, or users log in with a password, which MCP clients cannot.
    """
    if find_spec("mcp") is None:
        raise BadInput("serve --mcp", "the extra mcp is not installed", f"run {install_command('mcp')}")
    if settings.accounts:
        raise BadInput("serve --mcp", "agents cannot log in with a password", "unset WORKBENCH_AUTH")

"""`workbench serve`: serve the page."""

from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from workbench.settings import read_settings


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; WORKBENCH_HOST if left out.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; WORKBENCH_PORT if left out.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Model to begin with; WORKBENCH_MODEL if left out.")
    ] = None,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Serve agents too, over MCP; needs the extra mcp.")
    ] = False,
    no_login: Annotated[
        bool, typer.Option("--no-login", help="Serve other machines although there are no accounts.")
    ] = False,
) -> None:
    """Serve the page until Ctrl+C."""
    settings = read_settings()
    settings = replace(
        settings,
        host=host or settings.host,
        port=port or settings.port,
        model=model or settings.model,
        may_skip_login=no_login or settings.may_skip_login,
    )
    from workbench.ui.serve import serve_page
    from workbench.wiring import open_services

    with open_services(settings) as services:
        # A pipe holds back what is not flushed, and this line is waited for.
        serve_page(services, say=partial(print, flush=True), has_mcp=mcp)

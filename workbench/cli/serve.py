"""`workbench serve`: serve the page."""

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from workbench.cli.gateway import (
    HostOption,
    ModelOption,
    RecordOption,
    RecordTagOption,
    gateway_beside,
    port_option,
    recording,
)
from workbench.errors import BadInput
from workbench.settings import read_settings


def serve(
    host: HostOption = None,
    port: Annotated[int | None, port_option("WORKBENCH_PORT")] = None,
    model: ModelOption = None,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Also serve agents over MCP; requires the extra mcp")
    ] = False,
    gateway: Annotated[
        bool, typer.Option("--gateway", help="Also serve the OpenAI protocol, under /v1")
    ] = False,
    record: RecordOption = False,
    record_tag: RecordTagOption = "",
    no_login: Annotated[
        bool, typer.Option("--no-login", help="Allow other machines without accounts")
    ] = False,
) -> None:
    """Serve the page.

    Runs until Ctrl+C.
    """
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

    if record and not gateway:
        raise BadInput("--record", "it needs --gateway", "add --gateway")
    with (
        open_services(settings) as services,
        recording(services, record_tag, is_on=record) as recorder,
        gateway_beside(services, settings, recorder) if gateway else nullcontext() as wrap,
    ):
        # Programs wait for this line, and a pipe delivers it only when it is flushed.
        serve_page(services, say=partial(print, flush=True), has_mcp=mcp, wrap=wrap)

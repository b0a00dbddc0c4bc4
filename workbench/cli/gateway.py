"""`workbench gateway`: serve contracts and models over the OpenAI protocol."""

import sys
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.errors import BadInput
from workbench.hermes.spelling.families import family_named
from workbench.settings import GATEWAY_CALLS, GATEWAY_LEVELS, Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from starlette.types import ASGIApp

    from workbench.app.recording import Recorder
    from workbench.app.services import Services
    from workbench.gateway.app import Gateway


HostOption = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Address to listen on", show_default="WORKBENCH_HOST")
]
ModelOption = Annotated[
    str | None, typer.Option(metavar="MODEL", help="Default model", show_default="WORKBENCH_MODEL")
]
RecordOption = Annotated[
    bool, typer.Option("--record", help="Record requests and answers as sessions, to label and run again")
]
RecordTagOption = Annotated[str, typer.Option(metavar="TAG", help="Tag of the recorded sessions")]


def port_option(variable: str) -> Any:
    """Return the option for a port whose default is the value of a variable."""
    return typer.Option(metavar="PORT", min=1, max=65535, help="Port to listen on", show_default=variable)


def gateway(
    host: HostOption = None,
    port: Annotated[int | None, port_option("WORKBENCH_GATEWAY_PORT")] = None,
    model: ModelOption = None,
    upstream: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Forward to this server, and parse the calls that it leaves in the text",
            show_default="WORKBENCH_OPENAI_BASE_URL",
        ),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Template family of models without a contract",
            show_default="that of the default contract",
        ),
    ] = None,
    retries: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=10,
            help="How often to ask a server again after a temporary failure",
            show_default="WORKBENCH_GATEWAY_RETRIES",
        ),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            help="How much the reader may repair: strict, tolerant or lenient",
            show_default="WORKBENCH_GATEWAY_LEVEL",
        ),
    ] = None,
    calls: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="When to take calls out of the text: offered, always or never",
            show_default="WORKBENCH_GATEWAY_CALLS",
        ),
    ] = None,
    record: RecordOption = False,
    record_tag: RecordTagOption = "",
) -> None:
    """Serve contracts and models over the OpenAI protocol.

    A client names the model as MODEL, or as CONTRACT/MODEL. Runs until Ctrl+C.
    """
    settings = read_settings()
    settings = replace(
        settings,
        host=host or settings.host,
        gateway_port=port or settings.gateway_port,
        model=model or settings.model,
        openai_base_url=upstream or settings.openai_base_url,
        gateway_retries=settings.gateway_retries if retries is None else retries,
        gateway_level=_one_of("--level", level, GATEWAY_LEVELS) or settings.gateway_level,
        gateway_calls=_one_of("--calls", calls, GATEWAY_CALLS) or settings.gateway_calls,
    )
    if family:
        family_named(family)
    from workbench.gateway.serve import check_gateway, serve_gateway
    from workbench.wiring import open_services

    check_gateway(settings)
    with open_services(settings) as services, recording(services, record_tag, is_on=record) as recorder:
        opened = open_for(
            services, settings, family=family or "", has_upstream=upstream is not None, recorder=recorder
        )
        # Programs wait for this line, and a pipe delivers it only when it is flushed.
        serve_gateway(opened, settings, say=partial(print, flush=True))


def _one_of(option: str, value: str | None, words: "Sequence[str]") -> str:
    if value and value not in words:
        raise BadInput(option, f"{value!r} is unknown", f"use one of {', '.join(words)}")
    return value or ""


def open_for(
    services: "Services",
    settings: Settings,
    *,
    family: str = "",
    has_upstream: bool = False,
    recorder: "Recorder | None" = None,
) -> "Gateway":
    """Return a gateway for the settings.

    Args:
        family: Template family of models without a contract. Empty uses that of the default contract.
        has_upstream: Whether names that the workbench does not know are names of the server's models.
        recorder: Records requests as sessions. None records nothing.
    """
    from workbench.gateway.serve import open_gateway
    from workbench.gateway.targets import UpstreamModels
    from workbench.wiring import upstream_models

    models = UpstreamModels(upstream_models(settings)) if has_upstream else None
    return open_gateway(services, family=family, upstream=models, recorder=recorder)


@contextmanager
def recording(services: "Services", tag: str, *, is_on: bool) -> "Generator[Recorder | None]":
    """Record requests while the context lasts, after saying so in the first line that is printed.

    Yields:
        The recorder, or None if recording is off.

    Raises:
        BadInput: There is a tag, but recording is off.
    """
    if not is_on:
        if tag:
            raise BadInput("--record-tag", "it needs --record", "add --record")
        yield None
        return
    from workbench.app.recording import Recorder

    recorder = Recorder(tag)
    tagged = f", tagged {recorder.tag}" if recorder.tag else ""
    print(
        f"Requests and answers are recorded as sessions in {services.store.describe()}{tagged}.", flush=True
    )
    try:
        yield recorder
    finally:
        recorder.close()
        if recorder.counts.failures:
            print(
                f"{recorder.counts.failures:,} of the requests were not recorded. "
                f"The last reason: {recorder.counts.last_failure}",
                file=sys.stderr,
            )


@contextmanager
def gateway_beside(
    services: "Services", settings: Settings, recorder: "Recorder | None" = None
) -> "Generator[Callable[[ASGIApp], ASGIApp]]":
    """Open a gateway that shares the page's address.

    Args:
        recorder: Records requests as sessions. None records nothing.

    Yields:
        A function that puts the gateway's paths in front of the page's application.

    Raises:
        BadInput: The settings do not allow a gateway.
    """
    from workbench.gateway.app import WithGateway

    opened = open_for(services, settings, recorder=recorder)
    try:
        yield partial(WithGateway, opened.app)
    finally:
        opened.close()

"""Serve the gateway: check the settings, start on one address, and stop everything at the end."""

from asyncio import Protocol
from collections.abc import Callable
from contextlib import suppress
from typing import cast

import uvicorn

from workbench.app import garbage
from workbench.app.connections import limited_connections
from workbench.app.hosts import check_address, is_local
from workbench.app.recording import Recorder
from workbench.app.services import Services
from workbench.contract.contract import parse_contract
from workbench.errors import BadInput
from workbench.gateway.app import Gateway, GatewayOptions
from workbench.gateway.keys import SETTING, check_keys
from workbench.gateway.targets import UpstreamModels
from workbench.records.versions import name_in
from workbench.settings import Settings

_GRACE_S = 5
"""Seconds that running requests have to end once the server is asked to stop."""


def check_gateway(settings: Settings) -> None:
    """Check that the gateway may be served with these settings, before it starts.

    Raises:
        BadInput: It runs on a Space, other machines could use it without a key, or a key belongs to no account.
    """
    if settings.is_on_space:
        raise BadInput("gateway", "it cannot be served on a Space", "run it on your own machine")
    if not settings.gateway_keys:
        if settings.accounts:
            raise BadInput(
                f"setting {SETTING}",
                "a server with accounts needs keys",
                "create one with `workbench auth key NAME`",
            )
        if not is_local(settings.host):
            raise BadInput(
                f"address {settings.host} (WORKBENCH_HOST or --host)",
                "other machines could use the gateway without a key",
                f"set {SETTING} (`workbench auth key NAME` prints one), or listen on 127.0.0.1",
            )
    check_keys(settings)


def open_gateway(
    services: Services,
    *,
    family: str = "",
    upstream: UpstreamModels | None = None,
    recorder: Recorder | None = None,
) -> Gateway:
    """Return a gateway for the settings.

    Args:
        family: Template family of engines without a contract. Empty uses the family of the default contract.
        upstream: The models of the server that the gateway is in front of.
        recorder: Records requests as sessions. None records nothing.

    Raises:
        BadInput: The settings do not allow it, or the default contract cannot be read.
    """
    check_gateway(services.settings)
    options = GatewayOptions(family=family or _default_family(services), upstream=upstream, recorder=recorder)
    return Gateway(services, options)


def _default_family(services: Services) -> str:
    version = services.contract_version(services.settings.contract)
    return parse_contract(version.text, name=name_in(version.name)).family


class _AnnouncedServer(uvicorn.Server):
    """A server that says when it is ready, and stops its requests before it waits for them."""

    def __init__(
        self, config: uvicorn.Config, *, ready: Callable[[], None], stop: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._stop = stop

    async def startup(self, sockets: object = None) -> None:
        await super().startup()
        self._ready()

    async def shutdown(self, sockets: object = None) -> None:
        self._stop()
        await super().shutdown()


def serve_gateway(gateway: Gateway, settings: Settings, *, say: Callable[[str], None] = print) -> None:
    """Serve the gateway until the process is interrupted or asked to stop.

    Args:
        settings: The address, as `host` and `gateway_port`.
        say: Called with a line once requests can be sent.

    Raises:
        BadInput: The port is in use, or the address does not belong to this machine.
    """
    host, port = settings.host, settings.gateway_port
    check_address(host, port, "WORKBENCH_GATEWAY_PORT")
    shown = f"[{host}]" if ":" in host else host
    config = uvicorn.Config(
        gateway.app,
        host=host,
        port=port,
        http=cast("type[Protocol]", limited_connections(settings)),
        log_level="warning",
        access_log=False,
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    server = _AnnouncedServer(
        config,
        ready=lambda: say(f"The gateway is running at http://{shown}:{port}/v1 (press Ctrl+C to stop)"),
        stop=gateway.stop,
    )
    garbage.settle()
    try:
        with suppress(KeyboardInterrupt):
            server.run()
    finally:
        gateway.close()

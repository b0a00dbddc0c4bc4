"""The gateway's endpoints, as a Starlette application."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from workbench import __version__
from workbench.app.clients import TrustedProxies, network_of
from workbench.app.hosts import AllowedHosts, parse_authority
from workbench.app.recording import Recorder
from workbench.app.requests.reading import reading_fields
from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.gateway.anthropic_spelling import anthropic_fault
from workbench.gateway.chat_answers import (
    FaultSpelling,
    as_fault,
    fault_response,
    json_response,
    openai_fault,
)
from workbench.gateway.conversation import read_tools
from workbench.gateway.event_stream import EventStream, while_connected
from workbench.gateway.faults import RequestFault
from workbench.gateway.keys import GatewayKeys, owner_of_key
from workbench.gateway.protocols import PreparedAnswer, Protocols
from workbench.gateway.requests import ParseRequest, parse_body
from workbench.gateway.response_memory import owner_key
from workbench.gateway.response_spelling import response_fault
from workbench.gateway.targets import Targets, UpstreamModels
from workbench.gateway.threads import Workers
from workbench.hermes.parse import parse
from workbench.toolspec.budget import REQUEST_STEPS, budget

PATHS: Final = ("/v1/", "/health")
"""Paths of the gateway, for a server that also serves the page."""
_BODY_S: Final = 60.0
"""How long a body may take to arrive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayOptions:
    """What a gateway serves."""

    family: str
    """Template family of engines without a contract."""
    upstream: UpstreamModels | None = None
    """The models of the server that the gateway is in front of. None if there is none."""
    recorder: Recorder | None = None
    """Stores conversations. None stores nothing."""


class Gateway:
    """The gateway's endpoints.

    Args:
        services: Services of the local user.
        options: What it serves.

    Raises:
        BadInput: The hash of a key cannot be read.
    """

    def __init__(self, services: Services, options: GatewayOptions) -> None:
        settings = services.settings
        self._services = services
        self._options = options
        self._keys = GatewayKeys.of(settings)
        self._proxies = TrustedProxies(settings.trusted_proxies)
        self._hosts = AllowedHosts.of(settings)
        self._targets = Targets(options.upstream)
        self._workers = Workers(settings.gateway_requests, time.monotonic)
        protocols = Protocols(self._targets, options.family, self._workers, options.recorder)
        self._protocols = protocols
        self._most_bytes = settings.gateway_body_mb * 1_000_000
        self.app: Final[ASGIApp] = Starlette(
            routes=[
                Route("/health", self._health),
                Route("/v1/models", partial(self._served, self._models)),
                Route("/v1/models/{name:path}", partial(self._served, self._model)),
                Route("/v1/chat/completions", _Endpoint(self, protocols.chat), methods=["POST"]),
                Route("/v1/completions", _Endpoint(self, protocols.complete), methods=["POST"]),
                Route("/v1/responses", _Endpoint(self, protocols.respond, response_fault), methods=["POST"]),
                Route("/v1/responses/{id}", partial(self._served, self._response), methods=["GET", "DELETE"]),
                Route("/v1/messages", _Endpoint(self, protocols.message, anthropic_fault), methods=["POST"]),
                Route(
                    "/v1/messages/count_tokens",
                    partial(self._served, self._count_tokens, spell_fault=anthropic_fault),
                    methods=["POST"],
                ),
                Route("/v1/parse", partial(self._served, self._parse), methods=["POST"]),
            ],
            exception_handlers={404: _not_found, 405: _not_allowed},
        )

    def stop(self) -> None:
        """Ask all requests to end."""
        self._workers.stop()

    def close(self) -> None:
        """Stop all requests and wait for their threads."""
        self._workers.close()

    async def _served(
        self,
        handle: Callable[[Services, Request], Awaitable[Response]],
        request: Request,
        spell_fault: FaultSpelling = openai_fault,
    ) -> Response:
        """Check a request, and answer it."""
        try:
            return await handle(await self._admitted(request), request)
        except Exception as error:  # noqa: BLE001 - every error gets a body of the protocol
            return fault_response(as_fault(error), spell_fault)

    async def generate(
        self,
        prepare: Callable[[Services, Headers, bytes], PreparedAnswer],
        spell_fault: FaultSpelling,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answer a request that uses a model."""
        request = Request(scope, receive)
        try:
            services = await self._admitted(request)
            body = await self._body(request)
            with self._workers.request() as stop, _at_work(services) as counted, budget(REQUEST_STEPS):
                prepared = await self._workers.run(lambda: prepare(counted, request.headers, body))
                if prepared.is_stream:
                    await EventStream(self._workers, prepared.answer, stop)(scope, receive, send)
                    return
                response = await while_connected(receive, stop, lambda: prepared.answer.whole(stop))
                if response is not None:
                    await response(scope, receive, send)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - every error gets a body of the protocol
            await fault_response(as_fault(error), spell_fault)(scope, receive, send)

    async def _admitted(self, request: Request) -> Services:
        """Return the services of the sender.

        Raises:
            RequestFault: A website sent the request, or the key is missing or wrong.
        """
        self._check_sender(request)
        address = network_of(self._proxies.sender_of(request.scope))
        name = await self._keys.name_of(request.headers, address)
        services = self._services.of(owner_of_key(self._services.settings, name))
        # A request names listed models only, not files of this machine.
        return replace(services, models=services.models.with_paths(is_permitted=False))

    def _check_sender(self, request: Request) -> None:
        """Check that no website sent the request through a browser, which is on this machine.

        Raises:
            RequestFault: The Host header names another server, or the request comes from a page of another origin.
        """
        hosts = request.headers.getlist("host")
        authority = parse_authority(hosts[0]) if len(hosts) == 1 else None
        if authority is None or not self._hosts.allows(authority):
            name = authority.host if authority else ""
            remedy = f"To allow it, set WORKBENCH_ALLOWED_HOSTS={name}"
            message = f"This server does not answer to the host {name!r}. {remedy}"
            raise RequestFault(421, message, "unknown_host")
        if "origin" in request.headers:
            raise RequestFault(
                403, "Requests of web pages are refused. Send them from a server.", "foreign_origin"
            )

    async def _body(self, request: Request) -> bytes:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise RequestFault(
                415, "Send the body with `Content-Type: application/json`.", "unsupported_media_type"
            )
        declared = request.headers.get("content-length", "")
        if declared.isdigit() and int(declared) > self._most_bytes:
            raise self._too_large()
        parts, size = list[bytes](), 0
        try:
            async with asyncio.timeout(_BODY_S):
                async for part in request.stream():
                    size += len(part)
                    if size > self._most_bytes:
                        raise self._too_large()
                    parts.append(part)
        except TimeoutError:
            raise RequestFault(408, "The body did not arrive in time.", "timeout") from None
        return b"".join(parts)

    def _too_large(self) -> RequestFault:
        limit = self._most_bytes // 1_000_000
        return RequestFault(
            413,
            f"The body is larger than {limit} MB. WORKBENCH_GATEWAY_BODY_MB sets the limit.",
            "request_too_large",
        )

    async def _health(self, request: Request) -> Response:
        document: dict[str, object] = {
            "status": "ok",
            "version": __version__,
            "requests": self._workers.running,
        }
        if self._options.recorder is not None:
            counts = self._options.recorder.counts
            document["recorded"] = {
                "answers": counts.answers,
                "messages": counts.messages,
                "failures": counts.failures,
            }
        return json_response(document)

    async def _models(self, services: Services, request: Request) -> Response:
        names = await asyncio.to_thread(self._targets.names, services)
        return json_response({"object": "list", "data": [_model_document(name) for name in names]})

    async def _model(self, services: Services, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in await asyncio.to_thread(self._targets.names, services):
            raise RequestFault(404, f"There is no model {name[:200]!r}.", "model_not_found", "model")
        return json_response(_model_document(name))

    async def _parse(self, services: Services, request: Request) -> Response:
        body = await self._body(request)
        with budget(REQUEST_STEPS):
            return json_response(await asyncio.to_thread(_reading, body))

    async def _response(self, services: Services, request: Request) -> Response:
        owner, response_id = owner_key(services), str(request.path_params["id"])
        if request.method == "DELETE":
            self._protocols.responses.delete(owner, response_id)
            return json_response({"id": response_id, "object": "response", "deleted": True})
        return json_response(self._protocols.responses.find(owner, response_id).document)

    async def _count_tokens(self, services: Services, request: Request) -> Response:
        body = await self._body(request)
        with self._workers.request(), _at_work(services) as counted, budget(REQUEST_STEPS):
            count = partial(self._protocols.count_tokens, counted, request.headers, body)
            return json_response({"input_tokens": await self._workers.run(count)})


class _Endpoint:
    """An endpoint that uses a model, as an ASGI application."""

    def __init__(
        self,
        gateway: Gateway,
        prepare: Callable[[Services, Headers, bytes], PreparedAnswer],
        spell_fault: FaultSpelling = openai_fault,
    ) -> None:
        self._gateway = gateway
        self._prepare = prepare
        self._spell_fault = spell_fault

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        await self._gateway.generate(self._prepare, self._spell_fault, scope, receive, send)


@contextmanager
def _at_work(services: Services) -> Generator[Services]:
    """Count a request of the owner while the context lasts.

    Raises:
        RequestFault: The owner has too many requests.
    """
    with ExitStack() as stack:
        try:
            counted = stack.enter_context(services.at_work())
        except BadInput as error:
            raise RequestFault(
                429, str(error), "rate_limit_exceeded", kind="rate_limit_error", retry_after_s=1
            ) from None
        yield counted


def _reading(body: bytes) -> JsonObject:
    form = parse_body(body, ParseRequest)
    tools = None if form.tools is None else read_tools(form.tools)
    reading = parse(
        form.text,
        tools=tools,
        dialect=form.dialect,
        level=form.level,
        finish_reason=form.finish_reason,
        starts_in_thought=form.starts_in_thought,
    )
    return reading_fields(reading)


def _model_document(name: str) -> JsonObject:
    return {"id": name, "object": "model", "created": 0, "owned_by": "hermes-workbench"}


async def _not_found(request: Request, _error: Exception) -> Response:
    fault = RequestFault(404, f"There is nothing at {request.url.path}.", "unknown_url")
    return fault_response(fault, _fault_spelling(request))


async def _not_allowed(request: Request, _error: Exception) -> Response:
    message = f"{request.url.path} does not accept {request.method}."
    return fault_response(RequestFault(405, message, "method_not_allowed"), _fault_spelling(request))


def _fault_spelling(request: Request) -> FaultSpelling:
    return anthropic_fault if request.url.path.startswith("/v1/messages") else openai_fault


class WithGateway:
    """Serves the gateway's paths, and all other paths with another application.

    Args:
        gateway: The gateway's application.
        other: The application for all other paths.
    """

    def __init__(self, gateway: ASGIApp, other: ASGIApp) -> None:
        self._gateway = gateway
        self._other = other

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        is_ours = scope["type"] == "http" and scope["path"].startswith(PATHS)
        await (self._gateway if is_ours else self._other)(scope, receive, send)

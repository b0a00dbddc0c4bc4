"""The gate: an ASGI application around Gradio's that decides which requests reach it."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.app.clients import TrustedProxies
from workbench.app.hosts import AllowedHosts, is_foreign, origins_of, parse_authority
from workbench.settings import Settings
from workbench.ui.file_owners import FileOwners
from workbench.ui.gate import bodies
from workbench.ui.gate.bodies import UPLOADS_AN_HOUR, UploadQuota
from workbench.ui.gate.headers import SecurityHeaders
from workbench.ui.gate.login import LoginService, logout_page
from workbench.ui.gate.pages import PAGE_ID, ForeignPage, OpenPages, TooManyPages
from workbench.ui.gate.routes import Route, RouteKind, route_of
from workbench.ui.gate.visit import (
    Cookies,
    RequestRefused,
    Visit,
    as_see_other,
    is_https,
    new_secret,
    owner_of,
    page_id_of,
    scope_for_gradio,
    single_value,
    with_browser_cookie,
    with_event,
    with_uploads,
)
from workbench.ui.request_scope import address_of

_FOREIGN: Final = (
    "This request was refused because it came from a page of another origin. If the server runs behind a proxy, "
    "forward the headers Host (with its port) and X-Forwarded-Proto as the browser sent them.\n"
)
_PAGES: Final = (RouteKind.PAGE, RouteKind.REPORT, RouteKind.LOGIN, RouteKind.LOGOUT, RouteKind.SIGN_IN)
_WITHOUT_LOGIN: Final = (RouteKind.ASSET, RouteKind.LOGIN, RouteKind.LOGOUT, RouteKind.SIGN_IN)


class RequestGate:
    """Passes allowed requests on to `app`, and sets the security headers of every response.

    Args:
        pages: The open pages and their owners.
        files: The owners of uploaded and offered files.
        has_answers: Returns whether Gradio has, or will have, answers for a tab or a call.
        login_service: Logs users in, or None if there are no accounts.
        has_mcp: Whether agents are served over MCP.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        *,
        security: SecurityHeaders,
        pages: OpenPages,
        files: FileOwners,
        has_answers: Callable[[str], bool],
        login_service: LoginService | None,
        has_mcp: bool,
    ) -> None:
        self._app = app
        self._settings = settings
        self._hosts = AllowedHosts.of(settings)
        self._proxies = TrustedProxies(settings.trusted_proxies)
        self._security = security
        self._pages = pages
        self._files = files
        self._has_answers = has_answers
        self._login_service = login_service
        self._has_mcp = has_mcp
        most_bytes = UPLOADS_AN_HOUR * settings.max_upload_mb * 1_000_000
        self._uploads = UploadQuota(most_bytes, time.monotonic) if settings.is_on_space else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._serve(self._proxies.resolved(scope), receive, send)
        else:
            # The page does not use WebSockets.
            await send({"type": "websocket.close", "code": 1008})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, nonce = Request(scope), new_secret()
        kind: RouteKind | None = None

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._security.apply(MutableHeaders(scope=message), kind, nonce)
            await send(message)

        try:
            visit = self._look_at(request, nonce)
            kind = visit.route.kind
            await self._let_through(visit, receive, send_guarded)
        except RequestRefused as refused:
            await refused.answer(scope, receive, send_guarded)

    def _look_at(self, request: Request, nonce: str) -> Visit:
        """Check what does not depend on the sender: host, path and origin."""
        headers = request.headers
        hosts = headers.getlist("host")
        authority = parse_authority(hosts[0]) if len(hosts) == 1 else None
        if authority is None:
            raise RequestRefused(PlainTextResponse("The request needs one valid Host header.\n", 400))
        if not self._hosts.allows(authority):
            raise RequestRefused(PlainTextResponse(_unknown_host(authority.host), 421))
        route = route_of(
            request.method,
            request.url.path,
            has_mcp=self._has_mcp,
            has_sign_in=self._settings.has_hugging_face_login,
        )
        if route is None:
            raise RequestRefused(JSONResponse({"detail": "Not found"}, 404))
        has_https = is_https(request)
        # The Hub serves a Space over HTTPS only, even if this process sees plain HTTP.
        schemes = ("https", "http") if self._settings.is_on_space else ("https" if has_https else "http",)
        is_page = route.kind in _PAGES
        if is_foreign(request.method, headers, origins_of(authority, schemes), is_page=is_page):
            raise RequestRefused(PlainTextResponse(_FOREIGN, 403))
        cookies = Cookies.of(self._settings, is_https=has_https)
        return Visit(request=request, route=route, cookies=cookies, nonce=nonce)

    async def _let_through(self, visit: Visit, receive: Receive, send: Send) -> None:
        kind = visit.route.kind
        if kind is RouteKind.LOGIN:
            await self._log_in(visit, receive, send)
        elif kind is RouteKind.LOGOUT:
            await self._log_out(visit, receive, send)
        else:
            user = self._user_of(visit)
            await self._pass_on(visit, user, receive, send)

    def _user_of(self, visit: Visit) -> str | None:
        """Return who is logged in, or None if there are no accounts or the route needs no login."""
        if self._login_service is None:
            return None
        user = self._login_service.name_of(visit.token) if visit.token else None
        if user is None and visit.route.kind not in _WITHOUT_LOGIN:
            if visit.route.kind in (RouteKind.PAGE, RouteKind.REPORT):
                raise RequestRefused(self._login_service.form(visit.request))
            raise RequestRefused(JSONResponse({"detail": "Not authenticated. Log in first."}, 401))
        return user

    async def _pass_on(self, visit: Visit, user: str | None, receive: Receive, send: Send) -> None:
        owner, kind, headers = owner_of(visit, user), visit.route.kind, visit.request.headers
        page_id = visit.route.page_id
        if kind is RouteKind.CALL:
            body = await self._body(receive, headers, bodies.JSON_BYTES)
            page_id = page_id_of(body)
            receive = bodies.replayed(body, receive)
            if not page_id:
                # Without a tab, Gradio knows the call by the event id in its response.
                send = with_event(send, lambda event_id: self._note_event(event_id, owner))
        elif kind is RouteKind.STREAM and not page_id:
            page_id = single_value(visit.request.query_params, "session_hash")
        if kind is RouteKind.STREAM:
            await self._stream(visit, user, page_id, receive, send)
            return
        if page_id:
            self._use_page(page_id, owner)
        if visit.route.file and not self._files.may_use(owner, visit.route.file):
            raise RequestRefused(JSONResponse({"detail": "The file is not available."}, 403))
        if kind is RouteKind.UPLOAD:
            send = with_uploads(send, partial(self._files.add, owner))
        scope = scope_for_gradio(visit, user)
        if visit.request.url.path in ("/", "/config") and not visit.cookies.read(headers, "browser"):
            send = with_browser_cookie(send, visit.cookies)
        await self._pass_body(kind, scope, receive, send)

    async def _stream(
        self, visit: Visit, user: str | None, page_id: str, receive: Receive, send: Send
    ) -> None:
        is_known = visit.route.is_open_ended or self._has_answers(page_id)
        if is_known or page_id in self._pages:
            self._use_page(page_id, owner_of(visit, user))
        if not is_known:
            # Gradio would start a stream, abort it and log an error.
            raise RequestRefused(_no_answers(visit.route))
        try:
            with self._pages.listening(page_id):
                await self._app(scope_for_gradio(visit, user), receive, send)
        except (HTTPException, KeyError):
            # The page was dropped meanwhile, so the stream ends.
            if page_id in self._pages:
                raise
        finally:
            if visit.route.is_call:
                self._pages.end(page_id)

    async def _pass_body(self, kind: RouteKind, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request whose body is read while it is handled."""
        most = bodies.JSON_BYTES
        if kind is RouteKind.UPLOAD:
            most = self._settings.max_upload_mb * 1_000_000 + bodies.ENVELOPE_BYTES
        size_bytes = bodies.declared_bytes(Headers(scope=scope))
        if size_bytes > most:
            raise RequestRefused(_too_large(most))
        if kind is RouteKind.UPLOAD and self._uploads is not None:
            address = address_of(Request(scope))
            if size_bytes > self._uploads.left_bytes(address):
                raise RequestRefused(_too_many_uploads())
            receive = bodies.uploaded(receive, most, partial(self._uploads.count, address))
        elif kind is RouteKind.UPLOAD:
            receive = bodies.uploaded(receive, most)
        else:
            receive = bodies.counted(receive, most, lambda: HTTPException(413, "The request is too large."))
        await self._app(scope, receive, send)

    async def _log_in(self, visit: Visit, receive: Receive, send: Send) -> None:
        if self._login_service is None:
            raise RequestRefused(RedirectResponse("/", 303))
        if visit.request.method != "POST":
            raise RequestRefused(self._login_service.form(visit.request))
        body = await self._body(receive, visit.request.headers, bodies.FORM_BYTES)
        answer, token = await self._login_service.log_in(
            Request(visit.request.scope, bodies.replayed(body, receive))
        )
        if token is not None:
            visit.cookies.write(answer.headers, "login", token)
        await answer(visit.request.scope, receive, send)

    async def _log_out(self, visit: Visit, receive: Receive, send: Send) -> None:
        request = visit.request
        if self._login_service is not None:
            answer = self._login_service.log_out(request, visit.token)
            if request.method == "POST":
                visit.cookies.write(answer.headers, "login", "")
        elif not self._settings.has_hugging_face_login:
            answer = RedirectResponse("/", 303)
        elif request.method == "POST":
            # Gradio logs out with GET, and redirects with the method of the request.
            await self._app({**scope_for_gradio(visit, None), "method": "GET"}, receive, as_see_other(send))
            return
        else:
            answer = HTMLResponse(logout_page(f"/logout?{request.url.query}".removesuffix("?")))
        await answer(request.scope, receive, send)

    def _use_page(self, page_id: str, owner: str) -> None:
        if not PAGE_ID.fullmatch(page_id):
            raise RequestRefused(JSONResponse({"detail": "The session hash is not valid."}, 400))
        try:
            self._pages.use(page_id, owner)
        except ForeignPage:
            raise RequestRefused(
                JSONResponse({"detail": "This session hash belongs to another browser."}, 403)
            ) from None
        except TooManyPages:
            detail = "Too many pages are open. Try again later, or raise WORKBENCH_MAX_OPEN_PAGES."
            raise RequestRefused(JSONResponse({"detail": detail}, 503, {"Retry-After": "10"})) from None

    def _note_event(self, event_id: str, owner: str) -> None:
        # The call was accepted. If there is no room for it, its answer still waits to be fetched.
        with suppress(RequestRefused):
            self._use_page(event_id, owner)

    async def _body(self, receive: Receive, headers: Headers, most_bytes: int) -> bytes:
        try:
            return await bodies.read_body(receive, headers, most_bytes)
        except bodies.BodyTooLarge:
            raise RequestRefused(_too_large(most_bytes)) from None
        except bodies.BodyMissing:
            raise RequestRefused(PlainTextResponse("The request did not arrive in time.\n", 408)) from None


def _no_answers(route: Route) -> Response:
    """Return what Gradio's clients understand as an unknown tab or call, for example after a restart."""
    text = "The server has no answers for this session or call."
    message = {"msg": "unexpected_error", "message": text, "session_not_found": True, "success": False}
    stream = f"event: error\ndata: {json.dumps(text)}" if route.page_id else f"data: {json.dumps(message)}"
    return Response(f"{stream}\n\n", media_type="text/event-stream")


def _too_large(most_bytes: int) -> Response:
    return PlainTextResponse(
        f"The request is larger than the limit of {most_bytes // 1000:,} kB. "
        "For uploads, WORKBENCH_MAX_UPLOAD_MB sets the limit.\n",
        413,
    )


def _too_many_uploads() -> Response:
    return PlainTextResponse(
        "Too many uploads from this address within an hour. Try again later, or upload smaller files.\n",
        429,
        {"Retry-After": "3600"},
    )


def _unknown_host(host: str) -> str:
    return (
        f"This server does not answer to the host {host!r}. "
        f"To allow it, start the server with WORKBENCH_ALLOWED_HOSTS={host}\n"
    )

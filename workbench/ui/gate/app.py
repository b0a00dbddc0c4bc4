"""Gradio's application inside the gate."""

from collections.abc import Callable
from functools import partial
from typing import Final

from gradio.routes import App, ORJSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.errors import StoreError
from workbench.settings import Settings
from workbench.suite.reports.html import report_html
from workbench.suite.reports.report import RunReport
from workbench.ui.gate.gate import RequestGate
from workbench.ui.gate.gradio_pages import GradioPages, PageStates
from workbench.ui.gate.headers import SecurityHeaders
from workbench.ui.gate.login import LoginService
from workbench.ui.gate.pages import OpenPages
from workbench.ui.gate.routes import REPORT
from workbench.ui.gate.visit import NONCE, USER
from workbench.ui.incoming.requests import EventGuard
from workbench.ui.lazy_tabs import start_of
from workbench.ui.owners import GuardedBlocks
from workbench.ui.script_files import ROUTE, serve_scripts
from workbench.ui.slim_config import install_slim_config
from workbench.ui.style_files import STYLES_ROUTE, serve_styles

_SCRIPT: Final = b"<script"
_HEAD_END: Final = b"</head>"


class GatedApp(App):
    """The application that `launch(_app=…)` serves.

    The gate wraps everything that Gradio adds, including its CORS and session middleware.

    Args:
        head: HTML to add to the head of the page.
        login_service: Logs users in, or None if there are no accounts.
        has_mcp: Whether agents are served over MCP.
        find_report: Returns the report that a key shares, or None if the key is not valid.
        wrap: Puts an application with its own checks in front of the gate. None if there is none.
    """

    def __init__(
        self,
        blocks: GuardedBlocks,
        settings: Settings,
        *,
        find_report: Callable[[str], RunReport | None],
        wrap: Callable[[ASGIApp], ASGIApp] | None = None,
        head: str,
        login_service: LoginService | None,
        has_mcp: bool,
    ) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - gradio leaves `kwargs` untyped
            default_response_class=ORJSONResponse,
            # These run inside the middleware that compresses responses.
            middleware=[Middleware(PageHead, head=head), Middleware(EventGuard)],
        )
        # Our routes come before Gradio's own routes.
        self.add_route(ROUTE, serve_scripts)
        self.add_route(STYLES_ROUTE, serve_styles)
        self.add_route(REPORT + "{key}", partial(_serve_report, find_report))
        install_slim_config(start_of)
        self.state_holder = PageStates()
        gradio_pages = GradioPages(blocks)
        pages = OpenPages(settings.max_open_pages, gradio_pages.forget)
        self._in_front = wrap
        self._wrap: Callable[[ASGIApp], RequestGate] = lambda app: RequestGate(
            app,
            settings,
            security=SecurityHeaders.of(settings),
            pages=pages,
            files=blocks.files,
            has_answers=gradio_pages.has_answers,
            login_service=login_service,
            has_mcp=has_mcp,
        )

    def build_middleware_stack(self) -> ASGIApp:
        """Put the gate around Gradio's middleware, and other applications in front of the gate."""
        gated = self._wrap(super().build_middleware_stack())
        return self._in_front(gated) if self._in_front else gated


async def _serve_report(find_report: Callable[[str], RunReport | None], request: Request) -> Response:
    """Respond with a shared report, without links to its rollouts, which belong to somebody else."""
    try:
        report = await run_in_threadpool(find_report, request.path_params["key"])
    except StoreError:
        return PlainTextResponse("The report cannot be read. Try again later.\n", 503)
    if report is None:
        return PlainTextResponse("This link is no longer valid. Ask for a new one.\n", 404)
    text = await run_in_threadpool(report_html, report, page_url="", nonce=request.scope.get(NONCE, ""))
    return HTMLResponse(text)


class PageHead:
    """Completes the page's HTML: adds our head, and to all scripts the nonce of the response's security policy.

    No scripts run without the nonce.

    Args:
        app: Serves the page.
        head: HTML to add. Its own scripts are the only text with a script's tag.
    """

    def __init__(self, app: ASGIApp, *, head: str) -> None:
        self._app = app
        self._head = head.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["path"] != "/":
            await self._app(scope, receive, send)
            return
        start: Message | None = None
        parts = list[bytes]()

        async def send_completed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            parts.append(message.get("body", b""))
            if start is None or message.get("more_body"):
                return
            # Text in the page's state cannot match, since Gradio writes `<` as \\u003c.
            body = b"".join(parts).replace(_HEAD_END, self._head + _HEAD_END, 1)
            body = body.replace(_SCRIPT, _SCRIPT + f' nonce="{scope.get(NONCE, "")}"'.encode())
            if body:
                MutableHeaders(scope=start)["content-length"] = str(len(body))
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, send_completed)


def user_of(request: Request) -> str | None:
    """Return the account of a request for Gradio's `auth_dependency`. The gate has checked it."""
    return request.scope.get(USER)

"""Gradio's application inside the gate."""

from collections.abc import Callable
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp

from workbench.errors import StoreError
from workbench.settings import Settings
from workbench.suite.reports.html import report_html
from workbench.suite.reports.report import RunReport
from workbench.ui.file_owners import FileOwners
from workbench.ui.gate.gate import RequestGate
from workbench.ui.gate.headers import SecurityHeaders
from workbench.ui.gate.login import LoginService
from workbench.ui.gate.pages import OpenPages
from workbench.ui.gate.routes import REPORT
from workbench.ui.gradio_parts.application import PageApp, PageHead
from workbench.ui.gradio_parts.open_pages import GradioPages
from workbench.ui.gradio_parts.page_blocks import PageBlocks
from workbench.ui.help_pages import ROUTE as HELP_ROUTE
from workbench.ui.help_pages import HelpRoute
from workbench.ui.incoming.requests import EventGuard
from workbench.ui.request_scope import NONCE, USER
from workbench.ui.script_files import ROUTE, serve_scripts
from workbench.ui.style_files import STYLES_ROUTE, serve_styles


def gated_app(
    blocks: PageBlocks,
    settings: Settings,
    *,
    files: FileOwners,
    find_report: Callable[[str], RunReport | None],
    wrap: Callable[[ASGIApp], ASGIApp] | None = None,
    head: str,
    login_service: LoginService | None,
    has_mcp: bool,
) -> PageApp:
    """Return the application to serve the page with. The gate wraps everything that Gradio adds.

    Args:
        files: The owners of uploaded and offered files.
        find_report: Returns the report that a key shares, or None if the key is not valid.
        wrap: Puts an application with its own checks in front of the gate. None if there is none.
        head: HTML to add to the head of the page.
        login_service: Logs users in, or None if there are no accounts.
        has_mcp: Whether agents are served over MCP.
    """
    gradio_pages = GradioPages(blocks)
    pages = OpenPages(settings.max_open_pages, gradio_pages.forget)

    def gated(app: ASGIApp) -> ASGIApp:
        gate = RequestGate(
            app,
            settings,
            security=SecurityHeaders.of(settings),
            pages=pages,
            files=files,
            has_answers=gradio_pages.has_answers,
            login_service=login_service,
            has_mcp=has_mcp,
        )
        return wrap(gate) if wrap else gate

    middleware = [Middleware(PageHead, head=head, nonce_key=NONCE), Middleware(EventGuard)]
    app = PageApp(gated, middleware, blocks.start_of)
    # Our routes come before Gradio's own, which are added when the page is launched.
    app.add_route(ROUTE, serve_scripts)
    app.add_route(STYLES_ROUTE, serve_styles)
    app.add_route(HELP_ROUTE, HelpRoute(settings.home).serve)
    app.add_route(REPORT + "{key}", partial(_serve_report, find_report))
    return app


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


def user_of(request: Request) -> str | None:
    """Return the account of a request for Gradio's `auth_dependency`. The gate has checked it."""
    return request.scope.get(USER)

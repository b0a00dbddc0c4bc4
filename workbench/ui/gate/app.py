"""Gradio's application inside the gate."""

from collections.abc import Callable, Sequence
from typing import Final

import gradio as gr
from gradio.routes import App, ORJSONResponse
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.settings import Settings
from workbench.ui.gate.gate import RequestGate
from workbench.ui.gate.gradio_pages import GradioPages, PageStates
from workbench.ui.gate.headers import SecurityHeaders
from workbench.ui.gate.login import LoginService
from workbench.ui.gate.pages import OpenPages
from workbench.ui.gate.visit import NONCE, USER
from workbench.ui.incoming.requests import EventGuard
from workbench.ui.script_files import ROUTE, serve_script

_SCRIPT: Final = b"<script"


class GatedApp(App):
    """What `launch(_app=…)` serves: the gate is outside of all that Gradio adds, its CORS and sessions included.

    Args:
        scripts: Inline scripts that Gradio adds to the page in the browser.
        login_service: Lets people in; None where nobody logs in.
        has_mcp: Agents are served too.
    """

    def __init__(
        self,
        blocks: gr.Blocks,
        settings: Settings,
        *,
        scripts: Sequence[str],
        login_service: LoginService | None,
        has_mcp: bool,
    ) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - gradio leaves `kwargs` untyped
            default_response_class=ORJSONResponse,
            # Inside of what compresses answers.
            middleware=[Middleware(ScriptNonce), Middleware(EventGuard)],
        )
        # Before Gradio adds its own routes.
        self.add_route(ROUTE, serve_script)
        self.state_holder = PageStates()
        kept = GradioPages(blocks)
        pages = OpenPages(settings.max_open_pages, kept.forget)
        self._fence: Callable[[ASGIApp], RequestGate] = lambda app: RequestGate(
            app,
            settings,
            security=SecurityHeaders.of(settings, scripts),
            pages=pages,
            has_answers=kept.has_answers,
            login_service=login_service,
            has_mcp=has_mcp,
        )

    def build_middleware_stack(self) -> ASGIApp:
        """The gate first, then Gradio's."""
        return self._fence(super().build_middleware_stack())


class ScriptNonce:
    """Lets the scripts in the page's HTML run, and no others: each gets the nonce that the answer's policy names."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["path"] != "/":
            await self._app(scope, receive, send)
            return
        start: Message | None = None
        parts = list[bytes]()

        async def send_with_nonces(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            parts.append(message.get("body", b""))
            if start is None or message.get("more_body"):
                return
            # Text of the page's state has no `<`: Gradio writes it as \\u003c.
            body = b"".join(parts).replace(_SCRIPT, _SCRIPT + f' nonce="{scope.get(NONCE, "")}"'.encode())
            if body:
                MutableHeaders(scope=start)["content-length"] = str(len(body))
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, send_with_nonces)


def user_of(request: Request) -> str | None:
    """The account behind a request, for Gradio's `auth_dependency`; the gate has checked it."""
    return request.scope.get(USER)

"""Gradio's application with routes and middleware of our own, and with one page head for all browsers.

Gradio wraps an application that it is mounted in, but adds its CORS and session middleware itself, outside of anything
that can be added to it. `launch` takes an application as `_app`.

*Gradio 6.31:* `routes.App.__init__`, `routes.App.create_app`, `routes.toorjson`, `blocks.Blocks.launch`,
`http_server.start_server`, `utils.safe_deepcopy`, `route_utils.update_root_in_config`,
`processing_utils.add_root_url`.
"""

import gzip
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import gradio as gr
import markupsafe
from gradio import routes
from gradio.routes import App, ORJSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.ui.gradio_parts.event_queue import MAX_THREADS
from workbench.ui.gradio_parts.open_pages import PageStates
from workbench.ui.gradio_parts.split_config import has_own_address

_SCRIPT: Final = b"<script"
_HEAD_END: Final = b"</head>"
_GZIP_LEVEL: Final = 5
"""130 kB become 26 kB in 3 ms."""


class PageApp(App):
    """The application that `launch_page` serves.

    Args:
        wrap: Puts something around everything that Gradio adds.
        middleware: What runs inside the middleware that compresses responses.
        start_of: Returns the part of a page's configuration that is written into the page.
    """

    def __init__(
        self,
        wrap: Callable[[ASGIApp], ASGIApp],
        middleware: Sequence[Middleware],
        start_of: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    ) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - gradio leaves `kwargs` untyped
            default_response_class=ORJSONResponse, middleware=list(middleware)
        )
        _write_configs_with(start_of)
        self.state_holder = PageStates()
        self._wrap = wrap

    def build_middleware_stack(self) -> ASGIApp:
        """Return the application with everything around it."""
        return self._wrap(super().build_middleware_stack())


def _write_configs_with(start_of: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> None:
    """Make Gradio's page template write each configuration as `start_of` returns it."""
    # Gradio does not type its template filters.
    filters = cast(Any, routes).templates.env.filters
    write: Callable[[object], markupsafe.Markup] = cast(Any, routes).toorjson

    def write_start(value: object) -> markupsafe.Markup:
        if not isinstance(value, dict):
            return write(value)
        config = cast("dict[str, Any]", value)
        return write(start_of(config) if {"components", "dependencies"} <= config.keys() else config)

    filters["toorjson"] = write_start


class PageHead:
    """Completes the page's HTML: adds our head, and to all scripts the nonce of the response's security policy.

    It is compressed as well, which Gradio does only for paths with an extension such as `.js`. It holds no secret but
    the nonce, which is another one in each response, so that an attacker learns neither from its length (BREACH).

    No scripts run without the nonce. Gradio's option `head` would add ours only while its own scripts run.

    Args:
        app: Serves the page.
        head: HTML to add. Its own scripts are the only text with a script's tag.
        nonce_key: The key of the nonce in a request's scope.
    """

    def __init__(self, app: ASGIApp, *, head: str, nonce_key: str) -> None:
        self._app = app
        self._head = head.encode()
        self._nonce_key = nonce_key

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
            body = body.replace(_SCRIPT, _SCRIPT + f' nonce="{scope.get(self._nonce_key, "")}"'.encode())
            headers = MutableHeaders(scope=start)
            if body and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
                body = gzip.compress(body, _GZIP_LEVEL)
                headers["content-encoding"] = "gzip"
            headers.add_vary_header("Accept-Encoding")
            if body:
                headers["content-length"] = str(len(body))
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await self._app(scope, receive, send_completed)


def launch_page(blocks: gr.Blocks, app: App, *, http_protocol: Callable[..., Any], **options: Any) -> None:
    """Start to serve a page in the background.

    Args:
        blocks: The page.
        app: The application.
        http_protocol: Creates what handles a connection, in uvicorn.
        options: Further options of `launch`.
    """
    blocks.launch(
        share=False,
        quiet=True,
        prevent_thread_lock=True,
        max_threads=MAX_THREADS,
        enable_monitoring=False,
        # Our components exist in browsers only (`drawn.js`). A Space may ask for the other way.
        ssr_mode=False,
        # Otherwise Gradio checks whether it can reach itself, and gives up on a busy machine.
        _frontend=False,
        _app=app,
        **options,
    )
    _share_parts(blocks)
    # Gradio creates uvicorn's configuration itself. Each new connection reads this.
    cast(Any, blocks).server.config.http_protocol_class = http_protocol


class _Shared(dict[str, Any]):
    """A part of the page's configuration that is the same in all responses."""

    def __deepcopy__(self, memo: object) -> "_Shared":
        return self


def _share_parts(blocks: gr.Blocks) -> None:
    """Let responses share the parts of the configuration: copying them takes half of the time of a response.

    A quarter is the search for addresses of files, which Gradio omits if the request has the page's own address.
    """
    config: dict[str, Any] = {**cast(Any, blocks).config}
    if not has_own_address(config):
        config["root"] = str(blocks.local_url).rstrip("/")
    for name in ("components", "dependencies"):
        config[name] = [part if has_own_address(part) else _Shared(part) for part in config[name]]
    # In one step, since the server answers already.
    cast(Any, blocks).config = config

"""The paths that are served, by kind.

Gradio serves more than this page needs: `file=https://…` fetches any address on the internet, `token` exposes a login's
secret to scripts, `deep_link` writes a tab's content to disk, `process_recording` runs ffmpeg. Paths that are not in
these tables are not served.
"""

import re
from enum import StrEnum
from typing import Final, NamedTuple

API: Final = "/gradio_api"
LOGIN: Final = "/login"
LOGOUT: Final = "/logout"
PAGE: Final = "/"
REPORT: Final = "/report/"
"""The beginning of the path of a shared report, before its key."""


class RouteKind(StrEnum):
    """The kind of a path."""

    PAGE = "page"
    """The page itself, which other sites may link to."""
    REPORT = "report"
    """A shared report, which other sites may link to."""
    ASSET = "asset"
    """Files that are the same for everybody, served without a login."""
    CALL = "call"
    """A call whose JSON body may name its tab."""
    STREAM = "stream"
    """The event stream of a tab or a call, named by the path or the query."""
    UPLOAD = "upload"
    DATA = "data"
    """All other private data."""
    LOGIN = "login"
    LOGOUT = "logout"
    SIGN_IN = "sign-in"
    """The redirects to Hugging Face's login and back, which come from another site."""
    MCP = "mcp"


class Route(NamedTuple):
    """A path that is served."""

    kind: RouteKind
    page_id: str = ""
    """The tab or call in the path. Empty if there is none."""
    file: str = ""
    """The file in the path. Empty if there is none."""
    is_open_ended: bool = False
    """True for the heartbeat stream, which only shows that the tab is open."""

    @property
    def is_call(self) -> bool:
        """Whether this is the stream of one call's answer, which Gradio sends once."""
        return self.kind is RouteKind.STREAM and bool(self.page_id) and not self.is_open_ended


_ASSETS: Final = re.compile(
    r"/(assets|static|svelte|scripts|styles|help)/[ -~]{1,200}|/help"
    r"|(/gradio_api)?/theme\.css|/favicon\.ico|/robots\.txt|/manifest\.json|/pwa_icon(/\d+)?"
    r"|/gradio_api/startup-events"
)
"""A name of over 255 bytes would be an error of the file system, which Gradio does not expect."""
_KINDS: Final = {
    PAGE: RouteKind.PAGE,
    LOGIN: RouteKind.LOGIN,
    LOGOUT: RouteKind.LOGOUT,
    "/config": RouteKind.DATA,
    **dict.fromkeys(
        (f"{API}/{name}" for name in ("info", "openapi.json", "user", "login_check", "app_id")),
        RouteKind.DATA,
    ),
    **dict.fromkeys((f"{API}/queue/status", f"{API}/upload_progress"), RouteKind.DATA),
    f"{API}/queue/data": RouteKind.STREAM,
    **dict.fromkeys((f"{API}/{name}" for name in ("queue/join", "cancel", "reset")), RouteKind.CALL),
    f"{API}/upload": RouteKind.UPLOAD,
}
_SIGN_IN: Final = (f"{LOGIN}/huggingface", f"{LOGIN}/callback")
_CALL: Final = re.compile(rf"{API}/(call|call/v2|run|api)/[^/]+")
_RESULT: Final = re.compile(rf"{API}/call(?:/v2)?/[^/]+/(?P<id>[^/]+)")
_HEARTBEAT: Final = re.compile(rf"{API}/heartbeat/(?P<id>[^/]+)")
_REPORT: Final = re.compile(rf"{REPORT}[0-9A-Za-z_-]{{1,64}}")
_FILE: Final = re.compile(rf"{API}/file=(?P<path>(?!https?:)[^\n]+)", re.IGNORECASE)
_MCP: Final = re.compile(rf"{API}/mcp(/.*)?")


def route_of(method: str, path: str, *, has_mcp: bool, has_sign_in: bool) -> Route | None:
    """Return the route of a path, or None if it is not served.

    Args:
        path: The decoded path, without the query.
        has_mcp: Whether agents are served over MCP.
        has_sign_in: Whether users can sign in with Hugging Face.
    """
    trimmed = path.rstrip("/") or PAGE
    if _MCP.fullmatch(trimmed):
        return Route(RouteKind.MCP) if has_mcp else None
    if trimmed in _SIGN_IN:
        return Route(RouteKind.SIGN_IN) if has_sign_in else None
    if _ASSETS.fullmatch(trimmed):
        return Route(RouteKind.ASSET)
    if _REPORT.fullmatch(trimmed):
        return Route(RouteKind.REPORT)
    if file := _FILE.fullmatch(path):
        return Route(RouteKind.DATA, file=file["path"])
    if trimmed in _KINDS:
        return Route(_KINDS[trimmed])
    if method == "POST":
        return Route(RouteKind.CALL) if _CALL.fullmatch(trimmed) else None
    # With GET, the last part of `call/v2/NAME` reads as an event of a function `v2`, but there is no such function.
    if found := _RESULT.fullmatch(trimmed):
        return Route(RouteKind.STREAM, found["id"])
    found = _HEARTBEAT.fullmatch(trimmed)
    return Route(RouteKind.STREAM, found["id"], is_open_ended=True) if found else None

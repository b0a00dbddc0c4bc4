"""The paths that are served, and who may request them.

Gradio serves more than this page needs: `file=https://…` fetches any address of the internet, `token` shows a login's
secret to scripts, `deep_link` writes what a tab shows to the disk, `process_recording` runs ffmpeg. What is not in
these tables is not served.
"""

import re
from enum import StrEnum
from typing import Final, NamedTuple

API: Final = "/gradio_api"
LOGIN: Final = "/login"
LOGOUT: Final = "/logout"
PAGE: Final = "/"


class RouteKind(StrEnum):
    """What is behind a path."""

    PAGE = "page"
    """The page itself, which links of other sites may lead to."""
    ASSET = "asset"
    """What is the same for everybody, served before anybody logs in."""
    CALL = "call"
    """A call whose JSON may name the tab it belongs to."""
    STREAM = "stream"
    """What a tab or a call gives, as a stream of events; the path or the query names it."""
    UPLOAD = "upload"
    DATA = "data"
    """All else that is private."""
    LOGIN = "login"
    LOGOUT = "logout"
    SIGN_IN = "sign-in"
    """The way to Hugging Face's login and back, which is a link of another site."""
    MCP = "mcp"


class Route(NamedTuple):
    """A path that is served."""

    kind: RouteKind
    page_id: str = ""
    """The tab or call that the path names; empty if it names none."""
    is_open_ended: bool = False
    """The stream says that the tab is open, and nothing else."""


_ASSETS: Final = re.compile(
    r"/(assets|static|svelte|scripts)/.+|(/gradio_api)?/theme\.css|/favicon\.ico|/robots\.txt|/manifest\.json"
    r"|/pwa_icon(/\d+)?|/gradio_api/startup-events"
)
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
_FILE: Final = re.compile(rf"{API}/file=(?!https?:)[^\n]+", re.IGNORECASE)
_MCP: Final = re.compile(rf"{API}/mcp(/.*)?")


def route_of(method: str, path: str, *, has_mcp: bool, has_sign_in: bool) -> Route | None:
    """Find what serves a path; None if nothing does.

    Args:
        path: Decoded, without the query.
        has_mcp: Agents are served too.
        has_sign_in: People can sign in with Hugging Face.
    """
    trimmed = path.rstrip("/") or PAGE
    if _MCP.fullmatch(trimmed):
        return Route(RouteKind.MCP) if has_mcp else None
    if trimmed in _SIGN_IN:
        return Route(RouteKind.SIGN_IN) if has_sign_in else None
    if _ASSETS.fullmatch(trimmed):
        return Route(RouteKind.ASSET)
    if _FILE.fullmatch(path):
        return Route(RouteKind.DATA)
    if trimmed in _KINDS:
        return Route(_KINDS[trimmed])
    if method == "POST":
        return Route(RouteKind.CALL) if _CALL.fullmatch(trimmed) else None
    # With GET, the last part of `call/v2/NAME` would be an event of the function `v2`: nobody has such a function.
    if found := _RESULT.fullmatch(trimmed):
        return Route(RouteKind.STREAM, found["id"])
    found = _HEARTBEAT.fullmatch(trimmed)
    return Route(RouteKind.STREAM, found["id"], is_open_ended=True) if found else None

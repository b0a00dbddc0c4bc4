"""A request in the gate: its sender, page and cookies, and the scope that Gradio gets."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from typing import Final, Literal, cast

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import Request, cookie_parser
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Scope, Send

from workbench.settings import Settings
from workbench.ui.gate import bodies
from workbench.ui.gate.routes import Route
from workbench.ui.request_scope import KEY_HEADER, NONCE, OWNER, USER

_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_YEAR_S: Final = 365 * 24 * 3600
Name = Literal["browser", "login"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookies:
    """Reads and writes the cookies of one connection.

    On a Space the page is in a frame of another site, so its cookies use `SameSite=None` and are partitioned by the
    framing site. Everywhere else they use `SameSite=Lax`, so that other sites' requests do not send them.
    """

    port: int
    """Part of the cookie names, since browsers send cookies to all ports of a host."""
    is_on_space: bool
    is_https: bool

    @classmethod
    def of(cls, settings: Settings, *, is_https: bool) -> "Cookies":
        """Return the cookies for a connection to this server."""
        return cls(port=settings.port, is_on_space=settings.is_on_space, is_https=is_https)

    def read(self, headers: Headers, name: Name) -> str:
        """Return the cookie's value. Empty if the browser sent none of ours."""
        value = _parsed(headers).get(self._name(name), "")
        return value if _SECRET.fullmatch(value) else ""

    def write(self, headers: MutableHeaders, name: Name, value: str) -> None:
        """Set a cookie on a response, or delete it if the value is empty."""
        # The browser deletes a login cookie at the end of its session. The server may end the login earlier.
        age = "Max-Age=0" if not value else f"Max-Age={_YEAR_S}" if name == "browser" else ""
        flags = ["Path=/", "HttpOnly", *([age] if age else [])]
        if self.is_on_space:
            flags += ["Secure", "SameSite=None", "Partitioned"]
        else:
            flags += [*(["Secure"] if self.is_https else []), "SameSite=Lax"]
        headers.append("Set-Cookie", "; ".join((f"{self._name(name)}={value}", *flags)))

    def _name(self, name: Name) -> str:
        # With this prefix, browsers only accept the cookie from this host, not from another subdomain.
        return f"{'__Host-' if self.is_https else ''}workbench-{name}-{self.port}"


def new_secret() -> str:
    """Return a random value in the form that `Cookies.read` accepts."""
    return token_urlsafe(32)


def _parsed(headers: Headers) -> Mapping[str, str]:
    return {name: value for text in headers.getlist("cookie") for name, value in cookie_parser(text).items()}


_KEY_CHARS: Final = 32
# Gradio builds page addresses from these, and would answer a foreign Origin with CORS headers.
_REMOVED_HEADERS: Final = (b"origin", b"x-forwarded-host", b"x-gradio-server")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A request that the gate has checked."""

    request: Request
    route: Route
    cookies: Cookies
    nonce: str

    @property
    def token(self) -> str:
        return self.cookies.read(self.request.headers, "login")


class RequestRefused(Exception):
    """The gate refuses the request.

    Args:
        answer: The response that the client gets instead.
    """

    def __init__(self, answer: Response) -> None:
        self.answer = answer
        super().__init__(answer.status_code)


def owner_of(visit: Visit, user: str | None) -> str:
    """Return who owns a tab or a call: an account, a browser, a caller with a key, or else an address.

    The address is the least precise. It is used for programs without cookies, and for browsers that refuse cookies of
    a page in a frame.
    """
    if user is not None:
        return f"account:{user}"
    if browser := visit.cookies.read(visit.request.headers, "browser"):
        return f"browser:{sha256(browser.encode()).hexdigest()}"
    key = visit.request.headers.get(KEY_HEADER, "")
    if len(key) >= _KEY_CHARS:
        return f"key:{sha256(key.encode()).hexdigest()}"
    return f"address:{visit.request.client.host if visit.request.client else ''}"


def scope_for_gradio(visit: Visit, user: str | None) -> Scope:
    """Return the ASGI scope that Gradio gets."""
    scope = visit.request.scope
    headers = [(name, value) for name, value in scope["headers"] if name not in _REMOVED_HEADERS]
    return {
        **scope,
        "headers": headers,
        NONCE: visit.nonce,
        OWNER: owner_of(visit, user),
        **({} if user is None else {USER: user}),
    }


def page_id_of(body: bytes) -> str:
    """Return the tab that a call names. Empty if it names none."""
    call = bodies.json_object(body)
    page_id = None if call is None else call.get("session_hash", "") or ""
    if not isinstance(page_id, str):
        raise RequestRefused(JSONResponse({"detail": "The body is not a JSON object of a call."}, 400))
    return page_id


def single_value(query: QueryParams, name: str) -> str:
    """Return the value of a query parameter that must occur exactly once."""
    values = query.getlist(name)
    if len(values) != 1:
        raise RequestRefused(JSONResponse({"detail": f"The query needs exactly one {name!r}."}, 400))
    return values[0]


def is_https(request: Request) -> bool:
    """Whether the browser uses HTTPS, with this server or with a proxy in front of it."""
    forwarded = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip()
    return (forwarded or request.url.scheme) == "https"


_EVENT_BYTES: Final = 500
"""A response that names an event is not longer than this."""


def with_browser_cookie(send: Send, cookies: Cookies) -> Send:
    """Return a `Send` that adds a cookie with a secret that identifies the browser."""

    async def send_with_cookie(message: Message) -> None:
        if message["type"] == "http.response.start":
            cookies.write(MutableHeaders(scope=message), "browser", new_secret())
        await send(message)

    return send_with_cookie


def with_event(send: Send, note: Callable[[str], None]) -> Send:
    """Return a `Send` that calls `note` with the event id in the response to a call."""

    async def send_with_event(message: Message) -> None:
        body = message.get("body", b"")
        call = bodies.json_object(body) if len(body) < _EVENT_BYTES else None
        if call is not None and isinstance(event_id := call.get("event_id"), str):
            note(event_id)
        await send(message)

    return send_with_event


def with_uploads(send: Send, note: Callable[[str], None]) -> Send:
    """Return a `Send` that calls `note` with each path in the response to an upload, before the client gets it."""
    parts = list[bytes]()

    async def send_with_uploads(message: Message) -> None:
        parts.append(message.get("body", b""))
        if message["type"] == "http.response.body" and not message.get("more_body"):
            with suppress(ValueError):
                paths = json.loads(b"".join(parts))
                for path in cast(list[str], paths) if isinstance(paths, list) else ():
                    note(path)
        await send(message)

    return send_with_uploads


def as_see_other(send: Send) -> Send:
    """Return a `Send` that turns a redirect of status 307 into 303, which is followed with GET."""

    async def send_see_other(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 307:
            message["status"] = 303
        await send(message)

    return send_see_other

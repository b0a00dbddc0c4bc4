"""One request on its way through the gate: its sender and page, its cookies, and what Gradio sees of it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from typing import Final, Literal

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import Request, cookie_parser
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Scope, Send

from workbench.settings import Settings
from workbench.ui.gate import bodies
from workbench.ui.gate.routes import Route

_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_YEAR_S: Final = 365 * 24 * 3600
Name = Literal["browser", "login"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookies:
    """Reads and writes the cookies of one connection.

    On a Space the page is in a frame of another site, so its cookies must be sent there: `SameSite=None`, kept apart
    for each site that frames it. Everywhere else no other site gets them sent: `SameSite=Lax`.
    """

    port: int
    """Part of the names: browsers send cookies to all ports of a host."""
    is_on_space: bool
    is_https: bool

    @classmethod
    def of(cls, settings: Settings, *, is_https: bool) -> "Cookies":
        """The cookies for a connection to this server."""
        return cls(port=settings.port, is_on_space=settings.is_on_space, is_https=is_https)

    def read(self, headers: Headers, name: Name) -> str:
        """The value that the browser sends; empty if there is none of ours."""
        value = _parsed(headers).get(self._name(name), "")
        return value if _SECRET.fullmatch(value) else ""

    def write(self, headers: MutableHeaders, name: Name, value: str) -> None:
        """Set a cookie on an answer; without a value, delete it."""
        # A login ends with the browser's session at the latest; its end on the server is what counts.
        age = "Max-Age=0" if not value else f"Max-Age={_YEAR_S}" if name == "browser" else ""
        flags = ["Path=/", "HttpOnly", *([age] if age else [])]
        if self.is_on_space:
            flags += ["Secure", "SameSite=None", "Partitioned"]
        else:
            flags += [*(["Secure"] if self.is_https else []), "SameSite=Lax"]
        headers.append("Set-Cookie", "; ".join((f"{self._name(name)}={value}", *flags)))

    def _name(self, name: Name) -> str:
        # With this prefix, a browser takes the cookie from this very host alone, not from a neighbouring subdomain.
        return f"{'__Host-' if self.is_https else ''}workbench-{name}-{self.port}"


def new_secret() -> str:
    """A value that nobody guesses, of the form that `Cookies.read` accepts."""
    return token_urlsafe(32)


def _parsed(headers: Headers) -> Mapping[str, str]:
    return {name: value for text in headers.getlist("cookie") for name, value in cookie_parser(text).items()}


USER: Final = "workbench.user"
"""Key of the ASGI scope with the account's name; set only if somebody is logged in."""
NONCE: Final = "workbench.nonce"
"""Key of the ASGI scope with what the page's scripts need to show, in order to run."""
KEY_HEADER: Final = "x-workbench-key"
"""Header of an API call with a secret of 32 characters or more, which tells one caller from others."""
_KEY_CHARS: Final = 32
# Gradio builds addresses of the page from these, and would answer a foreign Origin with CORS.
_NOT_PASSED_ON: Final = (b"origin", b"x-forwarded-host", b"x-gradio-server")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request, as far as the gate has looked at it."""

    request: Request
    route: Route
    cookies: Cookies
    nonce: str

    @property
    def token(self) -> str:
        return self.cookies.read(self.request.headers, "login")


class RequestRefused(Exception):
    """The request goes no further.

    Args:
        answer: What the client gets instead.
    """

    def __init__(self, answer: Response) -> None:
        self.answer = answer
        super().__init__(answer.status_code)


def owner_of(visit: Visit, user: str | None) -> str:
    """Who a tab or a call belongs to: an account, a browser, a caller with a key; at the least, an address.

    An address tells the fewest apart. It is left for programs without cookies, and for browsers that refuse those of
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
    """What Gradio sees of the request."""
    scope = visit.request.scope
    headers = [(name, value) for name, value in scope["headers"] if name not in _NOT_PASSED_ON]
    return {**scope, "headers": headers, NONCE: visit.nonce, **({} if user is None else {USER: user})}


def page_id_of(body: bytes) -> str:
    """The tab that a call names; empty if it names none."""
    call = bodies.json_object(body)
    page_id = None if call is None else call.get("session_hash", "") or ""
    if not isinstance(page_id, str):
        raise RequestRefused(JSONResponse({"detail": "The body is not a JSON object of a call."}, 400))
    return page_id


def single_value(query: QueryParams, name: str) -> str:
    """The one value that a query gives to a name; any other number of them is refused."""
    values = query.getlist(name)
    if len(values) != 1:
        raise RequestRefused(JSONResponse({"detail": f"The query needs one {name!r}."}, 400))
    return values[0]


def is_https(request: Request) -> bool:
    """Whether the browser speaks HTTPS, with this server or with a proxy before it."""
    forwarded = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip()
    return (forwarded or request.url.scheme) == "https"


_EVENT_BYTES: Final = 500
"""An answer that names an event has no more."""


def with_browser_cookie(send: Send, cookies: Cookies) -> Send:
    """Give the browser a secret to be known by."""

    async def send_with_cookie(message: Message) -> None:
        if message["type"] == "http.response.start":
            cookies.write(MutableHeaders(scope=message), "browser", new_secret())
        await send(message)

    return send_with_cookie


def with_event(send: Send, note: Callable[[str], None]) -> Send:
    """Look for the event that a call is answered with, and note its id."""

    async def send_with_event(message: Message) -> None:
        body = message.get("body", b"")
        call = bodies.json_object(body) if len(body) < _EVENT_BYTES else None
        if call is not None and isinstance(event_id := call.get("event_id"), str):
            note(event_id)
        await send(message)

    return send_with_event


def as_see_other(send: Send) -> Send:
    """Let a redirect be followed with GET, whatever method it answers."""

    async def send_see_other(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 307:
            message["status"] = 303
        await send(message)

    return send_see_other

"""One request on its way through the gate: who sends it, which tab it is about, what Gradio sees of it."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from workbench.ui.gate import bodies
from workbench.ui.gate.cookies import Cookies
from workbench.ui.gate.routes import Route

USER: Final = "workbench.user"
"""Key of the ASGI scope with the account's name; there only if somebody is logged in."""
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


def passed_on(visit: Visit, user: str | None) -> Scope:
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


def only(query: QueryParams, name: str) -> str:
    """The one value that a query gives to a name; any other number of them is refused."""
    values = query.getlist(name)
    if len(values) != 1:
        raise RequestRefused(JSONResponse({"detail": f"The query needs one {name!r}."}, 400))
    return values[0]


def is_https(request: Request) -> bool:
    """Whether the browser speaks HTTPS, with this server or with a proxy before it."""
    forwarded = request.headers.get("x-forwarded-proto", "").partition(",")[0].strip()
    return (forwarded or request.url.scheme) == "https"

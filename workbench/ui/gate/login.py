"""Log people in and out: the pages `/login` and `/logout`."""

import math
import time
from typing import Final, Self
from unicodedata import normalize
from urllib.parse import quote

from jinja2 import Environment, PackageLoader
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from workbench.settings import Settings
from workbench.ui.gate.passwords import LoginLimits, Logins, PasswordChecks, TooBusy
from workbench.ui.gate.routes import PAGE, REPORT
from workbench.ui.request_scope import address_of

_PAGE: Final = Environment(
    loader=PackageLoader("workbench.ui.gate", "."), autoescape=True, trim_blocks=True
).get_template("login.html.j2")


def login_page(action: str, problem: str = "") -> str:
    """Render the login form.

    Args:
        action: The address that the form is sent to.
        problem: Why the last attempt failed. Empty before the first attempt.
    """
    return _PAGE.render(action=action, problem=problem, is_logout=False)


def logout_page(action: str) -> str:
    """Render the page that asks whether to log out, since a link alone must not log anybody out."""
    return _PAGE.render(action=action, is_logout=True)


WRONG: Final = "Incorrect credentials."
_BUSY_S: Final = 1
"""The `Retry-After` when too many passwords are being checked, in seconds."""


class LoginService:
    """Logs users with accounts in and out.

    Args:
        checks: Checks passwords.
        limits: Limits the attempts.
        logins: The current logins.
    """

    def __init__(self, checks: PasswordChecks, limits: LoginLimits, logins: Logins) -> None:
        self._checks = checks
        self._limits = limits
        self._logins = logins

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """Create the service for the accounts in the settings; return None if there are none.

        Raises:
            BadInput: The hash of an account cannot be read.
        """
        if not settings.accounts:
            return None
        clock = time.monotonic
        return cls(
            PasswordChecks(settings.accounts), LoginLimits(clock), Logins(settings.login_hours * 3600, clock)
        )

    def name_of(self, token: str) -> str | None:
        """Return the account that is logged in with this token, or None."""
        return self._logins.name_of(token)

    def form(self, request: Request, problem: str = "", *, status: int = 200) -> Response:
        """Return the login form, which leads back to the requested page."""
        # Keep the query, and the path of a report, so that a link still works after the login.
        path = request.url.path if request.url.path.startswith(REPORT) else PAGE
        there = request.query_params.get("next") or f"{path}?{request.url.query}".removesuffix("?")
        action = f"{_root(request)}login?next={quote(_path(there), safe='')}"
        return HTMLResponse(login_page(action, problem), status)

    async def log_in(self, request: Request) -> tuple[Response, str | None]:
        """Answer a login form. Return the response, and the login's token or None if the login failed."""
        name, password = await _fields(request)
        # A browser may send an accent as a character of its own.
        name = normalize("NFC", name)
        if not name or not password:
            return self._refusal(request, 400, WRONG), None
        address = address_of(request)
        wait_s = self._limits.begin(name, address)
        too_early = f"Too many wrong passwords. {_try_again(wait_s)}"
        if wait_s and not self._limits.knows(name, address):
            return self._refusal(request, 429, too_early, wait_s), None
        try:
            is_right = await self._checks.is_right(name, password)
        except TooBusy:
            if not wait_s:
                self._limits.take_back(name, address)
            return self._refusal(
                request, 429, f"Too many logins at once. {_try_again(_BUSY_S)}", _BUSY_S
            ), None
        if not is_right and wait_s:
            return self._refusal(request, 429, too_early, wait_s), None
        if not is_right:
            return self._refusal(request, 400, WRONG), None
        self._limits.succeed(name, address)
        there = _root(request) + _path(request.query_params.get("next", "/")).removeprefix("/")
        answer = RedirectResponse(there, 303) if _is_browser(request) else JSONResponse({"success": True})
        return answer, self._logins.start(name)

    def log_out(self, request: Request, token: str) -> Response:
        """Log out with POST, which no link can send; otherwise ask for confirmation."""
        if request.method != "POST":
            return HTMLResponse(logout_page(f"{_root(request)}logout"))
        self._logins.end(token)
        return RedirectResponse(_root(request), 303)

    def _refusal(self, request: Request, status: int, problem: str, wait_s: float = 0) -> Response:
        if _is_browser(request):
            answer = self.form(request, problem, status=status)
        else:
            answer = JSONResponse({"detail": problem}, status)
        if wait_s:
            answer.headers["Retry-After"] = str(math.ceil(wait_s))
        return answer


async def _fields(request: Request) -> tuple[str, str]:
    try:
        async with request.form(max_files=0, max_fields=20) as form:
            name, password = form.get("username"), form.get("password")
    except HTTPException:
        return "", ""
    return (name.strip() if isinstance(name, str) else ""), (password if isinstance(password, str) else "")


def _try_again(wait_s: float) -> str:
    whole_s = math.ceil(wait_s)
    return f"Try again in {whole_s} second{'s' if whole_s != 1 else ''}."


def _is_browser(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", "")).rstrip("/") + "/"


def _path(there: str) -> str:
    """Return the path on this server, even if `there` is the address of another one."""
    return "/" + there.replace("\\", "/").lstrip("/") if "\n" not in there else "/"

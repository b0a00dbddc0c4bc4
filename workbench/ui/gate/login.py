"""Log people in and out: the pages `/login` and `/logout`."""

import math
import time
from html import escape
from string import Template
from typing import Final, Self
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from workbench.settings import Settings
from workbench.ui.gate.passwords import LoginLimits, Logins, PasswordChecks, TooBusy

_FRAME: Final = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title · Hermes Workbench</title>
<style>
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 15px/1.5 system-ui, sans-serif;
  background: light-dark(#fafafa, #18181b); color: light-dark(#27272a, #e4e4e7); }
main { width: min(320px, calc(100vw - 48px)); padding: 24px; border-radius: 8px;
  border: 1px solid light-dark(#e4e4e7, #3f3f46); background: light-dark(#fff, #27272a); }
h1 { margin: 0 0 4px; font-size: 18px; }
p { margin: 0 0 16px; color: light-dark(#52525b, #a1a1aa); }
p[role=alert] { color: light-dark(#b91c1c, #fca5a5); }
label { display: block; margin: 12px 0 4px; font-size: 13px; }
input { box-sizing: border-box; width: 100%; padding: 8px; font: inherit; color: inherit; background: transparent;
  border: 1px solid light-dark(#a1a1aa, #71717a); border-radius: 6px; }
button { margin-top: 20px; width: 100%; padding: 8px; font: inherit; font-weight: 600; cursor: pointer;
  color: light-dark(#fff, #18181b); background: light-dark(#18181b, #e4e4e7); border: 0; border-radius: 6px; }
:focus-visible { outline: 2px solid light-dark(#4338ca, #a5b4fc); outline-offset: 2px; }
</style>
</head>
<body><main>
<h1>Hermes Workbench</h1>
$content
</main></body>
</html>
""")
_LOGIN: Final = Template("""$message
<form method="post" action="$action">
<label for="username">Username</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Login</button>
</form>""")
_LOGOUT: Final = Template("""<p>Log out of this browser?</p>
<form method="post" action="$action"><button>Log out</button></form>""")


def login_page(action: str, problem: str = "") -> str:
    """The login form, as HTML.

    Args:
        action: Address that the form is sent to.
        problem: Why the last try failed; empty before the first.
    """
    message = f'<p role="alert">{escape(problem)}</p>' if problem else "<p>Log in to continue.</p>"
    return _FRAME.substitute(title="Login", content=_LOGIN.substitute(message=message, action=escape(action)))


def logout_page(action: str) -> str:
    """The question whether to log out, as HTML: a link alone must not do it."""
    return _FRAME.substitute(title="Log out", content=_LOGOUT.substitute(action=escape(action)))


WRONG: Final = "Incorrect credentials."
_BUSY_S: Final = 1
"""What somebody is told to wait when too many passwords are being checked."""


class Door:
    """Lets those in who have an account.

    Args:
        checks: Of the passwords.
        limits: Of the tries.
        logins: Who is in.
    """

    def __init__(self, checks: PasswordChecks, limits: LoginLimits, logins: Logins) -> None:
        self._checks = checks
        self._limits = limits
        self._logins = logins

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """Make it for the accounts of the settings; None if there are none.

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
        """The account that is logged in with this token; None if nobody is."""
        return self._logins.name_of(token)

    def form(self, request: Request, problem: str = "", *, status: int = 200) -> Response:
        """The login form, which leads back to the page that was asked for."""
        # A link shows a session: it should still do so after the login.
        there = request.query_params.get("next") or f"/?{request.url.query}".removesuffix("?")
        action = f"{_root(request)}login?next={quote(_path(there), safe='')}"
        return HTMLResponse(login_page(action, problem), status)

    async def log_in(self, request: Request) -> tuple[Response, str | None]:
        """Answer a login form; give the token of the login too, if it was right."""
        name, password = await _fields(request)
        if not name or not password:
            return self._refusal(request, 400, WRONG), None
        address = request.client.host if request.client else ""
        if wait_s := self._limits.begin(name, address):
            return self._refusal(
                request, 429, f"Too many wrong passwords. {_try_again(wait_s)}", wait_s
            ), None
        try:
            is_right = await self._checks.is_right(name, password)
        except TooBusy:
            self._limits.take_back(name, address)
            return self._refusal(
                request, 429, f"Too many logins at once. {_try_again(_BUSY_S)}", _BUSY_S
            ), None
        if not is_right:
            return self._refusal(request, 400, WRONG), None
        self._limits.succeed(name, address)
        there = _root(request) + _path(request.query_params.get("next", "/")).removeprefix("/")
        answer = RedirectResponse(there, 303) if _is_browser(request) else JSONResponse({"success": True})
        return answer, self._logins.start(name)

    def log_out(self, request: Request, token: str) -> Response:
        """End a login, if it is asked for in a way that no link can; else ask."""
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
    """A path of this server, whatever address is given."""
    return "/" + there.replace("\\", "/").lstrip("/") if "\n" not in there else "/"

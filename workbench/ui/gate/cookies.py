"""The two cookies of ours: which browser it is, and who is logged in with it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from secrets import token_urlsafe
from typing import Final, Literal

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser

from workbench.settings import Settings

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

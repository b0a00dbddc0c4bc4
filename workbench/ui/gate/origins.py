"""Whether a browser sends a request on behalf of our own page, or of somebody else's.

Browsers name the page behind a request in the headers Origin and Sec-Fetch-Site, which no script can change. Programs
such as curl and gradio_client send neither, and no cookie that they did not get themselves: they are let through.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers

from workbench.ui.gate.hosts import Authority, parse_authority

READING: Final = ("GET", "HEAD")
"""Methods that a link or an address bar may use."""
_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Scheme, host and port of a page."""

    scheme: str
    host: str
    port: int


def origins_of(authority: Authority, schemes: Sequence[str]) -> frozenset[Origin]:
    """The origins that a page at this host has, by the schemes under which it is served."""
    return frozenset(
        Origin(scheme=scheme, host=authority.host, port=authority.port or _PORTS[scheme])
        for scheme in schemes
    )


def parse_origin(text: str) -> Origin | None:
    """Parse an Origin header; None if it is `null`, has user information or a path, or is of another scheme."""
    scheme, separator, rest = text.partition("://")
    authority = parse_authority(rest)
    if not separator or authority is None or scheme.lower() not in _PORTS:
        return None
    return next(iter(origins_of(authority, [scheme.lower()])))


def is_foreign(method: str, headers: Headers, own: frozenset[Origin], *, is_page: bool) -> bool:
    """Whether a page of another origin caused the request.

    Args:
        method: Of the request.
        headers: Of the request.
        own: Origins of our own page.
        is_page: The path is one that links of other sites may lead to.
    """
    given = headers.getlist("origin")
    if given:
        return len(given) > 1 or parse_origin(given[0]) not in own
    is_link = is_page and method in READING
    site = headers.get("sec-fetch-site")
    if site is not None:
        # `none`: typed into the address bar. `same-site` is a neighbour: another port, another subdomain.
        return site not in ("same-origin", "none") and not (
            is_link and headers.get("sec-fetch-mode", "navigate") == "navigate"
        )
    referer = headers.get("referer")
    if referer is None or is_link:
        return False
    return parse_origin("/".join(referer.split("/", 3)[:3])) not in own

"""Serve the page's scripts as files that a browser downloads once.

Their addresses contain a hash of all scripts, so a file at an address never changes.
"""

import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

ROUTE: Final = "/scripts/{version}/{name}.js"
_FOLDER: Final = Path(__file__).with_name("scripts")
_IMPORT: Final = re.compile(r'from "\./(\w+)\.js"')


@cache
def _scripts() -> Mapping[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(_FOLDER.glob("*.js"))}


@cache
def _version() -> str:
    return sha256("\0".join((*_scripts(), *_scripts().values())).encode()).hexdigest()[:16]


def address_of_script(name: str) -> str:
    """Return the address of a script, relative to the page.

    Raises:
        KeyError: There is no such script.
    """
    if name not in _scripts():
        raise KeyError(name)
    return f"scripts/{_version()}/{name}.js"


def all_addresses() -> list[str]:
    """Return the addresses of all scripts."""
    return [address_of_script(name) for name in _scripts()]


@cache
def words_of_script(name: str) -> frozenset[str]:
    """Return all quoted words in a script and its imports, which include the events that it triggers."""
    text = _scripts()[name]
    imported = (words_of_script(other) for other in _IMPORT.findall(text))
    return frozenset(re.findall(r'"(\w+)"', text)).union(*imported)


async def serve_script(request: Request) -> Response:
    """Respond with a script of the current version, or 404."""
    text = _scripts().get(request.path_params["name"])
    if text is None or request.path_params["version"] != _version():
        return PlainTextResponse("There is no such script.\n", 404, {"Cache-Control": "no-store"})
    return Response(
        text, media_type="text/javascript", headers={"Cache-Control": "public, max-age=31536000, immutable"}
    )

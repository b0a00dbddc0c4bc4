"""Serve the page's scripts as files that a browser downloads once.

Their address holds a hash of all of them: what it names never changes, and a new version has another one.
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
    """Where a script is served, relative to the page.

    Raises:
        KeyError: There is no such script.
    """
    if name not in _scripts():
        raise KeyError(name)
    return f"scripts/{_version()}/{name}.js"


def all_addresses() -> list[str]:
    """The addresses of all scripts."""
    return [address_of_script(name) for name in _scripts()]


@cache
def words_of_script(name: str) -> frozenset[str]:
    """All words in quotes of a script and of those that it imports; the events that it triggers are among them."""
    text = _scripts()[name]
    imported = (words_of_script(other) for other in _IMPORT.findall(text))
    return frozenset(re.findall(r'"(\w+)"', text)).union(*imported)


async def serve_script(request: Request) -> Response:
    """Answer with a script of this version."""
    text = _scripts().get(request.path_params["name"])
    if text is None or request.path_params["version"] != _version():
        return PlainTextResponse("There is no such script.\n", 404, {"Cache-Control": "no-store"})
    return Response(
        text, media_type="text/javascript", headers={"Cache-Control": "public, max-age=31536000, immutable"}
    )

"""Serve the page's scripts as one file that a browser downloads once.

The scripts are ES modules of their own in `ui/scripts/`. They are joined into one module, because a page that asks for
seventy files waits for seventy answers. The file's address contains a hash of its text, so a file at an address never
changes.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from workbench.suite.reports.html import chart_scripts

ROUTE: Final = "/scripts/{version}/{name}.js"
_FOLDER: Final = Path(__file__).with_name("scripts")
_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:async )?function\*?|const|let|class) (\w+)", re.MULTILINE)


@cache
def _scripts() -> Mapping[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(_FOLDER.glob("*.js"))}


@cache
def joined_scripts() -> str:
    """Return all scripts as one ES module, whose default export holds the exports of each script by its name.

    Each script becomes a function that returns what it exports, in an order in which imports come first.

    Raises:
        ValueError: A script imports or exports in a form that this does not know, or scripts import each other.

    Example:
        `import { node } from "./dom.js"` becomes `const { node } = scripts.dom;`, and `export const mount` becomes
        `const mount`, returned at the end.
    """
    return (
        "const scripts = {};\n" + "".join(map(_as_function, _imports_first())) + "export default scripts;\n"
    )


def _imports_first() -> Iterator[str]:
    """Yield the names of all scripts, each after those that it imports."""
    done: list[str] = []

    def add(name: str, importers: tuple[str, ...]) -> Iterator[str]:
        if name in importers:
            raise ValueError(f"scripts import each other: {', '.join((*importers, name))}")
        for _, imported in _IMPORT.findall(_scripts()[name]):
            yield from add(imported, (*importers, name))
        if name not in done:
            done.append(name)
            yield name

    for name in _scripts():
        yield from add(name, ())


def _as_function(name: str) -> str:
    text = _scripts()[name]
    exported = ", ".join(match[2] for match in _EXPORT.finditer(text))
    body = _IMPORT.sub(
        lambda match: f"const {{{match[1].replace(' as ', ': ')}}} = scripts.{match[2]};", text
    )
    body = _EXPORT.sub(r"\1 \2", body)
    if unknown := re.search(r"^(?:import|export)\b.*", body, re.MULTILINE):
        raise ValueError(f"{name}.js: cannot join {unknown[0]!r}")
    return f"scripts.{name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


@cache
def charts_script() -> str:
    """Return the chart library as an ES module. It is large, so a page loads it with its first chart."""
    return chart_scripts() + "export { drawChart };\n"


_FILES: Final[Mapping[str, Callable[[], str]]] = {"all": joined_scripts, "charts": charts_script}


@cache
def _version(name: str) -> str:
    return sha256(_FILES[name]().encode()).hexdigest()[:16]


def scripts_address() -> str:
    """Return the address of the joined scripts, relative to the page."""
    return f"scripts/{_version('all')}/all.js"


def charts_address() -> str:
    """Return the address of the chart library, relative to the page."""
    return f"scripts/{_version('charts')}/charts.js"


@cache
def words_of_script(name: str) -> frozenset[str]:
    """Return all quoted words in a script and its imports, which include the events that it triggers.

    Raises:
        KeyError: There is no such script.
    """
    text = _scripts()[name]
    imported = (words_of_script(other) for _, other in _IMPORT.findall(text))
    return frozenset(re.findall(r'"(\w+)"', text)).union(*imported)


async def serve_scripts(request: Request) -> Response:
    """Respond with a file of scripts of the current version, or 404."""
    name = request.path_params["name"]
    if name not in _FILES:
        return PlainTextResponse("There is no such file.\n", 404, {"Cache-Control": "no-store"})
    return serve_version(request, _version(name), _FILES[name](), "text/javascript")


def serve_version(request: Request, version: str, text: str, media_type: str) -> Response:
    """Respond with a file that never changes at its address, or 404 if another version was asked for.

    Args:
        request: Its path parameter `version` is the version that was asked for.
        version: The current version.
        text: The file.
        media_type: Its type.
    """
    if request.path_params["version"] != version:
        return PlainTextResponse("There is no such file.\n", 404, {"Cache-Control": "no-store"})
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(text, media_type=media_type, headers=headers)

"""Serve the page's scripts as one file that a browser downloads once.

The scripts are ES modules in `ui/scripts/`, in a folder for each part of the page, and each has a name of its own. They
are joined into one module, because a page that asks for a hundred files waits for a hundred answers. The file's address
contains a hash of its text, so a file at an address never changes. Those in `head/` are not modules: `page.py` writes
them into the page's head.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from os.path import normpath
from pathlib import Path
from typing import Final

import brotli
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from workbench.suite.reports.html import chart_scripts

_QUALITY: Final = 9
"""Of 11. The two above take ten times as long for 8 % less."""
ROUTE: Final = "/scripts/{version}/{name}.js"
_FOLDER: Final = Path(__file__).with_name("scripts")
_HEAD: Final = _FOLDER / "head"
_IMPORT: Final = re.compile(
    r'^import \{(?P<names>[^}]*)\} from "(?P<path>\.{1,2}/(?:\w+/)?(?P<script>\w+)\.js)";$', re.MULTILINE
)
_COMMENT: Final = re.compile(r"^ *(?:/\*\*(?:[^*]|\*(?!/))*\*/|//.*)\n|/\*\*.*?\*/ ?", re.MULTILINE)
"""Lines of a comment, or a type in a line. No template of a script has such a text."""
_EXPORT: Final = re.compile(r"^export ((?:async )?function\*?|const|let|class) (\w+)", re.MULTILINE)


@cache
def script_paths() -> Mapping[str, Path]:
    """Return the files of all scripts by name.

    Raises:
        ValueError: Two scripts have the same name.
    """
    paths = [path for path in sorted(_FOLDER.glob("*/*.js")) if path.parent != _HEAD]
    by_name = {path.stem: path for path in paths}
    if twice := set(paths) - set(by_name.values()):
        raise ValueError(f"two scripts have the name of {', '.join(map(str, sorted(twice)))}")
    return by_name


def head_script(name: str) -> str:
    """Return the text of a script of the page's head, without comments."""
    return _COMMENT.sub("", (_HEAD / f"{name}.js").read_text(encoding="utf-8"))


@cache
def _text(name: str) -> str:
    return script_paths()[name].read_text(encoding="utf-8")


@cache
def _imported(name: str) -> tuple[str, ...]:
    """Return the names of the scripts that a script imports.

    Raises:
        ValueError: There is no file at the path of an import.
    """
    found = tuple(_IMPORT.finditer(_text(name)))
    for match in found:
        path = Path(normpath(script_paths()[name].parent / match["path"]))
        if path not in script_paths().values():
            raise ValueError(f"{name}.js imports {match['path']}, which does not exist")
    return tuple(match["script"] for match in found)


@cache
def joined_scripts() -> str:
    """Return all scripts as one ES module, whose default export holds the exports of each script by its name.

    Each script becomes a function that returns what it exports, in an order in which imports come first. Comments are
    left out, which are a seventh of the text.

    Raises:
        ValueError: A script imports or exports in a form that this does not know, or scripts import each other.

    Example:
        `import { node } from "../shared/dom.js"` becomes `const { node } = scripts.dom;`, and `export const mount`
        becomes `const mount`, returned at the end.
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
        for imported in _imported(name):
            yield from add(imported, (*importers, name))
        if name not in done:
            done.append(name)
            yield name

    for name in script_paths():
        yield from add(name, ())


def _as_function(name: str) -> str:
    text = _text(name)
    exported = ", ".join(match[2] for match in _EXPORT.finditer(text))
    body = _IMPORT.sub(
        lambda match: f"const {{{match['names'].replace(' as ', ': ')}}} = scripts.{match['script']};", text
    )
    body = _COMMENT.sub("", _EXPORT.sub(r"\1 \2", body))
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
    imported = map(words_of_script, _imported(name))
    return frozenset(re.findall(r'"(\w+)"', _text(name))).union(*imported)


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
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if "br" not in request.headers.get("accept-encoding", ""):
        return Response(text, media_type=media_type, headers=headers)
    return Response(_compressed(text), media_type=media_type, headers={**headers, "Content-Encoding": "br"})


@cache
def _compressed(text: str) -> bytes:
    """Compress once. Gradio compresses each response quickly instead, which makes it a sixth larger."""
    return brotli.compress(text.encode(), quality=_QUALITY)

"""Serve the page's style sheets as one file that a browser downloads once.

Gradio would write them into the page, and parse and print them again in the browser to add its own selectors in front.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from workbench.ui.gradio_parts.styles import before_gradios
from workbench.ui.script_files import serve_version

STYLES_ROUTE: Final = "/styles/{version}/all.css"
STYLE_FOLDER: Final = Path(__file__).parent / "styles"
_OF_PARTS: Final = ("page", "play", "models", "suites", "label", "contracts", "data", "compare", "guide")


@cache
def joined_styles() -> str:
    """Return all style sheets as one, in their order."""
    return _text("document") + before_gradios("\n".join(map(_text, _OF_PARTS)))


def _text(name: str) -> str:
    return (STYLE_FOLDER / f"{name}.css").read_text(encoding="utf-8")


@cache
def _version() -> str:
    return sha256(joined_styles().encode()).hexdigest()[:16]


def styles_address() -> str:
    """Return the address of the joined style sheets, relative to the page."""
    return f"styles/{_version()}/all.css"


async def serve_styles(request: Request) -> Response:
    """Respond with the style sheets of the current version, or 404."""
    return serve_version(request, _version(), joined_styles(), "text/css")

"""Check the page at common window sizes, light and dark."""

from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

SIZES = ((1440, 900), (1024, 768), (390, 844))


def every_size(page: Page, artifacts: Path, name: str) -> Iterator[tuple[int, int]]:
    """Yield each width and height, and then check that nothing is cut off.

    A screenshot of each is saved.
    """
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.evaluate("dark => document.body.classList.toggle('dark', dark)", scheme == "dark")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            yield width, height
            page.screenshot(path=artifacts / f"{name}-{scheme}-{width}.png")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (scheme, width)

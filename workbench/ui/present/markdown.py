"""Render Markdown that a person wrote as HTML that is safe to show."""

from functools import cache

from markdown_it import MarkdownIt


def render_markdown(text: str) -> str:
    """Return the text as HTML. HTML in it stays text, and pictures stay links, so that nothing is loaded.

    Links with the scheme `javascript`, `vbscript`, `file` or `data` stay text.

    >>> render_markdown("**Be fair.** <b>x</b>")
    '<p><strong>Be fair.</strong> &lt;b&gt;x&lt;/b&gt;</p>\\n'
    """
    return _renderer().render(text) if text.strip() else ""


@cache
def _renderer() -> MarkdownIt:
    return MarkdownIt("js-default", {"html": False}).disable("image")

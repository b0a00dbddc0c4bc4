"""Parse Markdown that a person wrote into elements that a script creates one by one, so that no HTML is parsed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

_TAGS: Final = frozenset(
    {
        *("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "br", "hr"),
        *("strong", "em", "s", "a", "table", "thead", "tbody", "tr", "th", "td"),
    }
)


@dataclass(frozen=True, slots=True)
class MarkdownNode:
    """An element, or a text."""

    tag: str = ""
    """Name of the HTML element. Empty for a text."""
    text: str = ""
    href: str = ""
    """Address of a link."""
    children: tuple["MarkdownNode", ...] = ()


def parse_markdown(text: str) -> tuple[MarkdownNode, ...]:
    """Return the elements of a Markdown text. HTML in it stays text, and pictures stay links, so nothing is loaded.

    Links with the scheme `javascript`, `vbscript`, `file` or `data` stay text.

    >>> parse_markdown("Be **fair**.")[0].children[1]
    MarkdownNode(tag='strong', text='', href='', children=(MarkdownNode(tag='', text='fair', href='', children=()),))
    """
    if not text.strip():
        return ()
    return tuple(_nodes(SyntaxTreeNode(_parser().parse(text))))


def _nodes(parent: SyntaxTreeNode) -> Iterator[MarkdownNode]:
    for node in parent.children:
        if node.type == "softbreak":
            yield MarkdownNode(text="\n")
        elif node.type in {"fence", "code_block"}:
            yield MarkdownNode("pre", children=(MarkdownNode("code", node.content),))
        elif node.type == "code_inline":
            yield MarkdownNode("code", node.content)
        elif not node.tag or node.hidden or node.tag not in _TAGS:
            # A text, or a container without an element of its own, such as the paragraph of a tight list.
            yield from _nodes(node) if node.children else (MarkdownNode(text=node.content),)
        else:
            yield MarkdownNode(node.tag, href=str(node.attrs.get("href", "")), children=tuple(_nodes(node)))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("js-default", {"html": False}).disable("image")

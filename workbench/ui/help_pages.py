"""Serve the documentation at `/help/`: the Markdown of `docs/` as pages, with a search and an address for each code."""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from posixpath import dirname, normpath
from typing import Any, Final, cast
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from workbench.errors import BadInput
from workbench.library.home_files import find_folder

ROUTE: Final = "/help/{page:path}"
START: Final = "README"
SHOWN: Final = "http://127.0.0.1:7860/"
"""The address of the page in links of the docs, which open a place beside them: `[Show me](http://127.0.0.1:7860/?tab=label)`."""
MOST_FOUND: Final = 30
"""The most paragraphs that a search returns."""
_STYLE: Final = """
:root { color-scheme: light dark; font: 14px/21px system-ui, sans-serif; }
body { background: light-dark(#ffffff, #151517); color: light-dark(#1b1b1f, #e7e7ea); }
body { margin: 0 auto; padding: 16px 20px 48px; max-width: 760px; overflow-wrap: anywhere; }
h1 { font-size: 20px; line-height: 28px; } h2 { font-size: 16px; margin-top: 28px; } h3 { font-size: 14px; }
code, pre { font: 12px/18px ui-monospace, monospace; } pre { overflow: auto; padding: 8px; border: 1px solid #8886; }
table { border-collapse: collapse; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: 4px 8px; border-bottom: 1px solid #8886; }
form { flex: 1; display: flex; }
nav { display: flex; gap: 16px; align-items: center; } input { font: inherit; flex: 1; padding: 3px 8px; }
:target { background: #f5b83d40; } a { color: light-dark(#1d4ed8, #8ab4ff); }
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading of a page with the text below it."""

    page: str
    """The page's path below `docs/`, without its ending."""
    anchor: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class HelpPage:
    """A rendered page."""

    title: str
    body: str
    """HTML."""
    sections: tuple[Section, ...]
    links: tuple[str, ...]
    """The addresses of links to other pages and paragraphs, as they are written in the page."""


class HelpPages:
    """The pages of a folder with Markdown files, rendered when they are first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def pages(self) -> dict[str, HelpPage]:
        """All pages by their paths."""
        files = sorted(self._folder.rglob("*.md"))
        return {
            name: _render(name, file.read_text(encoding="utf-8"))
            for file in files
            if (name := file.relative_to(self._folder).with_suffix("").as_posix())
        }

    @cached_property
    def codes(self) -> dict[str, str]:
        """The address, below `/help/`, of the paragraph about each code, such as `trailing-comma`."""
        own = (section for page in _WITH_CODES for section in self.pages[page].sections)
        rows = (
            (code, section) for section in own for code in (section.heading, *_codes_of_rows(section.text))
        )
        found = dict[str, str]()
        for code, section in rows:
            # A section of its own is better than a row of a table.
            if code == section.heading or code not in found:
                found[code] = f"{section.page}#{section.anchor}"
        return found

    def address_of(self, code: str) -> str:
        """Return the address, below `/help/`, of the paragraph about a code, or of a search for it."""
        # All keywords of JSON Schema share one.
        shared = "schema-…" if code.startswith("schema-") else ""
        return self.codes.get(code) or self.codes.get(shared, f"{START}?q={code}")

    def find(self, query: str) -> list[Section]:
        """Return the sections that have all words of a query, those with a word in their headings first."""
        words = query.lower().split()
        found = [
            section
            for page in self.pages.values()
            for section in page.sections
            if words and all(word in f"{section.heading} {section.text}".lower() for word in words)
        ]
        found.sort(key=lambda section: not any(word in section.heading.lower() for word in words))
        return found[:MOST_FOUND]


_WITH_CODES: Final = (
    *(
        "reference/codes",
        "reference/row-codes",
        "reference/contracts",
        "reference/tools",
        "reference/gateway",
        "reference/formats",
    ),
)


def _codes_of_rows(text: str) -> Iterator[str]:
    """Yield the codes in the first cells of tables, which may list several.

    >>> list(_codes_of_rows("| `no-preference`, `not-judged` | there is no verdict |"))
    ['no-preference', 'not-judged']
    """
    for cell in re.findall(r"^\| (`[a-z0-9-]+`(?:, `[a-z0-9-]+`)*) \|", text, re.MULTILINE):
        yield from re.findall("[a-z0-9-]+", cell)


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading, as GitHub makes it.

    >>> anchor_of("`trailing-comma`"), anchor_of("What a call must be")
    ('trailing-comma', 'what-a-call-must-be')
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def _render(name: str, text: str) -> HelpPage:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    lines, headings, links = text.splitlines(), list[tuple[int, str, str]](), list[str]()
    for token, content in pairwise((*tokens, *tokens[-1:])):
        if token.type == "heading_open":
            anchor = anchor_of(content.content)
            token.attrSet("id", anchor)
            headings.append((token.map[0] if token.map else 0, anchor, content.content.replace("`", "")))
        links += _links_between_pages(name, token.children or ())
    ends = [line for line, _, _ in headings[1:]] + [len(lines)]
    sections = tuple(
        Section(page=name, anchor=anchor, heading=heading, text="\n".join(lines[start + 1 : end]))
        for (start, anchor, heading), end in zip(headings, ends, strict=True)
    )
    body = cast(str, cast(Any, parser.renderer).render(tokens, parser.options, {}))
    return HelpPage(headings[0][2] if headings else name, body, sections, tuple(links))


def _links_between_pages(name: str, tokens: Sequence[Token]) -> Iterator[str]:
    """Turn the links of a text into links between pages, and yield these. Others open in a new tab.

    Links to files outside of `docs/` and pictures become text.
    """
    is_outside = False
    for token in tokens:
        if token.type == "link_open":
            link = _link(str(token.attrGet("href") or ""))
            if link.startswith(f"{SHOWN}?"):
                token.attrSet("href", "../" * (name.count("/") + 1) + link.removeprefix(SHOWN))
                token.attrSet("target", "_top")
                continue
            is_outside = normpath(f"{dirname(name)}/{link}".lstrip("/")).startswith("..")
            token.attrSet("href", link)
            if urlsplit(link).scheme:
                token.attrs |= {"target": "_blank", "rel": "noopener noreferrer"}
            elif not is_outside:
                yield link
        if token.type == "image" or (is_outside and token.type in ("link_open", "link_close")):
            is_outside = is_outside and token.type != "link_close"
            token.type, token.tag, token.nesting = "text", "", 0


def _link(href: str) -> str:
    """Return a link between Markdown files as one between pages.

    >>> _link("../reference/codes.md#comment")
    '../reference/codes#comment'
    """
    return href if urlsplit(href).scheme else re.sub(r"\.md(?=#|$)", "", href)


class HelpRoute:
    """Answers requests for pages, codes and searches."""

    def __init__(self, home: Path) -> None:
        try:
            self._help = HelpPages(find_folder("docs", home))
        except BadInput:
            # A package without its documentation.
            self._help = None

    async def serve(self, request: Request) -> Response:
        """Respond with a page, or 404."""
        name, query = request.path_params["page"] or START, request.query_params.get("q", "")[:200]
        return await run_in_threadpool(self._answer, name.removesuffix(".md"), query)

    def _answer(self, name: str, query: str) -> Response:
        if self._help is None:
            return PlainTextResponse("The documentation is not installed.\n", 404)
        above = "../" * name.count("/")
        if code := name.removeprefix("code/") if name.startswith("code/") else "":
            is_code = re.fullmatch(r"[\w-]{1,80}", code)
            return RedirectResponse(above + self._help.address_of(code)) if is_code else _missing()
        page = self._help.pages.get(name)
        if page is None:
            return _missing()
        if query.strip():
            return _page("Search", _results(self._help.find(query), above), above, query)
        return _page(page.title, page.body, above)


def _missing() -> Response:
    return PlainTextResponse("There is no such page.\n", 404)


def _results(found: list[Section], above: str) -> str:
    rows = "".join(
        f'<li><a href="{above}{section.page}#{section.anchor}">{html.escape(section.heading)}</a> '
        f"<small>{section.page}</small><br>{html.escape(' '.join(section.text.split())[:160])}</li>"
        for section in found
    )
    return f"<ul>{rows}</ul>" if rows else "<p>Nothing has all of these words. Try fewer.</p>"


def _page(title: str, body: str, above: str, query: str = "") -> Response:
    return HTMLResponse(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f'<body><nav><a href="{above}{START}">Documentation</a><form action="{above}{START}">'
        f'<input type="search" name="q" aria-label="Search the documentation" placeholder="Search"'
        f' value="{html.escape(query)}"></form></nav><main>{body}</main>'
    )

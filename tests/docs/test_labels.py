"""A label in bold on a page of the docs is a text of the page that it describes, with the same words."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for folder in ("tutorial", "how-to", "reference", "explanation")
    for page in (CHECKOUT / "docs" / folder).rglob("*.md")
)
EMPHASIS = frozenset(
    {
        "An exception",
        "Change the contract",
        "Context",
        "Conversations, labels and rows",
        "Invented tools",
        "Output",
        "Show one complete call in the contract",
        "The integrity of rows",
        "The machine",
        "The result",
        "The server's identity",
        "The service",
        "The time limit",
        "The working folder stays",
        "training row",
    }
)
"""Phrases in bold that are not labels."""
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@cache
def texts_of_the_page() -> frozenset[str]:
    """Return all texts in the sources of the page: labels are among them."""
    texts: set[str] = set()
    for file in (CHECKOUT / "workbench").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
    for file in (CHECKOUT / "workbench/ui/scripts").rglob("*.js"):
        source = file.read_text(encoding="utf-8")
        texts |= {text for _, text in re.findall(r"""(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1""", source)}
        texts |= {text.strip() for text in re.findall(r">([^<>${}`]+)<", source)}
    return frozenset(map(_plain, texts))


def _plain(text: str) -> str:
    """Return a label as pages write it: without the dots of a button that asks first, and without backticks."""
    return text.strip(" …").replace("`", "")


def bold_phrases(page: Path) -> list[tuple[int, str]]:
    """Return the bold phrases of a page with their lines. Bold sentences are not labels."""
    text = FENCED.sub(lambda match: "\n" * match[0].count("\n"), page.read_text(encoding="utf-8"))
    found = [
        (number, phrase)
        for number, line in enumerate(text.splitlines(), 1)
        for phrase in re.findall(r"\*\*([^*]+)\*\*", line)
    ]
    return [
        (number, phrase)
        for number, phrase in found
        if phrase not in EMPHASIS and not phrase.endswith((".", ":", "?")) and re.search(r"[a-z]", phrase)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_labels_in_bold_are_on_the_page(page: Path) -> None:
    unknown = [
        f"{page.name}:{number}: {phrase}"
        for number, phrase in bold_phrases(page)
        # `Share … by a link` has a name in its middle.
        if not {_plain(part) for part in phrase.split(" … ")} <= texts_of_the_page()
    ]
    assert unknown == []

"""The tables of codes in the docs match the source."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from workbench.hermes.spelling.families import FAMILIES

CHECKOUT = Path(__file__).parents[2]
HERMES = CHECKOUT / "workbench" / "hermes"
REFERENCE = CHECKOUT / "docs" / "reference"
RENDERING = ("prompt_writer", "spelling/tools", "openai_messages")
CODE = re.compile(r"[a-z]+(?:-[a-z]+)+")
CHECKING = ("templates/check",)


def codes_in(modules: tuple[str, ...]) -> set[str]:
    """Return all strings in the modules, or in constants that they import, that look like a code."""
    found: set[str] = set()
    for module in modules:
        tree = ast.parse((HERMES / f"{module}.py").read_text(encoding="utf-8"))
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("workbench."):
                source = vars(import_module(str(node.module)))
                texts |= {source[name.name] for name in node.names if isinstance(source[name.name], str)}
        found |= {text for text in texts if isinstance(text, str) and CODE.fullmatch(text)}
    return found - set(FAMILIES)


def codes_on(page: str) -> set[str]:
    """Return everything between backticks in tables that looks like a code."""
    rows = [
        line for line in (REFERENCE / page).read_text(encoding="utf-8").splitlines() if line.startswith("|")
    ]
    return set(re.findall(rf"`({CODE.pattern})`", "\n".join(rows))) - set(FAMILIES)


@pytest.mark.parametrize(("page", "modules"), [("families.md", RENDERING), ("templates.md", CHECKING)])
def test_the_docs_list_exactly_the_codes_in_the_source(page: str, modules: tuple[str, ...]) -> None:
    assert codes_on(page) == codes_in(modules)


def test_the_docs_list_each_family() -> None:
    text = (REFERENCE / "families.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z0-9.-]+)` \| .* \| .* \| .* \| .* \|$", text, re.MULTILINE)
    assert rows == list(FAMILIES)

"""The install lines of docs and messages name extras that exist, and fit where the workbench runs from."""

import re
import tomllib
from pathlib import Path

import pytest

from workbench.settings.extras import install_command

CHECKOUT = Path(__file__).parents[2]
EXTRAS = set(tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
PAGES = [CHECKOUT / "README.md", *(CHECKOUT / "docs").rglob("*.md")]
LINE = re.compile(r"pip install [^`\n]*?(\S*)\[([a-z,]+)\]'")


def found_in(paths: list[Path]) -> list[tuple[str, str, str]]:
    """Return file name, source and extras of each install line."""
    return [(path.name, *match) for path in paths for match in LINE.findall(path.read_text(encoding="utf-8"))]


def test_the_docs_install_from_the_checkout_that_they_describe():
    lines = found_in(PAGES)
    assert lines
    for page, source, extras in lines:
        assert source == "'.", page
        assert set(extras.split(",")) <= EXTRAS, page


def test_messages_leave_the_source_to_the_function():
    sources = list((CHECKOUT / "workbench").rglob("*.py"))
    assert found_in([path for path in sources if path.name != "extras.py"]) == []
    # A message that names a package would have to name the versions of pyproject.toml, too.
    assert not [path.name for path in sources if re.search(r"pip install '?mcp", path.read_text())]
    named = {name for path in sources for name in re.findall(r"install_command\('(\w+)'\)", path.read_text())}
    assert named and named <= EXTRAS


@pytest.mark.parametrize("extra", sorted(EXTRAS - {"dev"}))
def test_the_command_installs_from_the_checkout_or_from_an_index(extra, tmp_path):
    data = f" '{CHECKOUT}/workbench/training/everyday/families'" if extra == "train" else ""
    assert install_command(extra) == f"pip install -e '{CHECKOUT}[{extra}]'{data}"
    assert install_command(extra, tmp_path) == f"pip install 'hermes-workbench[{extra}]'"

"""Each format declares its traits in its own module, so no other module compares names of formats."""

import ast
from pathlib import Path

import pytest

import workbench
from workbench.trajectory.formats.known import DEFAULT_FORMAT, FORMATS
from workbench.trajectory.formats.row_format import RowContent

PACKAGE = Path(workbench.__file__).parent
OTHER_MEANINGS = {
    "openai": "a kind of server, of tool specs, of suites",
    "raw": "a mode of servers",
    "trl": "a package that training needs",
    "llamafactory": "a package for training",
    "hermes-agent": "a frame of system texts",
}


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return constants & (FORMATS.keys() - OTHER_MEANINGS.keys())


@pytest.mark.slow
def test_no_module_outside_the_formats_names_a_format() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if "formats" not in path.parts]
    assert len(files) > 300
    assert {str(path.relative_to(PACKAGE)): found for path in files if (found := names_in(path))} == {}


def test_formats_declare_what_their_rows_contain() -> None:
    assert FORMATS["dpo"].content is RowContent.PAIR
    assert FORMATS["kto"].content is RowContent.VERDICT
    assert FORMATS[DEFAULT_FORMAT].content is RowContent.CONVERSATION

"""A server's tools with unusual schemas are offered and reported; only those that cannot be used are not."""

import sys
from pathlib import Path

import pytest
import yaml

from tests.toolspec.wild import LEFT_OUT, WILD
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.mcp.source import McpTools

SERVER = str(Path(__file__).with_name("wild_server.py"))


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mcp")
    path = folder / "tools.yaml"
    path.write_text(yaml.safe_dump({"mcp_servers": {"w": {"command": sys.executable, "args": [SERVER]}}}))
    opened = Catalog(folder / "none", sources=[McpTools(path)], packages=())
    yield opened
    opened.close()


@pytest.mark.slow
def test_each_wild_tool_has_its_verdict_and_the_good_one_stays(catalog):
    offered, problems = catalog.toolsets()["mcp-w"].names, catalog.problems()
    assert "mcp_w_good" in offered
    checked = 0
    for number, row in enumerate(WILD.values()):
        function = row.tool.get("function", row.tool)
        if not isinstance(function.get("parameters"), dict):
            continue
        codes = set(row.codes) - {"spec-name"}
        is_unnamed = not function.get("name")
        if not is_unnamed:
            checked += 1
            assert (f"mcp_w_wild_{number}" in offered) == (LEFT_OUT not in codes), row
            lines = [line for line in problems if f"'wild_{number}'" in line]
            assert bool(lines) == bool(codes), (row, lines)
    assert checked > 60

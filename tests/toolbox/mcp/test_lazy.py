"""An MCP server is started when one of its tools is needed, and not before."""

import json
import sys
from pathlib import Path

import pytest
import yaml

from workbench.chat.message import ToolCall
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.mcp.source import McpTools

pytest.importorskip("mcp", reason="the extra mcp is not installed")

SCRIPT = str(Path(__file__).parents[2] / "security" / "mcp_server.py")
SHOP = """\
toolset: shop
tools:
  - function:
      name: find_article
      description: Find an article.
      parameters: {type: object, properties: {}}
    returns: {type: string}
"""


@pytest.fixture
def make(tmp_path):
    """Return a function that makes a catalog with a mock tool and an MCP server that notes its starts in a file."""
    code = f"open({str(tmp_path / 'starts')!r}, 'a').write('x'); import sys, runpy; sys.argv = ['server', 'well']; runpy.run_path({SCRIPT!r}, run_name='__main__')"
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "shop.yaml").write_text(SHOP)
    servers = {"slow": {"command": sys.executable, "args": ["-c", code]}}
    (tmp_path / "tools.yaml").write_text(yaml.safe_dump({"mcp_servers": servers}))
    opened = []

    def make():
        opened.append(Catalog(tmp_path / "catalog", sources=[McpTools(tmp_path / "tools.yaml")], packages=()))
        return opened[-1]

    yield make
    for catalog in opened:
        catalog.close()


@pytest.fixture
def starts(tmp_path):
    return lambda: len((tmp_path / "starts").read_text()) if (tmp_path / "starts").exists() else 0


def call(catalog, name, **arguments):
    return json.loads(catalog.toolbox().run(ToolCall(name=name, arguments=arguments)).result.text)


def test_other_tools_do_not_start_it(make, starts):
    made = make()
    assert made.select(["shop"]).names == ("find_article",)
    assert isinstance(call(made, "find_article"), str)
    assert made.registry.find("find_article")
    assert starts() == 0


def test_its_tools_and_the_list_of_all_tools_start_it_once(make, starts):
    made = make()
    assert made.select(["mcp-slow"]).names == ("mcp_slow_add",)
    assert call(made, "mcp_slow_add", a=1) == 3
    assert "mcp-slow" in made.toolsets() and made.problems() == ()
    assert starts() == 1


def test_a_call_of_an_unlisted_tool_starts_it(make, starts):
    assert call(make(), "mcp_slow_add", a=1) == 3
    assert starts() == 1


def test_known_tools_are_listed_without_it(make, starts, tmp_path):
    make().toolsets()
    made = make()
    assert made.toolsets()["mcp-slow"].names == ("mcp_slow_add",)
    assert all(tool.is_available for tool in made.availability())
    assert starts() == 1
    assert call(made, "mcp_slow_add", a=1) == 3
    assert starts() == 2
    servers = yaml.safe_load((tmp_path / "tools.yaml").read_text())
    servers["mcp_servers"]["slow"]["env"] = {"A": "b"}
    (tmp_path / "tools.yaml").write_text(yaml.safe_dump(servers))
    # Another configuration may have other tools.
    make().toolsets()
    assert starts() == 3

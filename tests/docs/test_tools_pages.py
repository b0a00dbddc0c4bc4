"""The pages about tools agree with the code, and their examples work."""

import json
import re
from pathlib import Path

from workbench.chat.message import ToolCall
from workbench.toolbox.approval import categories, reason
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.catalog_file import load_toolset
from workbench.toolbox.mcp.config import load_servers
from workbench.toolbox.mock_templates import FILTERS
from workbench.toolspec.lint import CODES

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "reference/tools.md").read_text(encoding="utf-8")
HOW_TO = (DOCS / "how-to/add-a-tool-file.md").read_text(encoding="utf-8")


def test_the_python_file_of_the_how_to_adds_a_tool(tmp_path):
    [code] = re.findall(r"^```python\n(.*?)^```", HOW_TO, re.MULTILINE | re.DOTALL)
    (tmp_path / "greetings.py").write_text(code, encoding="utf-8")
    catalog = Catalog(tmp_path, packages=())
    assert catalog.problems() == ()
    assert catalog.toolsets()["greetings"].names == ("greet",)
    run = catalog.toolbox().run(ToolCall(name="greet", arguments={"name": "Ana", "language": "fr"}))
    assert json.loads(run.result.text) == {"greeting": "Bonjour, Ana!"}
    catalog.close()


def test_the_example_files_can_be_loaded(tmp_path):
    toolset, settings = re.findall(r"^```yaml\n(.*?)^```", REFERENCE, re.MULTILINE | re.DOTALL)
    for name, text in (("shop.yaml", toolset), ("tools.yaml", settings)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert load_toolset(tmp_path / "shop.yaml").tools[0].spec.name == "find_article"
    servers = load_servers(tmp_path / "tools.yaml")
    assert {name: server.enabled for name, server in servers.items()} == {"time": True, "remote": False}


def test_the_tables_match_the_code():
    rows = dict(
        re.findall(
            r"^\| `([a-z-]+)` \| (.*) \|$", REFERENCE.split("## Lint")[1].split("## ")[0], re.MULTILINE
        )
    )
    assert rows == dict(CODES)
    assert tuple(
        re.findall(r"^- (.+)$", REFERENCE.split("## Approval")[1].split("## ")[0], re.MULTILINE)
    ) == (*categories.NAMES, *reason.NAMES)
    for name in FILTERS:
        assert f"`{name}`" in REFERENCE

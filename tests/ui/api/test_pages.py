"""The examples in the pages about the API and MCP run, and print what the pages show."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.served import Server

HOW_TO = Path(__file__).parents[3] / "docs" / "how-to"
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("page", ["use-the-api.md", "serve-agents-over-mcp.md"])
def test_an_example_prints_the_output_that_its_page_shows(
    own_server: Server, tmp_path: Path, page: str
) -> None:
    if "mcp" in page:
        pytest.importorskip("mcp", reason="the extra mcp is not installed")
    found = EXAMPLE.search((HOW_TO / page).read_text(encoding="utf-8"))
    assert found
    program = found.group(1).replace("http://127.0.0.1:7860", own_server.url)
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout == found.group(2), done.stderr


def test_the_curl_commands_of_the_page_work(own_server: Server, tmp_path: Path) -> None:
    """Run the two curl commands, the second with the id from the first."""
    lines = re.findall(r"^curl .*$", (HOW_TO / "use-the-api.md").read_text(encoding="utf-8"), re.MULTILINE)
    first, second = (line.replace("http://127.0.0.1:7860", own_server.url) for line in lines)

    def shell(line: str) -> str:
        done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, timeout=60, check=True)
        return done.stdout

    event_id = shell(first).partition('"event_id":"')[2].partition('"')[0]
    assert "bad-name" in shell(second.replace("EVENT_ID", event_id))

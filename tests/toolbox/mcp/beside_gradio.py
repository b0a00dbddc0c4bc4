"""Run Gradio's MCP server and our client in one process, and print the result of a call as JSON."""

import sys
from pathlib import Path

import gradio
import yaml

from workbench.chat.message import ToolCall
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.mcp.source import McpTools


def double(text: str) -> str:
    """Say it twice."""
    return text * 2


def main(folder: Path) -> None:
    with gradio.Blocks(analytics_enabled=False) as page:
        gradio.api(double, api_name="double")
    _, address, _ = page.launch(
        mcp_server=True, prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", share=False
    )
    (folder / "tools.yaml").write_text(
        yaml.safe_dump({"mcp_servers": {"page": {"url": f"{address}gradio_api/mcp/"}}}), encoding="utf-8"
    )
    catalog = Catalog(folder / "none", sources=[McpTools(folder / "tools.yaml")], packages=())
    [name] = catalog.toolsets()["mcp-page"].names
    run = catalog.toolbox().run(ToolCall(name=name, arguments={"text": "ab"}))
    catalog.close()
    page.close(verbose=False)
    print(run.result.text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

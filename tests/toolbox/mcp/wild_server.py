"""An MCP server that lists the tools of `tests/toolspec/wild.py`, and one good tool."""

import asyncio
import sys
from pathlib import Path

import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.toolspec.wild import GOOD, WILD

server = Server("wild")


def listed() -> list[types.Tool]:
    """Return every wild tool whose parameters are an object, with its number as its name."""
    tools = [types.Tool(name="good", inputSchema=GOOD["function"]["parameters"])]
    for number, row in enumerate(WILD.values()):
        parameters = row.tool.get("function", row.tool).get("parameters")
        if isinstance(parameters, dict):
            tools.append(types.Tool(name=f"wild_{number}", inputSchema=parameters))
    return tools


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return listed()


async def main() -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())

"""A real MCP server built with the official SDK. `python server.py [PORT]` serves stdio, or HTTP on loopback."""

import os
import sys
import time

from mcp.server.fastmcp import Context, FastMCP

port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
server = FastMCP("test", host="127.0.0.1", port=port or 8000, log_level="CRITICAL")


@server.tool()
def add(a: int, b: int) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


@server.tool()
def fail(words: str) -> str:
    """Fail with these words."""
    raise ValueError(words)


@server.tool()
def slow() -> str:
    """Take long."""
    time.sleep(60)
    return "late"


@server.tool()
def die() -> str:
    """End the server."""
    os._exit(3)


@server.tool()
async def learn(context: Context) -> str:
    """Learn a further tool, and say so."""
    server.add_tool(lambda: "learnt", name="learnt", description="Was not there before.")
    server.remove_tool("slow")
    await context.session.send_tool_list_changed()
    return "done"


@server.tool(name="odd name!")
def odd() -> str:
    """Has a name that models cannot call."""
    return '{"plain": true}'


if __name__ == "__main__":
    server.run("streamable-http" if port else "stdio")

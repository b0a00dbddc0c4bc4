"""What differs between versions 1 and 2 of the MCP SDK. All other modules work with both.

Results are passed on as JSON, as the protocol spells them: the SDK's names of their fields differ, such as `isError` in
version 1 and `is_error` in version 2.
"""

from datetime import timedelta
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, cast

from mcp.types import PaginatedRequestParams
from pydantic import BaseModel

from workbench.chat.json_value import JsonObject

if TYPE_CHECKING:
    import httpx
    from mcp import ClientSession
    from mcp.shared.exceptions import McpError
    from mcp.types import JSONRPCMessage

SDK_MAJOR: Final = int(version("mcp").partition(".")[0])
"""The SDK's major version, 1 or 2."""

if not TYPE_CHECKING:
    # Version 2 uses the successor of httpx, which has the same functions.
    httpx = import_module("httpx" if SDK_MAJOR == 1 else "httpx2")
    McpError = getattr(import_module("mcp.shared.exceptions"), "McpError" if SDK_MAJOR == 1 else "MCPError")

__all__ = ["McpError", "httpx"]


def parse_message(line: bytes) -> "JSONRPCMessage":
    """Parse a message from JSON.

    Raises:
        ValueError: It is not a message.
    """
    if SDK_MAJOR == 1:
        from mcp.types import JSONRPCMessage

        return JSONRPCMessage.model_validate_json(line)
    adapter: Any = import_module("mcp.types").jsonrpc_message_adapter
    return adapter.validate_json(line, by_name=False)


def message_text(message: "JSONRPCMessage") -> str:
    """Return a message as one line of JSON."""
    return message.model_dump_json(by_alias=True, exclude_none=True)


def is_tool_change(message: object) -> bool:
    """Whether a message announces that the list of tools has changed."""
    # Version 1 wraps each notification in a model of all notifications.
    inner = getattr(message, "root", message)
    return getattr(inner, "method", "") == "notifications/tools/list_changed"


async def list_page(session: "ClientSession", cursor: str | None) -> JsonObject:
    """Request one page of the list of tools: `{"tools": […], "nextCursor": …}`."""
    params = None if cursor is None else PaginatedRequestParams(cursor=cursor)
    return _wire(await session.list_tools(params=params))


async def call_tool(
    session: "ClientSession", name: str, arguments: dict[str, object], timeout_s: float
) -> JsonObject:
    """Call a tool: `{"content": […], "structuredContent": …, "isError": …}`."""
    limit: Any = timedelta(seconds=timeout_s) if SDK_MAJOR == 1 else timeout_s
    return _wire(await session.call_tool(name, arguments, read_timeout_seconds=limit))


def _wire(model: BaseModel) -> JsonObject:
    return cast(JsonObject, model.model_dump(mode="json", by_alias=True, exclude_none=True))

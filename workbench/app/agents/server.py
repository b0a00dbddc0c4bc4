"""Serve the API functions over MCP on standard input and output.

*Source:* https://modelcontextprotocol.io/specification/2025-06-18
"""

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from io import TextIOWrapper
from typing import Any, Final, cast

import anyio

from workbench import __version__
from workbench.app.agents.functions import AgentTool, agent_tool
from workbench.app.agents.resources import CONTRACT, SESSION, list_resources, read_resource
from workbench.app.agents.runs import AgentRuns
from workbench.app.api.functions import API_FUNCTIONS, ApiFunctions
from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.rollout.ports import FinishReason
from workbench.rollout.stopping import StopSignal
from workbench.settings.extras import install_command

_INSTRUCTIONS: Final = (
    "Tools for tool-calling models: parse completions, render prompts, validate training rows, ask a model, and run "
    "suites. A long run is started with start_run and watched with run_status."
)


def serve_agents(services: Services) -> None:
    """Serve one agent until it closes standard input.

    Raises:
        BadInput: The extra is not installed, or its version has no such server.
    """
    remedy = f"run {install_command('mcp')}"
    if find_spec("mcp") is None:
        raise BadInput("mcp serve", "the extra mcp is not installed", remedy)
    if not version("mcp").startswith("1."):
        raise BadInput("mcp serve", "it needs version 1 of the MCP SDK", remedy)
    # What libraries print must not get between the messages, so standard output is theirs no longer.
    messages = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    runs = AgentRuns(services)
    try:
        with os.fdopen(messages, "wb") as output, suppress(KeyboardInterrupt):
            anyio.run(_serve, services, runs, TextIOWrapper(output, encoding="utf-8"))
    finally:
        services.turns.stop_all()
        runs.close()


async def _serve(services: Services, runs: AgentRuns, output: TextIOWrapper) -> None:
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server

    server: Any = Server("hermes-workbench", version=__version__, instructions=_INSTRUCTIONS)
    _offer_tools(server, services, runs)
    _offer_resources(server, services)
    source = anyio.wrap_file(TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"))
    async with stdio_server(stdin=source, stdout=anyio.wrap_file(output)) as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())


def _offer_tools(server: Any, services: Services, runs: AgentRuns) -> None:
    from mcp import types

    def tools(functions: ApiFunctions) -> Mapping[str, AgentTool]:
        offered = [
            *(getattr(functions, name) for name in API_FUNCTIONS),
            runs.start_run,
            runs.run_status,
            runs.stop_run,
        ]
        return {tool.name: tool for tool in map(agent_tool, offered)}

    @server.list_tools()
    async def listed() -> list[types.Tool]:  # pyright: ignore[reportUnusedFunction]
        return [
            types.Tool(
                name=tool.name, description=tool.description, inputSchema=cast("dict[str, Any]", tool.schema)
            )
            for tool in tools(ApiFunctions(services)).values()
        ]

    @server.call_tool()
    async def call(name: str, arguments: dict[str, Any]) -> types.CallToolResult:  # pyright: ignore[reportUnusedFunction]
        context = server.request_context
        token = context.meta.progressToken if context.meta else None

        def report(done: int, total: int | None, message: str) -> None:
            if token is None:
                return
            send = partial(
                context.session.send_progress_notification,
                token,
                done,
                total,
                message,
                related_request_id=str(context.request_id),
            )
            anyio.from_thread.run(send)

        stop = StopSignal()
        tool = tools(ApiFunctions(services, stop, report)).get(name)
        if tool is None:
            return _result(f"there is no tool {name[:60]!r}", is_error=True)
        try:
            return _result(
                await anyio.to_thread.run_sync(partial(tool.run, **arguments), abandon_on_cancel=True)
            )
        except WorkbenchError as error:
            return _result(str(error), is_error=True)
        finally:
            # A call that was cancelled must not go on.
            stop.set(FinishReason.INTERRUPTED)


def _result(text: str, *, is_error: bool = False) -> Any:
    from mcp import types

    structured = None if is_error else cast("dict[str, Any]", json.loads(text))
    content: Any = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, structuredContent=structured, isError=is_error)


def _offer_resources(server: Any, services: Services) -> None:
    from mcp import types
    from mcp.server.lowlevel.helper_types import ReadResourceContents

    @server.list_resources()
    async def listed() -> list[types.Resource]:  # pyright: ignore[reportUnusedFunction]
        found = await anyio.to_thread.run_sync(list_resources, services)
        return [
            types.Resource(
                uri=cast(Any, resource.uri),
                name=resource.name,
                description=resource.description,
                mimeType=resource.mime_type,
            )
            for resource in found
        ]

    @server.list_resource_templates()
    async def templates() -> list[types.ResourceTemplate]:  # pyright: ignore[reportUnusedFunction]
        return [
            types.ResourceTemplate(
                uriTemplate=CONTRACT + "{reference}",
                name="contract",
                description="A contract by its name or version, such as minimal or minimal@3",
                mimeType="text/markdown",
            ),
            types.ResourceTemplate(
                uriTemplate=SESSION + "{id}",
                name="session",
                description="A session of yours with its messages",
                mimeType="application/json",
            ),
        ]

    @server.read_resource()
    async def read(uri: Any) -> list[ReadResourceContents]:  # pyright: ignore[reportUnusedFunction]
        found = await anyio.to_thread.run_sync(read_resource, services, str(uri))
        return [ReadResourceContents(content=found.text, mime_type=found.mime_type)]

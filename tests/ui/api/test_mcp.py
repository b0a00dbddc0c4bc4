"""The same functions as agents use them: the client of the MCP SDK with a real server."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import Any, TypeVar

import pytest

from tests.aside import run_aside
from tests.served import Server
from workbench.app.api.functions import API_FUNCTIONS
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.ui import serve

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")
from mcp.client.streamable_http import streamable_http_client  # noqa: E402 - after the skip
from mcp.shared._httpx_utils import create_mcp_http_client  # noqa: E402 - after the skip

T = TypeVar("T")
Ask = Callable[[Any], Awaitable[T]]


def ask(server: Server, work: Ask[T], **headers: str) -> T:
    """Connect an agent to the server, and return the result of `work`."""

    async def connected() -> T:
        address = f"{server.url}/gradio_api/mcp/"
        async with (
            create_mcp_http_client(headers=headers) as http,
            streamable_http_client(address, http_client=http) as (reads, writes, _),
            mcp.ClientSession(reads, writes) as session,
        ):
            await session.initialize()
            return await work(session)

    return run_aside(connected())


def answer_of(result: Any) -> dict[str, object]:
    assert not result.isError, result
    return json.loads(result.content[0].text)


@pytest.mark.slow
def test_an_agent_finds_the_functions_with_descriptions(own_server: Server) -> None:
    tools = {tool.name: tool for tool in ask(own_server, lambda session: session.list_tools()).tools}
    assert sorted(tools) == sorted(API_FUNCTIONS)
    for tool in tools.values():
        assert tool.description and len(tool.description) > 60
        assert all(parameter.get("description") for parameter in tool.inputSchema["properties"].values()), (
            tool.name
        )
    assert tools["parse"].inputSchema["required"] == ["text"]


@pytest.mark.slow
def test_an_agent_gets_json(own_server: Server) -> None:
    arguments = {"text": '<tool_call>\n{"name": "f", "arguments": {"a": true, "b": null}}\n</tool_call>'}
    read = answer_of(ask(own_server, lambda session: session.call_tool("parse", arguments)))
    assert read["calls"][0]["arguments"] == {"a": True, "b": None}  # type: ignore[index]


@pytest.mark.slow
def test_an_agent_sends_rows_as_json_and_as_text(own_server: Server) -> None:
    row = {"conversations": [{"from": "human", "value": "Hi"}]}
    for rows in ([row], json.dumps(row), json.dumps([row])):
        result = ask(own_server, lambda session, rows=rows: session.call_tool("check", {"rows": rows}))
        [finding] = answer_of(result)["findings"]  # type: ignore[misc]
        assert finding["code"] == "last-not-assistant"


@pytest.mark.slow
def test_an_agent_gets_the_error_message(own_server: Server) -> None:
    arguments = {"text": "x", "tools": ["none"]}
    result = ask(own_server, lambda session: session.call_tool("parse", arguments))
    assert result.isError
    assert "no toolset or tool has this name" in result.content[0].text


@pytest.mark.slow
def test_agents_of_a_space_only_share_data_with_the_same_key(space_server: Server) -> None:
    async def chat(session: Any) -> Any:
        await session.call_tool("chat", {"text": "An agent's question"})
        return await session.call_tool("export", {})

    key = {"x-workbench-key": "c" * 32}
    assert len(answer_of(ask(space_server, chat, **key))["rows"]) == 1  # type: ignore[arg-type]
    for other in ({"x-workbench-key": "d" * 32}, {}):
        rows = answer_of(ask(space_server, lambda session: session.call_tool("export", {}), **other))["rows"]
        assert rows == []
    assert answer_of(ask(space_server, chat))["rows"] == []


def test_without_the_mcp_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str) -> ModuleSpec | None:
        return None if name == "mcp" else find_spec(name)

    monkeypatch.setattr(serve, "find_spec", without)
    with pytest.raises(BadInput, match=r"the extra mcp is not installed .*\[mcp\]"):
        serve.check_mcp(read_settings({}))


def test_mcp_cannot_be_served_with_passwords() -> None:
    settings = replace(read_settings({}), accounts={"ann": "x"})
    with pytest.raises(BadInput, match="WORKBENCH_AUTH"):
        serve.check_mcp(settings)

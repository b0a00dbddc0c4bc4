"""`workbench mcp serve`, with the client of the official SDK."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.databases import put_database
from tests.store.examples import SETUP, user
from workbench.app.api.functions import API_FUNCTIONS
from workbench.records.owner import Owner, UserRole
from workbench.store.store import Store

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")
from mcp.client.stdio import stdio_client  # noqa: E402 - after the skip
from mcp.shared.exceptions import McpError  # noqa: E402 - after the skip

pytestmark = pytest.mark.slow
CHECKOUT = Path(__file__).parents[2]
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
T = TypeVar("T")
Ask = Callable[[Any], Awaitable[T]]


@pytest.fixture
def variables(tmp_path: Path) -> Mapping[str, str]:
    """Variables of a server with a scripted model and a data folder of its own."""
    put_database(tmp_path / "data")
    script = tmp_path / "script.yaml"
    script.write_text(json.dumps({"completions": [CALL, "It is 31."]}))
    others = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    own = {"DATA": tmp_path / "data", "HOME": CHECKOUT, "MODEL": f"scripted:{script}"}
    return {**others, **{f"WORKBENCH_{name}": str(value) for name, value in own.items()}}


def ask(variables: Mapping[str, str], work: Ask[T]) -> T:
    """Start a server, and return the result of `work`, which gets a session with it."""

    async def connected() -> T:
        program = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "workbench", "mcp", "serve"],
            env=dict(variables),
            cwd=CHECKOUT,
        )
        async with stdio_client(program) as (reads, writes), mcp.ClientSession(reads, writes) as session:
            await session.initialize()
            return await work(session)

    return asyncio.run(connected())


def answer_of(result: Any) -> Any:
    assert not result.isError, result
    answer = json.loads(result.content[0].text)
    assert result.structuredContent == answer
    return answer


def test_an_agent_finds_the_functions_of_the_page_and_those_for_long_runs(
    variables: Mapping[str, str],
) -> None:
    tools = {tool.name: tool for tool in ask(variables, lambda session: session.list_tools()).tools}
    assert list(tools) == [*API_FUNCTIONS, "start_run", "run_status", "stop_run"]
    for tool in tools.values():
        assert tool.description and len(tool.description) > 60
        for name, parameter in tool.inputSchema["properties"].items():
            assert parameter["description"].endswith("."), (tool.name, name)
    assert tools["parse"].inputSchema["required"] == ["text"]
    assert tools["parse"].inputSchema["properties"]["level"]["enum"] == ["strict", "tolerant", "lenient"]


def test_rows_are_checked_as_text_and_as_json(variables: Mapping[str, str]) -> None:
    row = {"conversations": [{"from": "human", "value": "Hi"}]}

    async def check(session: Any) -> list[Any]:
        forms = ([row], json.dumps(row), json.dumps([row]))
        return [await session.call_tool("check", {"rows": rows}) for rows in forms]

    findings = [answer_of(result)["findings"] for result in ask(variables, check)]
    assert findings[0][0]["code"] == "last-not-assistant"
    assert findings[0] == findings[1] == findings[2]


def test_errors_say_what_is_wrong(variables: Mapping[str, str]) -> None:
    async def fail(session: Any) -> list[Any]:
        calls = (
            ("parse", {"text": "x", "tools": ["none"]}),
            ("parse", {"text": 1}),
            ("chat", {"text": "x", "temperature": "hot"}),
            ("nothing", {}),
            ("run_status", {"run": "none"}),
        )
        return [await session.call_tool(name, arguments) for name, arguments in calls]

    results = ask(variables, fail)
    assert all(result.isError for result in results)
    texts = [result.content[0].text for result in results]
    for text, part in zip(
        texts,
        (
            "tools, 'none': no toolset",
            "1 is not of type 'string'",
            "'hot' is not",
            "no tool 'nothing'",
            "no such run",
        ),
        strict=True,
    ):
        assert part in text


def test_a_turn_and_a_run_report_their_progress(variables: Mapping[str, str]) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total, message))

    async def work(session: Any) -> list[Any]:
        arguments: list[tuple[str, dict[str, Any]]] = [
            ("chat", {"text": "Cairo?", "tools": ["nonsense"]}),
            ("run", {"suites": ["nonsense"], "limit": 2}),
        ]
        return [await session.call_tool(name, args, progress_callback=note) for name, args in arguments]

    turn, run = map(answer_of, ask(variables, work))
    assert (turn["answer"], run["total"], run["state"]) == ("It is 31.", 2, "done")
    assert [message for _, total, message in seen if total is None] == [
        "completion",
        "result of get_flumbuster",
        "completion",
    ]
    assert [(done, total) for done, total, _ in seen if total] == [(1, 2), (2, 2)]


def test_a_run_is_started_watched_and_stopped(variables: Mapping[str, str]) -> None:
    async def work(session: Any) -> tuple[Any, Any, Any]:
        started = answer_of(await session.call_tool("start_run", {"suites": ["nonsense"], "limit": 2}))
        status = started
        while status["report"] is None:
            status = answer_of(await session.call_tool("run_status", {"run": started["run"]}))
            await asyncio.sleep(0.05)
        other = answer_of(await session.call_tool("start_run", {"suites": ["nonsense"], "repeat": 50}))
        stopped = answer_of(await session.call_tool("stop_run", {"run": other["run"]}))
        return started, status, stopped

    started, status, stopped = ask(variables, work)
    assert (started["total"], started["problem"]) == (2, "")
    assert (status["state"], status["done"], status["report"]["run"]) == ("done", 2, started["run"])
    assert stopped["state"] == "stopped"
    assert stopped["done"] < stopped["total"]


def test_contracts_and_own_sessions_are_resources(variables: Mapping[str, str]) -> None:
    with closing(Store(f"sqlite:///{variables['WORKBENCH_DATA']}/workbench.sqlite3")) as store:
        other = store.of(Owner(key="account:ann", name="ann", role=UserRole.MEMBER)).sessions
        others_id = other.create_session(SETUP).id
        other.append(others_id, user("A question of somebody else"), parent_id=None)

    async def work(session: Any) -> tuple[Any, ...]:
        turn = answer_of(await session.call_tool("chat", {"text": "Cairo?"}))
        listed = (await session.list_resources()).resources
        templates = (await session.list_resource_templates()).resourceTemplates
        uris = ("workbench://contract/minimal%401", f"workbench://session/{turn['session']}")
        read = [(await session.read_resource(uri)).contents[0] for uri in uris]
        errors: list[str] = []
        for uri in (f"workbench://session/{others_id}", "workbench://contract/none", "file:///etc/passwd"):
            with pytest.raises(McpError) as refused:
                await session.read_resource(uri)
            errors.append(str(refused.value))
        return turn, listed, templates, read, errors

    turn, listed, templates, (contract, stored), errors = ask(variables, work)
    uris = [str(resource.uri) for resource in listed]
    assert uris == [
        *(
            f"workbench://contract/{name}"
            for name in ("desk", "full", "hermes-3", "minimal", "shop", "travel")
        ),
        f"workbench://session/{turn['session']}",
    ]
    assert [template.uriTemplate for template in templates] == [
        "workbench://contract/{reference}",
        "workbench://session/{id}",
    ]
    assert contract.text == (CHECKOUT / "prompts/contracts/minimal.md").read_text()
    assert json.loads(stored.text)["messages"] == turn["messages"]
    assert "there is no such resource" in errors[0] and "no such contract" in errors[1]
    assert "there is no such resource" in errors[2]

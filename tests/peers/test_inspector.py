"""`workbench mcp serve`, seen by the command line of MCP Inspector."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.databases import put_database
from tests.store.examples import SETUP, user
from tests.toolbox.mcp.peers import npm_package
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import Store

pytest.importorskip("mcp", reason="the extra mcp is not installed")
pytestmark = pytest.mark.long

CHECKOUT = Path(__file__).parents[2]
# Later major versions need Node.js 22.
PACKAGE = "@modelcontextprotocol/inspector@0"
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
TIMEOUT_S = 120


@dataclass(frozen=True)
class Inspector:
    """MCP Inspector, with a server whose data it may see."""

    program: Path
    environment: Mapping[str, str]

    def ask(self, method: str, *options: str) -> Any:
        """Start the server, send one request, and return the result."""
        done = self.run(method, *options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def call(self, tool: str, **arguments: object) -> Any:
        """Call a tool and return its structured result. Values that are not strings are passed as JSON."""
        pairs = (
            f"{name}={value if isinstance(value, str) else json.dumps(value)}"
            for name, value in arguments.items()
        )
        given = [option for pair in pairs for option in ("--tool-arg", pair)]
        result = self.ask("tools/call", "--tool-name", tool, *given)
        assert not result.get("isError"), result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def run(self, method: str, *options: str) -> "subprocess.CompletedProcess[str]":
        command = [
            self.program,
            "--cli",
            sys.executable,
            "-m",
            "workbench",
            "mcp",
            "serve",
            "--method",
            method,
            *options,
        ]
        return subprocess.run(
            command, env=self.environment, cwd=CHECKOUT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )  # fmt: skip


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Inspector:
    program = npm_package(tmp_path_factory.mktemp("inspector"), PACKAGE) / "mcp-inspector"
    folder = tmp_path_factory.mktemp("data")
    put_database(folder)
    script = folder / "script.yaml"
    script.write_text(json.dumps({"completions": [CALL, "It is 31."]}))
    others = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    own = {"DATA": folder, "HOME": CHECKOUT, "MODEL": f"scripted:{script}"}
    return Inspector(program, {**others, **{f"WORKBENCH_{name}": str(value) for name, value in own.items()}})


def test_it_lists_the_tools_with_their_schemas(inspector: Inspector) -> None:
    tools = {tool["name"]: tool for tool in inspector.ask("tools/list")["tools"]}
    assert {"parse", "render", "check", "chat", "run"} <= set(tools)
    assert all(tool["inputSchema"]["type"] == "object" and tool["description"] for tool in tools.values())


def test_it_calls_tools(inspector: Inspector) -> None:
    [call] = inspector.call("parse", text=CALL)["calls"]
    assert (call["name"], call["arguments"]) == ("get_flumbuster", {"flumb": "cairo"})
    rows = [{"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "Hello."}]}]
    assert inspector.call("check", rows=rows)["findings"] == []


def test_it_sees_why_a_call_failed(inspector: Inspector) -> None:
    result = inspector.ask("tools/call", "--tool-name", "parse", "--tool-arg", "txt=hello")
    assert result["isError"]
    assert "'text' is a required property" in result["content"][0]["text"]


def test_it_reads_contracts_and_sessions(inspector: Inspector) -> None:
    with closing(Store(f"sqlite:///{inspector.environment['WORKBENCH_DATA']}/workbench.sqlite3")) as store:
        sessions = store.of(LOCAL_OWNER).sessions
        session = sessions.create_session(SETUP)
        sessions.append(session.id, user("hi"), parent_id=None)
    listed = {resource["uri"] for resource in inspector.ask("resources/list")["resources"]}
    assert {"workbench://contract/minimal", f"workbench://session/{session.id}"} <= listed
    templates = inspector.ask("resources/templates/list")["resourceTemplates"]
    assert {template["name"] for template in templates} == {"contract", "session"}
    [contract] = inspector.ask("resources/read", "--uri", "workbench://contract/minimal")["contents"]
    assert contract["text"] == (CHECKOUT / "prompts" / "contracts" / "minimal.md").read_text()
    [stored] = inspector.ask("resources/read", "--uri", f"workbench://session/{session.id}")["contents"]
    assert [message["content"] for message in json.loads(stored["text"])["messages"]] == ["hi"]


def test_a_resource_that_does_not_exist_is_an_error(inspector: Inspector) -> None:
    done = inspector.run("resources/read", "--uri", "workbench://contract/nope")
    assert done.returncode != 0
    assert "nope" in done.stderr

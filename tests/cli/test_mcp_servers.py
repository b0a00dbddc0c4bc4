"""`workbench mcp`: manage servers with the official SDK as their real peer."""

import json
import sys
from pathlib import Path

import pytest

from workbench.toolbox.mcp.config import load_servers

pytest.importorskip("mcp", reason="the extra mcp is not installed")
pytestmark = pytest.mark.slow

SERVER = str(Path(__file__).parents[1] / "toolbox/mcp/server.py")
PROGRAM = (sys.executable, SERVER)


@pytest.fixture
def file(variables):
    """The settings file with the servers."""
    return Path(variables["WORKBENCH_DATA"]) / "tools.yaml"


def test_a_server_is_added_listed_retried_replaced_and_removed(workbench, file):
    added = workbench("mcp", "add", "test", "--env", "A=b=c", "--timeout", "30", "--", *PROGRAM)
    assert (added.returncode, added.stdout) == (0, f"test  running, 6 tools  {' '.join(PROGRAM)}\n"), (
        added.stderr
    )
    assert load_servers(file)["test"].fields == {
        "command": sys.executable,
        "args": [SERVER],
        "env": {"A": "b=c"},
        "timeout": 30.0,
    }
    [listed] = json.loads(workbench("mcp", "list", "--json").stdout)["servers"]
    assert (listed["status"], listed["tools"][0], listed["cause"]) == ("ready", "add", None)
    assert "test  running, 6 tools" in workbench("mcp", "retry").stdout
    again = workbench("mcp", "add", "test", "--", *PROGRAM)
    assert (again.returncode, "already used" in again.stderr) == (2, True)
    replaced = workbench("mcp", "add", "test", "--replace", "--json", "--", *PROGRAM)
    assert json.loads(replaced.stdout)["servers"][0]["status"] == "running"
    assert "env" not in load_servers(file)["test"].fields
    assert workbench("mcp", "remove", "test").stdout == "Removed test\n"
    assert (file.read_text(), workbench("mcp", "list").stdout) == ("", "")


def test_a_server_that_fails_is_not_added_and_the_reason_is_shown(workbench, file):
    code = "import sys; sys.exit('no key: set KEY')"
    done = workbench("mcp", "add", "test", "--", sys.executable, "-c", code)
    assert (done.returncode, file.exists()) == (3, False)
    assert "exit code 1; it wrote: no key: set KEY" in done.stderr
    file.write_text(f"mcp_servers:\n  test: {{command: {sys.executable}, args: [-c, {json.dumps(code)}]}}\n")
    retried = workbench("mcp", "retry", "test")
    assert retried.returncode == 3
    assert "test  failed" in retried.stdout and "  stderr: no key: set KEY\n" in retried.stdout
    [failed] = json.loads(workbench("mcp", "retry", "--json").stdout)["servers"]
    assert (failed["status"], failed["stderr"]) == ("failed", ["no key: set KEY"])


def test_servers_of_another_program_are_imported_as_far_as_they_answer(workbench, file, tmp_path):
    servers = {
        "good": {"command": sys.executable, "args": [SERVER], "alwaysAllow": []},
        "bad": {"command": "no-such-program-of-a-test"},
        "wrong": {"args": []},
    }
    source = tmp_path / "claude.json"
    source.write_text(json.dumps({"mcpServers": servers}))
    done = workbench("mcp", "import", source, "--json")
    assert (done.returncode, list(load_servers(file))) == (3, ["good"])
    assert [server["name"] for server in json.loads(done.stdout)["servers"]] == ["good"]
    assert "MCP server 'bad': the program 'no-such-program-of-a-test' was not found" in done.stderr
    assert "MCP server 'wrong': give either command or url" in done.stderr
    off = json.dumps({"mcpServers": {"good": servers["good"], "off": {**servers["bad"], "disabled": True}}})
    source.write_text(off)
    again = workbench("mcp", "import", source)
    assert (again.returncode, "name is already used" in again.stderr) == (2, True)
    assert "off  off  no-such-program-of-a-test\n" in again.stdout
    refused = workbench("mcp", "retry", "off")
    assert (refused.returncode, "it is turned off" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["x", "--header", "Authorization"], "'Authorization' has no ':'"),
        (["x", "--env", "=b"], "'=b' has no '='"),
        (["http://127.0.0.1:1/mcp", "more"], "unexpected argument 'more'"),
        (["x", "--transport", "pipe"], "MCP server 'test', type"),
        (["x", "--replace"], "there is none of this name"),
    ],
)
def test_a_server_that_is_written_wrongly_is_refused(workbench, file, arguments, problem):
    done = workbench("mcp", "add", "test", *arguments)
    assert (done.returncode, file.exists()) == (2, False)
    assert problem in done.stderr


def test_an_invalid_file_is_reported(workbench, file):
    file.write_text("mcp_servers: {test: {}}\n")
    done = workbench("mcp", "list")
    assert (done.returncode, "give either command or url" in done.stderr) == (2, True)


def test_without_the_sdk_servers_are_listed_and_removed(workbench, file, monkeypatch):
    from workbench.toolbox.mcp import source

    file.write_text("mcp_servers:\n  test: {command: x}\n")
    monkeypatch.setattr(source, "find_spec", lambda _name: None)
    listed = workbench("mcp", "list")
    assert listed.stdout.splitlines()[0] == "test  off  x"
    assert "need the extra mcp" in listed.stdout
    refused = workbench("mcp", "retry", "test")
    assert (refused.returncode, "need the extra mcp" in refused.stderr) == (2, True)
    assert workbench("mcp", "remove", "test").returncode == 0

"""Configurations of MCP servers: variables, the settings file, and those of other programs."""

import json
import stat

import pytest

from workbench.errors import BadInput
from workbench.toolbox.mcp.config import (
    McpServerConfig,
    expanded,
    load_servers,
    remove_server,
    save_server,
)
from workbench.toolbox.mcp.config_import import import_servers, read_servers

FILE = """\
# mine
allowed:
  - git status
mcp_servers:
  # about time
  time:
    command: uvx
    args:
      - mcp-server-time

  # about search
  search:
    url: http://127.0.0.1:9000/mcp
# after
other: 1
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "tools.yaml"
    path.write_text(FILE)
    return path


def test_variables_are_replaced_in_all_texts():
    server = McpServerConfig(
        command="${PROGRAM}", args=("--at", "${PLACE:-here}"), env={"KEY": "a ${KEY} b"}, cwd="${EMPTY:-/tmp}"
    )
    replaced = expanded(server, {"PROGRAM": "uvx", "KEY": "secret", "EMPTY": ""})
    assert (replaced.command, replaced.args, replaced.env, replaced.cwd) == (
        "uvx",
        ("--at", "here"),
        {"KEY": "a secret b"},
        "/tmp",
    )
    remote = McpServerConfig(url="http://${HOST}/mcp", headers={"Authorization": "Bearer ${TOKEN}"})
    assert expanded(remote, {"HOST": "a", "TOKEN": "t"}).headers == {"Authorization": "Bearer t"}
    with pytest.raises(ConnectionError, match="the environment variable TOKEN is not set"):
        expanded(remote, {"HOST": "a"})


def test_saving_a_server_keeps_the_rest_of_the_file(path):
    save_server(path, "new", McpServerConfig(command="x"))
    assert path.read_text() == FILE.replace("mcp_servers:\n", "mcp_servers:\n  new:\n    command: x\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    save_server(path, "time", McpServerConfig(url="http://a/mcp"))
    assert list(load_servers(path)) == ["new", "time", "search"]
    assert load_servers(path)["time"].url == "http://a/mcp"
    assert "# about time\n" in path.read_text() and "# about search\n" in path.read_text()


def test_removing_servers_keeps_the_rest_of_the_file(path):
    remove_server(path, "time")
    assert list(load_servers(path)) == ["search"]
    assert "# about search\n  search:\n" in path.read_text()
    remove_server(path, "search")
    assert load_servers(path) == {}
    assert path.read_text().startswith("# mine\nallowed:\n  - git status\n")
    assert path.read_text().endswith("# after\nother: 1\n")
    with pytest.raises(BadInput, match="it is not in"):
        remove_server(path, "search")


def test_a_file_without_servers_gets_the_key(tmp_path):
    path = tmp_path / "data" / "tools.yaml"
    for text in (None, "", "allowed: []\n", "mcp_servers:\n"):
        if text is not None:
            path.write_text(text)
        save_server(path, "a b", McpServerConfig(command="x"))
        assert list(load_servers(path)) == ["a b"]


def test_the_json_of_claude_desktop():
    text = """{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"]},
                "count": {"command": "x", "env": {"N": 3}, "disabled": true, "autoApprove": []}}}"""
    servers, notes, _ = import_servers(text)
    assert servers["files"].args[-1] == "/tmp" and servers["files"].enabled
    assert servers["count"].env == {"N": "3"} and not servers["count"].enabled
    assert notes == ()


def test_the_json_of_cursor():
    text = '{"mcpServers": {"a": {"url": "http://h/mcp", "headers": {"X": "${env:KEY}"}, "envFile": ".env"}}}'
    servers, notes, _ = import_servers(text)
    assert servers["a"].headers == {"X": "${KEY}"}
    assert notes == ("MCP server 'a': the setting 'envFile' is not supported and was left out",)


def test_the_json_of_vs_code_with_comments_and_inputs():
    text = """{
      // how I search
      "inputs": [{"type": "promptString", "id": "api-key", "password": true}],
      "servers": {
        "search": {"type": "http", "url": "https://h//mcp", "headers": {"Authorization": "Bearer ${input:api-key}"}},
        "old": {"type": "sse", "url": "https://h/sse",},
        "local": {"type": "stdio", "command": "node", "args": ["server.js"]},
      }
    }"""
    servers, notes, _ = import_servers(text)
    assert servers["search"].url == "https://h//mcp" and servers["search"].type == "auto"
    assert servers["search"].headers == {"Authorization": "Bearer ${API_KEY}"}
    assert servers["old"].type == "sse"
    assert servers["local"].command == "node"
    assert len(notes) == 1 and "environment variable API_KEY" in notes[0]


def test_a_server_that_is_invalid_does_not_keep_out_the_others():
    servers = {"a": {"command": "x"}, "b": {"args": []}, "c": 1, "d": {"command": "y", "timeout": "soon"}}
    imported = import_servers(json.dumps({"mcpServers": servers}))
    assert list(imported.servers) == ["a"]
    assert [str(error).split(":")[0] for error in imported.errors] == [
        "MCP server 'b'",
        "MCP server 'c'",
        "MCP server 'd', timeout",
    ]


@pytest.mark.parametrize(("timeout", "seconds"), [(60, 60), (3600, 3600), (60_000, 60), (5000.0, 5)])
def test_a_timeout_in_milliseconds_is_converted(timeout, seconds):
    # As Gemini CLI writes it.
    text = json.dumps({"mcpServers": {"a": {"command": "x", "timeout": timeout}}})
    servers, notes, _ = import_servers(text)
    assert servers["a"].timeout == seconds
    assert bool(notes) == (timeout != seconds)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a", "http://127.0.0.1:1/mcp", {"url": "http://127.0.0.1:1/mcp"}),
        ("a", "uvx mcp-server-time 'a b'", {"command": "uvx", "args": ["mcp-server-time", "a b"]}),
        ("a", '{"command": "uvx"}', {"command": "uvx"}),
        ("", '{"mcpServers": {"a": {"command": "uvx"}}}', {"command": "uvx"}),
    ],
)
def test_what_a_person_types(name, text, expected):
    assert {key: server.fields for key, server in read_servers(name, text).servers.items()} == {"a": expected}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("", "uvx x", "it has no name"),
        ("", '{"command": "x"}', "no key `mcpServers`"),
        ("a", '{"command": ', "not JSON"),
        ("a", '{"mcpServers": []}', "lists no servers"),
        ("a", '{"mcpServers": {"b": 1}}', "MCP server 'b': not a JSON object"),
        ("a", '{"mcpServers": {"b": {"args": []}}}', "either command or url"),
        ("a", '{"mcpServers": {"b": {"command": "x", "timeout": 0}}}', "timeout"),
    ],
)
def test_what_cannot_be_read(name, text, message):
    with pytest.raises(BadInput, match=message):
        read_servers(name, text)

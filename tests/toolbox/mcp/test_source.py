"""Tools of a real MCP server, over stdio and HTTP."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from workbench.chat.message import ToolCall
from workbench.errors import BadInput, RemoteFailed
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.dispatch import DispatchLimits
from workbench.toolbox.mcp.config import load_servers
from workbench.toolbox.mcp.config_import import read_servers
from workbench.toolbox.mcp.source import McpTools

pytestmark = pytest.mark.slow

pytest.importorskip("mcp", reason="the extra mcp is not installed")

SERVER = str(Path(__file__).with_name("server.py"))


@pytest.fixture(scope="module")
def address():
    """Start the server with streamable HTTP on a free loopback port, and return its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Without PYTHONPATH, so that the server is the same if another version of the SDK is tested as a client.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen([sys.executable, SERVER, str(port)], env=environment)
    deadline_s = time.monotonic() + 60
    while time.monotonic() < deadline_s:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/mcp"
    process.kill()
    process.wait(10)


@pytest.fixture
def catalog(tmp_path):
    """Return a function that makes a catalog with MCP servers."""
    catalogs = []

    def make(servers, **options):
        path = tmp_path / "tools.yaml"
        path.write_text(yaml.safe_dump({"mcp_servers": servers}))
        catalogs.append(
            Catalog(
                tmp_path / "none",
                sources=[McpTools(path, **options)],
                packages=(),
                limits=DispatchLimits(timeout_s=60),
            )
        )
        return catalogs[-1]

    yield make
    for opened in catalogs:
        opened.close()


def stdio(**options):
    return {"command": sys.executable, "args": [SERVER], **options}


def add(catalog, name, text):
    [(name, server)] = read_servers(name, text).servers.items()
    return catalog.servers.add(name, server)


def call(catalog, name, **arguments):
    return json.loads(catalog.toolbox().run(ToolCall(name=name, arguments=arguments)).result.text)


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_tools_of_a_server_are_a_toolset_and_can_be_called(catalog, address, transport):
    made = catalog({"test": stdio() if transport == "stdio" else {"url": address}})
    assert made.problems() == ()
    tools = made.toolsets()["mcp-test"]
    assert tools.names == (
        "mcp_test_add",
        "mcp_test_fail",
        "mcp_test_slow",
        "mcp_test_die",
        "mcp_test_learn",
        "mcp_test_odd_name_",
    )
    assert tools.by_name["mcp_test_add"].description == "Add two numbers."
    assert tools.by_name["mcp_test_add"].required == ("a", "b")
    assert call(made, "mcp_test_add", a="2", b=3) == {"sum": 5}
    assert "broken here" in call(made, "mcp_test_fail", words="broken here")["error"]
    assert call(made, "mcp_test_add", a="x", b=3)["error"] == "Invalid arguments"


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_server_that_changes_its_tools_is_asked_for_them_again(catalog, address, transport):
    made = catalog({"test": stdio() if transport == "stdio" else {"url": address}})
    assert "mcp_test_slow" in made.toolsets()["mcp-test"].names
    call(made, "mcp_test_learn")
    deadline_s = time.monotonic() + 60
    while "mcp_test_learnt" not in made.toolsets()["mcp-test"].names and time.monotonic() < deadline_s:
        time.sleep(0.05)
    names = made.toolsets()["mcp-test"].names
    assert "mcp_test_learnt" in names
    assert "mcp_test_slow" not in names
    assert call(made, "mcp_test_learnt") == "learnt"


def test_a_server_can_be_added_while_the_catalog_is_in_use_and_is_written_to_the_file(catalog, tmp_path):
    made = catalog({"first": stdio()})
    (tmp_path / "tools.yaml").write_text("# mine\n" + (tmp_path / "tools.yaml").read_text())
    assert list(add(made, "second", f"{sys.executable} {SERVER}")) == []
    assert call(made, "mcp_second_add", a=1, b=2) == {"sum": 3}
    written = (tmp_path / "tools.yaml").read_text()
    assert written.startswith("# mine\n")
    assert list(load_servers(tmp_path / "tools.yaml")) == ["second", "first"]
    for name, address, problem in (
        ("second", "x", "already used"),
        ("", "x", "no name"),
        ("third", "no-such-program", "third"),
        ("third", "'", "close its quotes"),
        ("third", "", "either command or url"),
    ):
        with pytest.raises((BadInput, RemoteFailed), match=problem):
            add(made, name, address)
    assert (tmp_path / "tools.yaml").read_text() == written


def test_gradio_s_server_and_our_client_work_in_one_process(tmp_path):
    pytest.importorskip("gradio")
    script = Path(__file__).with_name("beside_gradio.py")
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=180,
        env={**os.environ, "GRADIO_ANALYTICS_ENABLED": "False"},
        check=False,
    )
    assert done.stdout.splitlines()[-1:] == ['"abab"'], done.stderr


@pytest.mark.long
def test_a_call_that_takes_too_long_times_out(catalog):
    made = catalog({"test": stdio(timeout=15)})
    assert "imed out" in call(made, "mcp_test_slow")["error"]


def test_a_server_that_dies_is_reported_and_the_next_call_starts_it_again(catalog):
    made = catalog({"test": stdio(), "other": stdio()})
    assert made.problems() == ()
    error = call(made, "mcp_test_die")["error"]
    assert "the MCP server 'test'" in error and "exit code 3" in error
    assert call(made, "mcp_test_add", a=1, b=2) == {"sum": 3}
    assert {tool.name: tool.reason for tool in made.availability()}["mcp_other_add"] == ""
    assert "mcp-test" in made.toolsets()


def test_a_server_that_does_not_start_is_reported_and_does_not_affect_the_others(catalog):
    made = catalog(
        {"gone": {"command": "no-such-program"}, "closed": {"url": "http://127.0.0.1:9/mcp"}, "test": stdio()}
    )
    assert sorted(problem.split(":")[0] for problem in made.problems()) == [
        "MCP server 'closed'",
        "MCP server 'gone'",
    ]
    assert call(made, "mcp_test_add", a=1, b=1) == {"sum": 2}


def test_no_server_is_started_on_a_space(catalog):
    made = catalog({"test": stdio()}, is_space=True)
    assert "not used on a Space" in made.problems()[0]
    assert "mcp-test" not in made.toolsets()


@pytest.mark.parametrize(
    ("server", "message"),
    [
        ({}, "either command or url"),
        ({"command": "a", "url": "b"}, "either"),
        ({"cmd": "a"}, "mcp_servers.test.cmd"),
    ],
)
def test_an_invalid_server_configuration_is_reported(catalog, server, message):
    assert message in catalog({"test": server}).problems()[0]


def test_a_disabled_server_is_not_started(catalog):
    assert catalog({"test": stdio(enabled=False)}).problems() == ()

"""The servers that people use, from PyPI and npm, with both major versions of the SDK."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.toolbox.mcp.peers import npm_package, python_folder, python_package
from workbench.chat.message import ToolCall
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.mcp.source import McpTools
from workbench.toolbox.mcp.state import ServerStatus

pytestmark = pytest.mark.long

pytest.importorskip("mcp", reason="the extra mcp is not installed")

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


@pytest.fixture
def catalog(tmp_path):
    """Return a function that makes a catalog with MCP servers. A second one starts from what the first one saved."""
    catalogs = []

    def make(servers):
        path = tmp_path / "data" / "tools.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump({"mcp_servers": servers}))
        catalogs.append(Catalog(tmp_path / "none", sources=[McpTools(path)], packages=()))
        return catalogs[-1]

    yield make
    for opened in catalogs:
        opened.close()


def call(catalog, name, **arguments):
    return json.loads(catalog.toolbox().run(ToolCall(name=name, arguments=arguments)).result.text)


@pytest.fixture(scope="module")
def npm(tmp_path_factory):
    return npm_package(
        tmp_path_factory.mktemp("npm"),
        "@modelcontextprotocol/server-everything",
        "@modelcontextprotocol/server-filesystem",
    )


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    return python_package(
        tmp_path_factory.mktemp("pypi"), "mcp-server-git", "mcp-server-time", "mcp-server-fetch"
    )


def test_images_and_resources_are_described_to_the_model(catalog, npm):
    made = catalog({"all": {"command": str(npm / "mcp-server-everything"), "args": ["stdio"]}})
    assert made.problems() == ()
    image = made.toolbox().run(ToolCall(name="mcp_all_get-tiny-image", arguments={})).result.text
    assert "[image: image/png, " in image and "pixels" in image and "not shown to you]" in image
    assert len(image) < 500
    linked = call(made, "mcp_all_get-resource-links", count=2)["content"]
    assert sum(text.startswith("[link to a resource: ") for text in linked) == 2
    embedded = call(made, "mcp_all_get-resource-reference", resourceType="Blob", resourceId=1)["content"]
    assert any(text.startswith("[resource ") and "not shown to you" in text for text in embedded)
    assert call(made, "mcp_all_echo", message="hello") == "Echo: hello"


def test_the_file_server_works_and_is_only_started_for_a_call(catalog, npm, tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    (files / "note.txt").write_text("remember")
    servers = {"files": {"command": str(npm / "mcp-server-filesystem"), "args": [str(files)]}}
    assert "mcp_files_read_text_file" in catalog(servers).toolsets()["mcp-files"].names
    made = catalog(servers)
    assert "mcp_files_read_text_file" in made.toolsets()["mcp-files"].names
    assert [state.status for state in made.servers.states()] == [ServerStatus.READY]
    assert call(made, "mcp_files_read_text_file", path=str(files / "note.txt")) == {"content": "remember"}
    assert [state.status for state in made.servers.states()] == [ServerStatus.RUNNING]
    assert "outside allowed" in call(made, "mcp_files_read_text_file", path="/etc/hostname")["error"]


def test_the_servers_of_pypi_work(catalog, python, tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    (tmp_path / "repo" / "new.txt").write_text("x")
    modules = {"git": "mcp_server_git", "time": "mcp_server_time", "fetch": "mcp_server_fetch"}
    made = catalog(
        {name: {"command": str(python), "args": ["-m", module]} for name, module in modules.items()}
    )
    assert made.problems() == ()
    assert "new.txt" in str(call(made, "mcp_git_git_status", repo_path=str(tmp_path / "repo")))
    now = call(made, "mcp_time_get_current_time", timezone="Europe/Rome")
    assert "Europe/Rome" in str(now)
    # Nothing listens there, and the server says so.
    assert "error" in call(made, "mcp_fetch_fetch", url="http://127.0.0.1:9/")


def test_the_cause_of_a_failed_start_names_what_the_program_wrote(catalog, python):
    made = catalog({"wrong": {"command": str(python), "args": ["-m", "mcp_server_tme"]}})
    [problem] = made.problems()
    assert "exit code 1" in problem and "No module named mcp_server_tme" in problem


def test_version_2_of_the_sdk_works_like_version_1(tmp_path):
    """The whole of `test_source.py`. Its server stays one of version 1; those of PyPI above are of version 2."""
    folder = python_folder(tmp_path / "mcp2", "mcp>=2,<3")
    found = subprocess.run(
        [sys.executable, "-c", "from workbench.toolbox.mcp.sdk import SDK_MAJOR; print(SDK_MAJOR)"],
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}, capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert found.stdout.strip() == "2"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider", str(HERE / "test_source.py"),
         "-k", "not gradio"],
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}, capture_output=True, text=True, check=False,
        cwd=ROOT, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout

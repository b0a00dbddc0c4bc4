"""`workbench models servers` adds, tests and removes servers."""

import json

import pytest

from tests.engines.remote.scripted_server import scripted_server
from tests.engines.remote.test_server_lists import KEY, with_key
from tests.engines.remote.test_server_report import HERMES, ToolServer, served
from workbench.engines.remote.server import ServerKind


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))


def test_a_server_is_added_listed_tested_and_removed(run_cli):
    with served(ToolServer(calls=0, content=HERMES), ServerKind.VLLM) as (_, url):
        code, out, _ = run_cli("models", "servers", "add", "lab", url, "--json")
        added = json.loads(out)
        assert (code, added["status"], added["kind"], added["models"]) == (0, "listed", "vllm", ["hermes"])
        assert json.loads(run_cli("models", "servers", "list", "--json")[1]) == added
        code, out, _ = run_cli("models", "servers", "test", "lab")
        assert (code, "ok   grammar: yes" in out) == (1, True)
        assert "BAD  tool calls: calls stay in the content" in out and "--tool-call-parser hermes" in out
    assert run_cli("models", "servers", "rm", "lab")[1] == "Removed lab\n"
    assert run_cli("models", "servers", "list")[1] == ""


def test_a_key_is_read_from_a_variable_and_a_server_without_it_says_why(run_cli, monkeypatch):
    with scripted_server(with_key("hermes")) as server:
        monkeypatch.setenv("LAB_KEY", KEY.reveal())
        assert (
            "listed" in run_cli("models", "servers", "add", "lab", server.url, "--key-variable", "LAB_KEY")[1]
        )
        monkeypatch.setenv("LAB_KEY", "wrong")
        out = run_cli("models", "servers", "list")[1]
        assert "failed: the API key was refused" in out and KEY.reveal() not in out
    assert "unknown kind" in run_cli("models", "servers", "add", "x", server.url, "--kind", "vlm")[2]

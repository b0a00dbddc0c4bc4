"""What `workbench doctor` and `workbench models list` show of a model on a server."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CHECKOUT
from tests.engines.remote.scripted_server import scripted_server
from tests.peers.fake_servers import LLAMA_SERVER, VLLM, FakeSoftware, fake_server

RunCli = Callable[..., Any]


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    monkeypatch.setenv("WORKBENCH_MODEL", "openai:hermes")


@pytest.mark.parametrize("software", [VLLM, LLAMA_SERVER], ids=["vllm", "llama-server"])
def test_doctor_shows_what_the_server_can_do(
    run_cli: RunCli, monkeypatch: pytest.MonkeyPatch, software: FakeSoftware
) -> None:
    with scripted_server(fake_server(software)) as server:
        monkeypatch.setenv("WORKBENCH_OPENAI_BASE_URL", server.url)
        done = run_cli("doctor", "--json")
    (model,) = (check for check in json.loads(done.out)["checks"] if check["subject"] == "model")
    assert "raw completions, logprobs, grammar, JSON Schema, named tool choice" in model["state"]
    asked = {**model["abilities"]}
    assert asked.pop("chat_grammar") is None and set(asked.values()) == {True}
    assert "problem" not in model


def test_the_list_shows_the_context(run_cli: RunCli, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_server(fake_server(VLLM)) as server:
        monkeypatch.setenv("WORKBENCH_OPENAI_BASE_URL", server.url)
        done = run_cli("models", "list", "--json")
        text = run_cli("models", "list")
        assert all(request.path == "/v1/models" for request in server.requests)
    listed = {model["name"]: model for model in map(json.loads, done.out.splitlines())}
    assert listed["openai:hermes"]["context_tokens"] == 4096
    assert f"openai:hermes  {server.url}, 4,096 tokens, default" in text.out.splitlines()

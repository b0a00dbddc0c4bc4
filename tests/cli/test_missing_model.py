"""A model or adapter that does not exist is refused at once, not by the commands that come later."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CHECKOUT
from tests.engines.remote.scripted_server import scripted_server
from tests.peers.fake_servers import VLLM, fake_server
from workbench.settings import read_settings

RunCli = Callable[..., Any]


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_HOME", str(CHECKOUT))
    monkeypatch.delenv("WORKBENCH_MODEL", raising=False)


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("nope", 3, "model 'nope' not found"),
        ("scripted:nope", 3, "nope"),
        ("openai:hermes", 3, "set WORKBENCH_OPENAI_BASE_URL"),
        ("embedded+nope", 2, "nope"),
        ("hf:o/r/m.gguf", 3, "workbench models pull"),
    ],
)
def test_a_default_that_does_not_exist_is_refused(run_cli: RunCli, name: str, code: int, words: str) -> None:
    before = read_settings().model
    done = run_cli("models", "default", name)
    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert read_settings().model == before


def test_a_default_on_a_server_must_be_in_its_list(run_cli: RunCli, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_server(fake_server(VLLM)) as server:
        monkeypatch.setenv("WORKBENCH_OPENAI_BASE_URL", server.url)
        refused = run_cli("models", "default", "openai:nope")
        assert refused.code == 3 and "its models are: hermes" in refused.err
        assert run_cli("models", "default", "openai:hermes").out == "openai:hermes\n"


def test_the_remedy_for_a_missing_model_names_the_command(run_cli: RunCli) -> None:
    done = run_cli("chat", "Hi", "--model", "nope")
    assert "`workbench models default NAME`" in done.err


def test_a_missing_adapter_is_refused_before_any_model_is_measured(
    run_cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> object:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr("workbench.cli.training.heldout.loaded_engine", refuse)
    done = run_cli("heldout", "--adapter", tmp_path / "nofile", "--share", "0.01")
    assert done.code == 2
    assert "--adapter" in done.err and "there is no file" in done.err

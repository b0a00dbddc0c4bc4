"""`workbench average`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("gguf", reason="needs the extra `train`")

RunCli = Callable[..., Any]


@pytest.mark.slow
def test_the_command_averages_the_shipped_adapter_with_another(run_cli: RunCli, tmp_path: Path) -> None:
    out = tmp_path / "mean"
    done = run_cli("average", "embedded", "embedded", "--out", out, "--stored-as", "q8_0")
    assert done.code == 0, done.err
    assert "100.00% of the squared norm kept" in done.err
    assert json.loads((out / "receipt.json").read_text())["base"]["name"].startswith("SmolLM2-135M")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["embedded"], "only one adapter is given"),
        (["embedded", "embedded", "--weight", "1"], "1 weights for 2 adapters"),
        (["embedded", "no/such/adapter"], "there is no file"),
    ],
)
def test_the_command_refuses_what_it_cannot_average(
    run_cli: RunCli, tmp_path: Path, options: list[str], message: str
) -> None:
    done = run_cli("average", *options, "--out", tmp_path / "mean")
    assert done.code == 2
    assert message in done.err

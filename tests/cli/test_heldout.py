"""`workbench heldout` on the embedded model."""

import json
from pathlib import Path
from shutil import copyfile

import pytest

from workbench.engines.embedded_model import find_embedded_adapter


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.long
def test_the_command_tries_thresholds_and_writes_the_best_into_the_receipt(workbench, tmp_path: Path) -> None:
    shipped = find_embedded_adapter()
    assert shipped is not None
    copyfile(shipped, tmp_path / "adapter.gguf")
    line = ["heldout", "--generator", "everyday", "--split", "validation", "--share", "0.01"]
    line += ["--adapter", str(tmp_path / "adapter.gguf"), "--choose-threshold"]
    refused = workbench(*line)
    assert refused.returncode == 2
    assert "no readable receipt" in refused.stderr
    (tmp_path / "receipt.json").write_text('{"steps": 631}')
    done = workbench(*line)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split()[0] == "threshold"
    receipt = json.loads((tmp_path / "receipt.json").read_text())
    assert receipt["steps"] == 631
    assert f"call_threshold {receipt['call_threshold']:g} was written" in done.stdout

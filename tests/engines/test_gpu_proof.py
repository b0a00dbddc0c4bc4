"""The proof for a GPU machine runs to its end on a processor, at small size."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]

pytest.importorskip("tokenizers", reason="the extra train is not installed: make test EXTRAS=train")


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(1200)
def test_every_part_of_the_proof_runs_and_has_figures(tmp_path):
    result = subprocess.run(
        [CHECKOUT / "scripts/gpu/prove.sh", tmp_path / "out", "--size", "small"],
        env={**os.environ, "COMMANDS": str(Path(sys.executable).parent), "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    proof = json.loads((tmp_path / "out" / "proof.json").read_text())
    parts = {part["name"]: part for part in proof["parts"]}
    assert [name for name, part in parts.items() if part["error"] or not part["figures"]] == []
    assert {"header", "turns", "speed", "stop", "models", "grammar", "visitors", "out of memory"} <= set(
        parts
    )
    (header,) = (one for one in parts["header"]["figures"] if one["name"] == "header of the page")
    assert header["value"] == "CPU, 2 layers, 1 thread, 8 turns side by side · ready"
    table = (tmp_path / "out" / "proof.md").read_text()
    assert (
        "| header | header of the page | begins with CPU | CPU, 2 layers, 1 thread, 8 turns side by side · ready |"
        in table
    )
    assert (tmp_path / "out" / "prove.log").read_text().endswith("all parts ran\n")


@pytest.mark.slow
def test_a_part_that_fails_is_reported_and_the_others_run(tmp_path, monkeypatch):
    from tests.bench import gpu

    def fails(_proof):
        yield gpu.Figure("before", "1")
        raise AssertionError("nothing | here")

    monkeypatch.setattr(gpu, "PARTS", {"first": fails, "second": lambda _proof: iter([gpu.Figure("x", "2")])})
    assert gpu.main([str(tmp_path), "--size", "small"]) == 1
    parts = json.loads((tmp_path / "proof.json").read_text())["parts"][1:]
    assert [(part["name"], part["error"]) for part in parts] == [
        ("first", "AssertionError: nothing | here"),
        ("second", ""),
    ]
    assert parts[0]["figures"] == [{"name": "before", "value": "1", "aim": ""}]
    assert "| first | failed | | AssertionError: nothing / here |" in (tmp_path / "proof.md").read_text()

"""The training for a GPU machine runs to its end on a processor with a tiny model, and continues."""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]

pytest.importorskip("trl", reason="the extra train is not installed: make test EXTRAS=train")
pytestmark = [pytest.mark.train, pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(1200)]


def trained(out, folder, base, **variables):
    """Run the script. Return its log and the receipt."""
    few = {
        "DEVICE": "cpu",
        "STEPS": "2",
        "VALIDATE": "1",
        "SHARE": "0.01",
        "LENGTH": "4096",
        "LORA_RANK": "4",
        "BATCH": "2",
        "PRECISION": "f32",
    }
    paths = {
        "BASE": str(base),
        "FOLDER": str(folder),
        "COMMANDS": str(Path(sys.executable).parent),
        "START": "",
    }
    result = subprocess.run(
        [CHECKOUT / "scripts/gpu/train.sh", out],
        env={**os.environ, **few, **paths, "OMP_NUM_THREADS": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout, json.loads((out / "receipt.json").read_text())


def put_rows(folder, rows_file):
    """Put the files of rows into a new folder, so that the script does not generate them."""
    folder.mkdir()
    rows = rows_file.read_text().splitlines(keepends=True)
    for name, part in (("everyday", rows[:16]), ("formal", rows[16:20]), ("test", rows[20:])):
        (folder / f"{name}.jsonl").write_text("".join(part))
    return folder


def test_the_run_is_validated_continues_and_is_the_start_of_another(tmp_path, rows_file, tiny_base):
    folder = put_rows(tmp_path / "first", rows_file)
    log, receipt = trained(tmp_path / "out", folder, tiny_base)
    assert receipt["steps"] == 2
    assert [result["step"] for result in receipt["validation"]] == [1, 2]
    assert receipt["chosen_step"] in (1, 2)
    assert receipt["start"] is None
    assert "step 2  right: single" in log
    adapter = (tmp_path / "out" / "adapter.gguf").read_bytes()
    assert (tmp_path / "out" / "README.md").is_file()

    _, again = trained(tmp_path / "again", folder, tiny_base)
    assert again["chosen_step"] == receipt["chosen_step"]
    assert (tmp_path / "again" / "adapter.gguf").read_bytes() == adapter

    start = str(tmp_path / "out" / "adapter.gguf")
    _, further = trained(
        tmp_path / "further", put_rows(tmp_path / "second", rows_file), tiny_base, START=start
    )
    assert further["start"]["sha256"] == sha256(adapter).hexdigest()


def test_a_run_without_time_trains_nothing(tmp_path, rows_file, tiny_base):
    folder = put_rows(tmp_path / "rows", rows_file)
    with pytest.raises(AssertionError, match="MINUTES=0: no time is left for the training"):
        trained(tmp_path / "out", folder, tiny_base, MINUTES="0")
    assert not (tmp_path / "out" / "adapter.gguf").exists()
